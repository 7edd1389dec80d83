// Truncated Taylor series in one variable: exact derivatives of expressions, without symbols or differences.
//
//   a(x + h) = Σ_k a_k hᵏ,   a_k = a⁽ᵏ⁾(x) / k!,   k = 0..N                                     (1)
//   (a·b)_k  = Σ_j a_j b_{k-j}                                                                   (2)
//   (a/b)_k  = (a_k - Σ_{j≥1} b_j (a/b)_{k-j}) / b_0                                             (3)
//   f(a)     = Σ_k f_k (a - a_0)ᵏ,   f_k = f⁽ᵏ⁾(a_0) / k!                                          (4)
//
// N = 0 is plain arithmetic, N = 2 serves functions of time, N = 3 serves curves. All elementary functions
// are written for N ≤ 3.  Reference: Griewank, Walther: Evaluating Derivatives, 2nd ed., chapter 13.
#pragma once

#include <cmath>

namespace catena::io {

template <int N>
struct Taylor {
  static_assert(N >= 0 && N <= 3);
  double c[N + 1];  // a_k of (1)

  static Taylor constant(double value) {
    Taylor r{};
    r.c[0] = value;
    return r;
  }
  static Taylor variable(double value) {
    Taylor r = constant(value);
    if constexpr (N > 0) r.c[1] = 1.0;
    return r;
  }
  /// k-th derivative, k ≤ N.
  double derivative(int k) const {
    constexpr double kFactorial[] = {1.0, 1.0, 2.0, 6.0};
    return kFactorial[k] * c[k];
  }
  bool is_constant() const {
    for (int k = 1; k <= N; ++k)
      if (c[k] != 0.0) return false;
    return true;
  }
};

template <int N>
Taylor<N> operator+(const Taylor<N>& a, const Taylor<N>& b) {
  Taylor<N> r;
  for (int k = 0; k <= N; ++k) r.c[k] = a.c[k] + b.c[k];
  return r;
}

template <int N>
Taylor<N> operator-(const Taylor<N>& a, const Taylor<N>& b) {
  Taylor<N> r;
  for (int k = 0; k <= N; ++k) r.c[k] = a.c[k] - b.c[k];
  return r;
}

template <int N>
Taylor<N> operator-(const Taylor<N>& a) {
  Taylor<N> r;
  for (int k = 0; k <= N; ++k) r.c[k] = -a.c[k];
  return r;
}

/// A term of a derivative. What does not change adds nothing to it, however steep the other factor: 0 · ∞ is 0 here, or one infinite slope
/// would spoil values and lower derivatives that exist.
inline double slope_term(double a, double b) {
  return a == 0.0 || b == 0.0 ? 0.0 : a * b;
}

template <int N>
Taylor<N> operator*(const Taylor<N>& a, const Taylor<N>& b) {
  Taylor<N> r{};
  r.c[0] = a.c[0] * b.c[0];
  for (int k = 1; k <= N; ++k)
    for (int j = 0; j <= k; ++j) r.c[k] += slope_term(a.c[j], b.c[k - j]);  // (2)
  return r;
}

template <int N>
Taylor<N> operator/(const Taylor<N>& a, const Taylor<N>& b) {
  Taylor<N> r{};
  for (int k = 0; k <= N; ++k) {
    double sum = a.c[k];
    for (int j = 1; j <= k; ++j) sum -= slope_term(b.c[j], r.c[k - j]);
    r.c[k] = k > 0 && sum == 0.0 ? 0.0 : sum / b.c[0];  // (3)
  }
  return r;
}

/// f(a) from the first derivatives of f at a_0. A constant stays one even where f has an infinite slope (√0).
template <int N>
Taylor<N> compose(const Taylor<N>& a, double f, double f1, double f2, double f3) {
  if (a.is_constant()) return Taylor<N>::constant(f);
  const double* h = a.c;
  Taylor<N> r;  // (4)
  r.c[0] = f;
  if constexpr (N > 0) r.c[1] = slope_term(f1, h[1]);
  if constexpr (N > 1) r.c[2] = slope_term(f1, h[2]) + slope_term(f2 / 2.0, h[1] * h[1]);
  if constexpr (N > 2)
    r.c[3] = slope_term(f1, h[3]) + slope_term(f2, h[1] * h[2]) + slope_term(f3 / 6.0, h[1] * h[1] * h[1]);
  return r;
}

template <int N>
Taylor<N> sin(const Taylor<N>& a) {
  const double s = std::sin(a.c[0]), c = std::cos(a.c[0]);
  return compose(a, s, c, -s, -c);
}

template <int N>
Taylor<N> cos(const Taylor<N>& a) {
  const double s = std::sin(a.c[0]), c = std::cos(a.c[0]);
  return compose(a, c, -s, -c, s);
}

template <int N>
Taylor<N> tan(const Taylor<N>& a) {
  const double t = std::tan(a.c[0]), d = 1.0 + t * t;
  return compose(a, t, d, 2.0 * t * d, 2.0 * d * d + 4.0 * t * t * d);
}

template <int N>
Taylor<N> asin(const Taylor<N>& a) {
  const double x = a.c[0], d = 1.0 / std::sqrt(1.0 - x * x), d3 = d * d * d;
  return compose(a, std::asin(x), d, x * d3, (1.0 + 2.0 * x * x) * d3 * d * d);
}

template <int N>
Taylor<N> acos(const Taylor<N>& a) {
  Taylor<N> r = -asin(a);
  r.c[0] = std::acos(a.c[0]);
  return r;
}

template <int N>
Taylor<N> atan(const Taylor<N>& a) {
  const double x = a.c[0], d = 1.0 / (1.0 + x * x);
  return compose(a, std::atan(x), d, -2.0 * x * d * d, (6.0 * x * x - 2.0) * d * d * d);
}

/// The derivatives are those of atan(y/x) or of -atan(x/y), whichever quotient is small.
template <int N>
Taylor<N> atan2(const Taylor<N>& y, const Taylor<N>& x) {
  Taylor<N> r = std::abs(x.c[0]) >= std::abs(y.c[0]) ? atan(y / x) : -atan(x / y);
  if (y.is_constant() && x.is_constant()) r = Taylor<N>::constant(0.0);
  r.c[0] = std::atan2(y.c[0], x.c[0]);
  return r;
}

template <int N>
Taylor<N> sqrt(const Taylor<N>& a) {
  const double s = std::sqrt(a.c[0]), i = 1.0 / s;
  return compose(a, s, 0.5 * i, -0.25 * i * i * i, 0.375 * i * i * i * i * i);
}

template <int N>
Taylor<N> exp(const Taylor<N>& a) {
  const double e = std::exp(a.c[0]);
  return compose(a, e, e, e, e);
}

template <int N>
Taylor<N> log(const Taylor<N>& a) {
  const double i = 1.0 / a.c[0];
  return compose(a, std::log(a.c[0]), i, -i * i, 2.0 * i * i * i);
}

template <int N>
Taylor<N> sinh(const Taylor<N>& a) {
  const double s = std::sinh(a.c[0]), c = std::cosh(a.c[0]);
  return compose(a, s, c, s, c);
}

template <int N>
Taylor<N> cosh(const Taylor<N>& a) {
  const double s = std::sinh(a.c[0]), c = std::cosh(a.c[0]);
  return compose(a, c, s, c, s);
}

template <int N>
Taylor<N> tanh(const Taylor<N>& a) {
  const double t = std::tanh(a.c[0]), d = 1.0 - t * t;
  return compose(a, t, d, -2.0 * t * d, (6.0 * t * t - 2.0) * d);
}

/// aᵇ. With a constant exponent a may be zero or negative: vanishing binomials are kept away from 0·∞.
template <int N>
Taylor<N> pow(const Taylor<N>& a, const Taylor<N>& b) {
  const double x = a.c[0], p = b.c[0];
  if (!b.is_constant()) {
    Taylor<N> r = exp(b * log(a));
    r.c[0] = std::pow(x, p);  // the same value to the last bit, whoever asks for derivatives
    return r;
  }
  double derivative[4];
  double factor = 1.0;
  for (int k = 0; k <= 3; ++k) {
    derivative[k] = factor == 0.0 ? 0.0 : factor * std::pow(x, p - k);
    factor *= p - k;
  }
  return compose(a, derivative[0], derivative[1], derivative[2], derivative[3]);
}

template <int N>
Taylor<N> abs(const Taylor<N>& a) {
  return a.c[0] < 0.0 ? -a : a;
}

template <int N>
Taylor<N> min(const Taylor<N>& a, const Taylor<N>& b) {
  return b.c[0] < a.c[0] ? b : a;
}

template <int N>
Taylor<N> max(const Taylor<N>& a, const Taylor<N>& b) {
  return b.c[0] > a.c[0] ? b : a;
}

template <int N>
Taylor<N> floor(const Taylor<N>& a) {
  return Taylor<N>::constant(std::floor(a.c[0]));
}

/// 0 below zero, 1 from zero on.
template <int N>
Taylor<N> step(const Taylor<N>& a) {
  return Taylor<N>::constant(a.c[0] >= 0.0 ? 1.0 : 0.0);
}

/// 0 below zero, 1 above one, 3a² - 2a³ between: continuous with a continuous slope.
template <int N>
Taylor<N> smoothstep(const Taylor<N>& a) {
  if (a.c[0] <= 0.0 || a.c[0] >= 1.0) return Taylor<N>::constant(a.c[0] <= 0.0 ? 0.0 : 1.0);
  return a * a * (Taylor<N>::constant(3.0) - a - a);
}

}  // namespace catena::io
