// Vectors and 3 × 3 matrices in the registers of the machine: three numbers in four lanes, the fourth is zero.
//
// Sweeps over links live on products of these. Compilers see the lanes in Eigen's 3-vectors only in part, and spend as much on sorting
// them as they save; here a product of matrices is nine multiply-adds. Templated on the scalar.
#pragma once

#include <Eigen/Core>

namespace catena::math {

#define CATENA_INLINE [[gnu::always_inline]] inline

#ifdef __AVX__

/// Four numbers in one register.
template <class T>
struct FourLanes {
  typedef T Lanes __attribute__((vector_size(4 * sizeof(T))));  // NOLINT: `using` takes no such attribute
};
template <class T>
using Lanes = typename FourLanes<T>::Lanes;

/// (a_I, a_J, a_K, a_L)
template <int I, int J, int K, int L, class T>
CATENA_INLINE Lanes<T> picked(const Lanes<T>& a) {
  return __builtin_shufflevector(a, a, I, J, K, L);
}
/// Rows of the matrix with these columns.
template <class T>
CATENA_INLINE void transpose(Lanes<T>& x, Lanes<T>& y, Lanes<T>& z) {
  const Lanes<T> none{},
      xy = __builtin_shufflevector(x, y, 0, 4, 2, 6), xy1 = __builtin_shufflevector(x, y, 1, 5, 3, 7),
      z0 = __builtin_shufflevector(z, none, 0, 4, 2, 6), z1 = __builtin_shufflevector(z, none, 1, 5, 3, 7);
  x = __builtin_shufflevector(xy, z0, 0, 1, 4, 5);
  y = __builtin_shufflevector(xy1, z1, 0, 1, 4, 5);
  z = __builtin_shufflevector(xy, z0, 2, 3, 6, 7);
}

#else

/// Four numbers in two registers: what compilers make of one that the machine does not have goes through memory.
template <class T>
struct FourLanes {
  typedef T Pair __attribute__((vector_size(2 * sizeof(T))));  // NOLINT: `using` takes no such attribute
  Pair low, high;

  FourLanes() = default;
  CATENA_INLINE FourLanes(T a, T b, T c, T d) : low{a, b}, high{c, d} {}
  CATENA_INLINE FourLanes(const Pair& first, const Pair& second) : low(first), high(second) {}
  CATENA_INLINE T operator[](int i) const { return i < 2 ? low[i] : high[i - 2]; }

  CATENA_INLINE FourLanes operator-() const { return {-low, -high}; }
  CATENA_INLINE friend FourLanes operator+(const FourLanes& a, const FourLanes& b) {
    return {a.low + b.low, a.high + b.high};
  }
  CATENA_INLINE friend FourLanes operator-(const FourLanes& a, const FourLanes& b) {
    return {a.low - b.low, a.high - b.high};
  }
  CATENA_INLINE friend FourLanes operator*(const FourLanes& a, const FourLanes& b) {
    return {a.low * b.low, a.high * b.high};
  }
  CATENA_INLINE friend FourLanes operator*(T s, const FourLanes& a) { return {s * a.low, s * a.high}; }
  CATENA_INLINE FourLanes& operator+=(const FourLanes& o) { return *this = *this + o; }
  CATENA_INLINE FourLanes& operator-=(const FourLanes& o) { return *this = *this - o; }
};
template <class T>
using Lanes = FourLanes<T>;

/// (a_I, a_J, a_K, a_L)
template <int I, int J, int K, int L, class T>
CATENA_INLINE Lanes<T> picked(const Lanes<T>& a) {
  return {__builtin_shufflevector(a.low, a.high, I, J), __builtin_shufflevector(a.low, a.high, K, L)};
}
/// Rows of the matrix with these columns.
template <class T>
CATENA_INLINE void transpose(Lanes<T>& x, Lanes<T>& y, Lanes<T>& z) {
  const typename FourLanes<T>::Pair none{};
  const Lanes<T> first{__builtin_shufflevector(x.low, y.low, 0, 2),
                       __builtin_shufflevector(z.low, none, 0, 2)},
      second{__builtin_shufflevector(x.low, y.low, 1, 3), __builtin_shufflevector(z.low, none, 1, 3)};
  z = {__builtin_shufflevector(x.high, y.high, 0, 2), __builtin_shufflevector(z.high, none, 0, 2)};
  x = first;
  y = second;
}

#endif

template <class T>
struct Vector3 {
  Lanes<T> lanes;

  Vector3() = default;
  // Not by the compiler: it moves larger pieces at once, which wait where the lanes have just been written.
  CATENA_INLINE Vector3(const Vector3& o) : lanes(o.lanes) {}
  CATENA_INLINE Vector3& operator=(const Vector3& o) { return lanes = o.lanes, *this; }
  CATENA_INLINE Vector3(T x, T y, T z) : lanes{x, y, z, T(0)} {}
  CATENA_INLINE explicit Vector3(const Lanes<T>& all) : lanes(all) {}
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
CATENA_INLINE Lanes<T> spread(const Vector3<T>& a) {
  return picked<I, I, I, I, T>(a.lanes);
}
/// (y, z, x)
template <class T>
CATENA_INLINE Lanes<T> rolled(const Lanes<T>& a) {
  return picked<1, 2, 0, 3, T>(a);
}
template <class T>
CATENA_INLINE Vector3<T> cross(const Vector3<T>& a, const Vector3<T>& b) {
  return Vector3<T>(rolled<T>(a.lanes * rolled<T>(b.lanes) - rolled<T>(a.lanes) * b.lanes));
}
template <class T>
CATENA_INLINE T dot(const Vector3<T>& a, const Vector3<T>& b) {
  const Lanes<T> products = a.lanes * b.lanes;
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
    const Lanes<T>& l = a.lanes;  // the fourth of which is the zero that is wanted
    return {Vector3<T>(picked<3, 2, 1, 3, T>(l) * Lanes<T>{1, 1, -1, 1}),
            Vector3<T>(picked<2, 3, 0, 3, T>(l) * Lanes<T>{-1, 1, 1, 1}),
            Vector3<T>(picked<1, 0, 3, 3, T>(l) * Lanes<T>{1, -1, 1, 1})};
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
CATENA_INLINE Matrix3<T> transposed(Matrix3<T> A) {
  transpose<T>(A.x.lanes, A.y.lanes, A.z.lanes);
  return A;
}
/// A[r]×
template <class T>
CATENA_INLINE Matrix3<T> times_skew(const Matrix3<T>& A, const Vector3<T>& r) {
  const auto r0 = spread<0>(r), r1 = spread<1>(r), r2 = spread<2>(r);
  return {Vector3<T>(A.y.lanes * r2 - A.z.lanes * r1), Vector3<T>(A.z.lanes * r0 - A.x.lanes * r2),
          Vector3<T>(A.x.lanes * r1 - A.y.lanes * r0)};
}

}  // namespace catena::math
