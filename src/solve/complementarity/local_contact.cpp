#include "solve/complementarity/local_contact.h"

#include <algorithm>
#include <cmath>

namespace catena::solve::complementarity {
namespace {

// (1) as a function of a.
struct SlippingContact {
  int size;
  double friction;
  const double* W;
  const double* q;
  double A[2][2] = {}, c[2] = {};

  double w(int i, int j) const { return W[i + 3 * j]; }

  SlippingContact(int size_, double friction_, const double* W_, const double* q_)
      : size(size_), friction(friction_), W(W_), q(q_) {
    for (int i = 1; i < size; ++i) {
      for (int j = 1; j < size; ++j) A[i - 1][j - 1] = w(i, j) - w(i, 0) * w(0, j) / w(0, 0);
      c[i - 1] = q[i] - w(i, 0) * q[0] / w(0, 0);
    }
  }

  double response() const { return std::max(std::abs(A[0][0]) + std::abs(A[1][1]), 1e-12 * w(0, 0)); }

  // r at a; f of (2), infinite where A + a is singular
  double at(double a, double* r) const {
    const double a11 = A[0][0] + a, a22 = size > 2 ? A[1][1] + a : 1.0;
    const double determinant = a11 * a22 - A[0][1] * A[1][0];
    if (!(std::abs(determinant) > 1e-14 * std::abs(a11 * a22))) return kInfinity;
    r[1] = -(a22 * c[0] - A[0][1] * c[1]) / determinant;
    if (size > 2) r[2] = -(a11 * c[1] - A[1][0] * c[0]) / determinant;
    const double from_tangents = w(0, 1) * r[1] + (size > 2 ? w(0, 2) * r[2] : 0.0);
    r[0] = -(q[0] + from_tangents) / w(0, 0);
    return (size > 2 ? std::hypot(r[1], r[2]) : std::abs(r[1])) - friction * r[0];
  }
};

// Root of f between z = 0, where it is negative, and z = 1, where it is positive or infinite.
void find_slip(const SlippingContact& contact, double* r) {
  const double s = contact.response();
  const auto f = [&](double z) { return contact.at(s * (1.0 - z) / z, r); };
  double low = 0.0, f_low = contact.friction * contact.q[0] / contact.w(0, 0);  // a → ∞: r_t = 0
  double high = 1.0, f_high = contact.at(0.0, r);
  int side = 0;
  for (int k = 0; k < 60 && high - low > 1e-16; ++k) {
    double z = 0.5 * (low + high);
    if (k % 4 != 3 && std::isfinite(f_high)) z = (low * f_high - high * f_low) / (f_high - f_low);
    if (!(z > low && z < high)) z = 0.5 * (low + high);
    const double value = f(z);
    if (std::abs(value) <= 1e-15 * std::abs(r[0])) return;
    if (value < 0.0) {
      low = z;
      f_low = value;
      if (side == -1) f_high *= 0.5;
      side = -1;
    } else {
      high = z;
      f_high = value;
      if (side == 1) f_low *= 0.5;
      side = 1;
    }
  }
  (void)f(low > 0.0 ? low : high);
}

}  // namespace

bool solve_contact(int size, double friction, const double* W, const double* q, double* r) {
  if (q[0] >= 0.0) {
    std::fill_n(r, size, 0.0);
    return true;
  }
  if (!(W[0] > 0.0)) return false;
  const SlippingContact contact(size, friction, W, q);
  double stuck[3] = {};
  if (contact.at(0.0, stuck) <= 0.0 && stuck[0] >= 0.0)
    std::copy_n(stuck, size, r);
  else
    find_slip(contact, r);
  return true;
}

}  // namespace catena::solve::complementarity
