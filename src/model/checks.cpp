// Texts of the checks declared in checks.h.
#include "model/checks.h"

#include <fmt/format.h>

#include <cmath>

namespace catena {
namespace {

// Of the norm of a quaternion: far above the rounding of any run, far below what anybody could see.
constexpr double kUnitSlack = 1e-9;

}  // namespace

std::string coordinates_problem(const Body& body, const double* q, const double* v) {
  if (const char* problem = body.state_problem(q)) return problem;
  if (!body.has_orientation()) return {};
  const double norm = body.unpack(q, v).orientation.norm();
  if (std::abs(norm - 1.0) <= kUnitSlack) return {};
  return fmt::format("has a quaternion of norm {0:g} where only 1 is a rotation; divide it by {0:g}", norm);
}

std::string to_text(const Vec3& v) {
  return fmt::format("({:g}, {:g}, {:g})", v.x(), v.y(), v.z());
}

void check_mass(double mass, Problems& problems) {
  if (!(mass > 0.0) || !std::isfinite(mass)) {
    problems.push_back(
        fmt::format("mass must be positive and finite, got {:g} kg; give a mass above 0", mass));
  } else if (mass < kSmallestMass || mass > kLargestMass) {
    problems.push_back(
        fmt::format("mass {:g} kg is outside {:g} to {:g} kg, where results would be round-off; "
                    "check the unit, masses are in kg",
                    mass, kSmallestMass, kLargestMass));
  }
}

void check_finite(const std::string& name, double value, double limit, Problems& problems) {
  if (!std::isfinite(value)) {
    problems.push_back(fmt::format("{} must be finite, got {:g}; give a number", name, value));
  } else if (std::abs(value) > limit) {
    problems.push_back(fmt::format("{} is too large, got {:g}; keep it below {:g}", name, value, limit));
  }
}

void check_finite(const std::string& name, const Vec3& value, double limit, Problems& problems) {
  if (!value.allFinite()) {
    problems.push_back(fmt::format("{} must be finite, got {}; give three numbers", name, to_text(value)));
  } else if (value.cwiseAbs().maxCoeff() > limit) {
    problems.push_back(
        fmt::format("{} is too large, got {}; keep every component below {:g}", name, to_text(value), limit));
  }
}

void check_positive(const std::string& name, double value, double limit, const std::string& unit,
                    Problems& problems) {
  if (!(value > 0.0) || !std::isfinite(value)) {
    problems.push_back(
        fmt::format("{} must be positive and finite, got {:g} {}; give a value above 0", name, value, unit));
  } else if (value > limit) {
    problems.push_back(
        fmt::format("{} is too large, got {:g} {}; keep it below {:g} {}", name, value, unit, limit, unit));
  }
}

void check_not_negative(const std::string& name, double value, double limit, const std::string& unit,
                        Problems& problems) {
  if (!(value >= 0.0) || !std::isfinite(value)) {
    problems.push_back(
        fmt::format("{} must be finite and not negative, got {:g} {}; give 0 or more", name, value, unit));
  } else if (value > limit) {
    problems.push_back(
        fmt::format("{} is too large, got {:g} {}; keep it below {:g} {}", name, value, unit, limit, unit));
  }
}

void check_function(const std::string& name, const TimeFunction& f, Problems& problems) {
  if (!f) {
    problems.push_back(fmt::format("{} has no function of time; pass one, for example constant(0)", name));
    return;
  }
  const Jet jet = f(0.0);
  if (!std::isfinite(jet.value) || !std::isfinite(jet.rate) || !std::isfinite(jet.acceleration)) {
    problems.push_back(
        fmt::format("{} is not finite at t = 0: value {:g}, rate {:g}, acceleration {:g}; check the function",
                    name, jet.value, jet.rate, jet.acceleration));
  }
}

void check_function(const std::string& name, const PointFunction& f, Problems& problems) {
  check_function(name + ".x", f.x, problems);
  check_function(name + ".y", f.y, problems);
  check_function(name + ".z", f.z, problems);
}

void check_length(const TimeFunction& length, Problems& problems) {
  const std::size_t before = problems.size();
  check_function("length", length, problems);
  if (problems.size() == before)
    check_positive("length at t = 0", length(0.0).value, kLargestLength, "m", problems);
}

}  // namespace catena
