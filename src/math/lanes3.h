// Vectors and 3 × 3 matrices in the registers of the machine: three numbers in four lanes, the fourth is zero.
//
// Sweeps over links live on products of these. Compilers see the lanes in Eigen's 3-vectors only in part, and spend as much on sorting
// them as they save; here a product of matrices is nine multiply-adds. Templated on the scalar; GCC and clang make of the lanes what the
// machine has (AVX: one register, SSE and NEON: two).
#pragma once

#include <Eigen/Core>

namespace catena::math {

#define CATENA_INLINE [[gnu::always_inline]] inline

template <class T>
struct Vector3 {
  typedef T Lanes __attribute__((vector_size(4 * sizeof(T))));  // NOLINT: `using` takes no such attribute
  Lanes lanes;

  Vector3() = default;
  // Not by the compiler: it moves larger pieces at once, which wait where the lanes have just been written.
  CATENA_INLINE Vector3(const Vector3& o) : lanes(o.lanes) {}
  CATENA_INLINE Vector3& operator=(const Vector3& o) { return lanes = o.lanes, *this; }
  CATENA_INLINE Vector3(T x, T y, T z) : lanes{x, y, z, T(0)} {}
  CATENA_INLINE explicit Vector3(const Lanes& all) : lanes(all) {}
  template <class D>
  CATENA_INLINE Vector3(const Eigen::MatrixBase<D>& v) : Vector3(T(v[0]), T(v[1]), T(v[2])) {}

  CATENA_INLINE static Vector3 zero() { return {T(0), T(0), T(0)}; }
  CATENA_INLINE static Vector3 load(const T* from) { return {from[0], from[1], from[2]}; }
  CATENA_INLINE void store(T* to) const { to[0] = lanes[0], to[1] = lanes[1], to[2] = lanes[2]; }
  CATENA_INLINE operator Eigen::Matrix<T, 3, 1>() const { return {lanes[0], lanes[1], lanes[2]}; }
  CATENA_INLINE T operator[](int i) const { return lanes[i]; }

  CATENA_INLINE Vector3& operator+=(const Vector3& o) { return lanes += o.lanes, *this; }
  CATENA_INLINE Vector3& operator-=(const Vector3& o) { return lanes -= o.lanes, *this; }
  CATENA_INLINE Vector3 operator-() const { return Vector3(-lanes); }
};

template <class T>
CATENA_INLINE Vector3<T> operator+(const Vector3<T>& a, const Vector3<T>& b) {
  return Vector3<T>(a.lanes + b.lanes);
}
template <class T>
CATENA_INLINE Vector3<T> operator-(const Vector3<T>& a, const Vector3<T>& b) {
  return Vector3<T>(a.lanes - b.lanes);
}
template <class T>
CATENA_INLINE Vector3<T> operator*(T s, const Vector3<T>& a) {
  return Vector3<T>(s * a.lanes);
}

/// The i-th number in all lanes. Times a vector, which has a zero in the fourth.
template <int I, class T>
CATENA_INLINE typename Vector3<T>::Lanes spread(const Vector3<T>& a) {
  return __builtin_shufflevector(a.lanes, a.lanes, I, I, I, I);
}
/// (y, z, x)
template <class T>
CATENA_INLINE typename Vector3<T>::Lanes rolled(const typename Vector3<T>::Lanes& a) {
  return __builtin_shufflevector(a, a, 1, 2, 0, 3);
}
template <class T>
CATENA_INLINE Vector3<T> cross(const Vector3<T>& a, const Vector3<T>& b) {
  return Vector3<T>(rolled<T>(a.lanes * rolled<T>(b.lanes) - rolled<T>(a.lanes) * b.lanes));
}
/// In all lanes, for what goes on to multiply vectors.
template <class T>
CATENA_INLINE typename Vector3<T>::Lanes spread_dot(const Vector3<T>& a, const Vector3<T>& b) {
  const typename Vector3<T>::Lanes products = a.lanes * b.lanes,
                                   pairs = products + __builtin_shufflevector(products, products, 1, 0, 3, 2);
  return pairs + __builtin_shufflevector(pairs, pairs, 2, 3, 0, 1);
}
template <class T>
CATENA_INLINE T dot(const Vector3<T>& a, const Vector3<T>& b) {
  const typename Vector3<T>::Lanes products = a.lanes * b.lanes;
  return products[0] + products[1] + products[2];
}

/// By its columns.
template <class T>
struct Matrix3 {
  Vector3<T> x, y, z;

  Matrix3() = default;
  CATENA_INLINE Matrix3(const Vector3<T>& first, const Vector3<T>& second, const Vector3<T>& third)
      : x(first), y(second), z(third) {}
  template <class D>
  CATENA_INLINE Matrix3(const Eigen::MatrixBase<D>& m) : x(m.col(0)), y(m.col(1)), z(m.col(2)) {}

  CATENA_INLINE static Matrix3 zero() { return {Vector3<T>::zero(), Vector3<T>::zero(), Vector3<T>::zero()}; }
  CATENA_INLINE static Matrix3 identity() { return diagonal(T(1)); }
  CATENA_INLINE static Matrix3 diagonal(T s) { return {{s, T(0), T(0)}, {T(0), s, T(0)}, {T(0), T(0), s}}; }
  /// [a]×
  CATENA_INLINE static Matrix3 skew(const Vector3<T>& a) {
    using Lanes = typename Vector3<T>::Lanes;
    const Lanes& l = a.lanes;  // the fourth of which is the zero that is wanted
    return {Vector3<T>(__builtin_shufflevector(l, l, 3, 2, 1, 3) * Lanes{1, 1, -1, 1}),
            Vector3<T>(__builtin_shufflevector(l, l, 2, 3, 0, 3) * Lanes{-1, 1, 1, 1}),
            Vector3<T>(__builtin_shufflevector(l, l, 1, 0, 3, 3) * Lanes{1, -1, 1, 1})};
  }
  CATENA_INLINE operator Eigen::Matrix<T, 3, 3>() const {
    Eigen::Matrix<T, 3, 3> out;
    x.store(out.data()), y.store(out.data() + 3), z.store(out.data() + 6);
    return out;
  }
  CATENA_INLINE T operator()(int i, int j) const { return (j == 0 ? x : j == 1 ? y : z)[i]; }

  CATENA_INLINE Matrix3& operator+=(const Matrix3& o) { return x += o.x, y += o.y, z += o.z, *this; }
  CATENA_INLINE Matrix3 operator-() const { return {-x, -y, -z}; }
  /// Takes off u wᵀ.
  CATENA_INLINE void take(const Vector3<T>& u, const Vector3<T>& w) {
    x.lanes -= u.lanes * spread<0>(w);
    y.lanes -= u.lanes * spread<1>(w);
    z.lanes -= u.lanes * spread<2>(w);
  }
};

template <class T>
CATENA_INLINE Vector3<T> operator*(const Matrix3<T>& A, const Vector3<T>& b) {
  return Vector3<T>(A.x.lanes * spread<0>(b) + A.y.lanes * spread<1>(b) + A.z.lanes * spread<2>(b));
}
template <class T>
CATENA_INLINE Matrix3<T> operator*(const Matrix3<T>& A, const Matrix3<T>& B) {
  return {A * B.x, A * B.y, A * B.z};
}
/// A Bᵀ
template <class T>
CATENA_INLINE Matrix3<T> times_transposed(const Matrix3<T>& A, const Matrix3<T>& B) {
  return {Vector3<T>(A.x.lanes * spread<0>(B.x) + A.y.lanes * spread<0>(B.y) + A.z.lanes * spread<0>(B.z)),
          Vector3<T>(A.x.lanes * spread<1>(B.x) + A.y.lanes * spread<1>(B.y) + A.z.lanes * spread<1>(B.z)),
          Vector3<T>(A.x.lanes * spread<2>(B.x) + A.y.lanes * spread<2>(B.y) + A.z.lanes * spread<2>(B.z))};
}
template <class T>
CATENA_INLINE Matrix3<T> transposed(const Matrix3<T>& A) {
  const typename Vector3<T>::Lanes none{}, xy = __builtin_shufflevector(A.x.lanes, A.y.lanes, 0, 4, 2, 6),
                                           xy1 = __builtin_shufflevector(A.x.lanes, A.y.lanes, 1, 5, 3, 7),
                                           z = __builtin_shufflevector(A.z.lanes, none, 0, 4, 2, 6),
                                           z1 = __builtin_shufflevector(A.z.lanes, none, 1, 5, 3, 7);
  return {Vector3<T>(__builtin_shufflevector(xy, z, 0, 1, 4, 5)),
          Vector3<T>(__builtin_shufflevector(xy1, z1, 0, 1, 4, 5)),
          Vector3<T>(__builtin_shufflevector(xy, z, 2, 3, 6, 7))};
}
/// A[r]×
template <class T>
CATENA_INLINE Matrix3<T> times_skew(const Matrix3<T>& A, const Vector3<T>& r) {
  const auto r0 = spread<0>(r), r1 = spread<1>(r), r2 = spread<2>(r);
  return {Vector3<T>(A.y.lanes * r2 - A.z.lanes * r1), Vector3<T>(A.z.lanes * r0 - A.x.lanes * r2),
          Vector3<T>(A.x.lanes * r1 - A.y.lanes * r0)};
}

}  // namespace catena::math
