// Coordinates with laws as a force.
#include "catena/force.h"
#include "catena/joints.h"
#include "model/checks.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

namespace catena {
namespace {

constexpr int kMostRows = 6, kMostMarkers = 4;

/// The coordinates of one elastic force, evaluated: c, ċ and G, on the stack.
class Coordinates {
 public:
  /// @param memory  of the coordinates
  Coordinates(const Constraint& rows, const Motion& motion, std::span<const double> memory)
      : num_rows_(rows.num_rows(motion.planar)) {
    Motion own = motion;
    own.memory = memory;
    const int markers = int(motion.at.size());
    Rows out(num_rows_, markers, c_.data(), rate_.data(), gamma_.data(), G_.data(), false);
    rows.evaluate(own, out);
    for (int k = 0; k < markers; ++k)
      for (int r = 0; r < num_rows_; ++r) {
        const double* g = row(k, r);
        rate_[std::size_t(r)] += Eigen::Map<const Vec3>(g).dot(motion.at[std::size_t(k)].v) +
                                 Eigen::Map<const Vec3>(g + 3).dot(motion.at[std::size_t(k)].w);
      }
  }
  int num_rows() const { return num_rows_; }
  double c(int r) const { return c_[std::size_t(r)]; }
  double rate(int r) const { return rate_[std::size_t(r)]; }
  const double* row(int marker, int r) const { return G_.data() + (marker * num_rows_ + r) * 6; }

 private:
  int num_rows_;
  std::array<double, kMostRows> c_{}, rate_{}, gamma_{};
  std::array<double, std::size_t(kMostRows) * kMostMarkers * 6> G_{};
};

/// @param part, row  what tells several laws apart: "linear " and " along x"
void check_law(const Law& law, const std::string& part, const std::string& row, Problems& problems) {
  check_not_negative(part + "stiffness" + row, law.stiffness, kLargestStiffness, "N/m or N·m/rad", problems);
  check_not_negative(part + "damping" + row, law.damping, kLargestStiffness, "N·s/m or N·m·s/rad", problems);
  check_finite(part + "preload" + row, law.preload, kLargestStiffness, problems);
  if (!(law.limit > 0.0))
    problems.push_back(
        fmt::format("{}limit{} must be positive, got {:g}; give the largest force", part, row, law.limit));
  constexpr double kNone = std::numeric_limits<double>::infinity();
  if (std::isnan(law.lower) || law.lower == kNone)
    problems.push_back(fmt::format("{}lower bound{} must be a number, got {:g}; leave it out for none", part,
                                   row, law.lower));
  else if (std::isnan(law.upper) || law.upper == -kNone)
    problems.push_back(fmt::format("{}upper bound{} must be a number, got {:g}; leave it out for none", part,
                                   row, law.upper));
  else if (law.lower > law.upper)
    problems.push_back(fmt::format("{}lower bound{} {:g} is above the upper bound {:g}; exchange them", part,
                                   row, law.lower, law.upper));
}

}  // namespace

Elastic::Elastic(std::string_view kind, ConstraintPtr coordinates, std::vector<Law> laws)
    : CoordinateForce(coordinates ? std::vector<Attachment>(coordinates->attachments().begin(),
                                                            coordinates->attachments().end())
                                  : std::vector<Attachment>{}),
      kind_(kind),
      coordinates_(std::move(coordinates)),
      laws_(std::move(laws)) {}

LawResponse Elastic::answer(int row, const Motion& motion, double c, double rate, double step) const {
  return is_on(motion.memory) ? respond(law(row), c, rate, step) : LawResponse{};
}

void Elastic::apply(const Motion& motion, Wrenches& wrenches) const {
  if (!is_on(motion.memory)) return;
  const Coordinates now(*coordinates_, motion, coordinate_memory(motion.memory));
  for (int r = 0; r < now.num_rows(); ++r) {
    const double force = respond(law(r), now.c(r), now.rate(r), motion.step).force;
    if (force == 0.0) continue;
    for (int k = 0; k < int(motion.at.size()); ++k) {
      const double* g = now.row(k, r);
      wrenches.add(k, force * Eigen::Map<const Vec3>(g), force * Eigen::Map<const Vec3>(g + 3));
    }
  }
}

double Elastic::potential(const Motion& motion) const {
  if (!is_on(motion.memory)) return 0.0;
  const Coordinates now(*coordinates_, motion, coordinate_memory(motion.memory));
  double sum = 0.0;
  for (int r = 0; r < now.num_rows(); ++r) sum += respond(law(r), now.c(r), 0.0).potential;
  return sum;
}

double Elastic::nonconservative_power(const Motion& motion) const {
  if (!is_on(motion.memory)) return 0.0;
  const Coordinates now(*coordinates_, motion, coordinate_memory(motion.memory));
  double sum = 0.0;
  for (int r = 0; r < now.num_rows(); ++r) {
    // what the law does beyond the gradient of its potential: damping, and what a limit or a stop takes away
    const LawResponse moving = respond(law(r), now.c(r), now.rate(r), motion.step);
    Law conservative = law(r);
    conservative.damping = 0.0;
    conservative.limit = std::numeric_limits<double>::infinity();
    sum += (moving.force - respond(conservative, now.c(r), 0.0).force) * now.rate(r);
  }
  return sum;
}

bool Elastic::depends_on_velocity() const {
  return std::any_of(laws_.begin(), laws_.end(), [](const Law& law) { return law.damping != 0.0; });
}

double Elastic::stiffness() const {
  double most = 0.0;
  for (const Law& law : laws_) most = std::max(most, law.stiffness);
  return most;
}

void Elastic::start_memory(const Motion& motion, std::span<double> memory) const {
  memory[0] = 1.0;
  Motion own = motion;
  own.memory = coordinate_memory(motion.memory);
  if (coordinates_->memory_size() > 0) coordinates_->start_memory(own, memory.subspan(1));
}

void Elastic::advance_memory(const Motion& motion, std::span<double> memory) const {
  Motion own = motion;
  own.memory = coordinate_memory(motion.memory);
  if (coordinates_->memory_size() > 0) coordinates_->advance_memory(own, memory.subspan(1));
}

std::span<const std::string_view> Elastic::command_names() const {
  static constexpr std::string_view kOn[] = {"on"};
  return kOn;
}

std::vector<std::string> Elastic::validate() const {
  Problems problems;
  if (!coordinates_) return {"there are no coordinates; pass a constraint, for example hinge_coordinate(at)"};
  const int rows = coordinates_->num_rows(false);
  if (coordinates_->num_holonomic_rows(false) < rows)
    problems.push_back(fmt::format(
        "'{}' has rows without a position, which have no spring; use a damper or a holonomic constraint",
        coordinates_->kind()));
  if (coordinates_->acts_elsewhere())
    problems.push_back(fmt::format(
        "the force of '{}' does not act along its rows, which has no potential; use another constraint",
        coordinates_->kind()));
  if (rows > kMostRows || coordinates_->attachments().size() > kMostMarkers)
    problems.push_back(
        fmt::format("'{}' has {} rows on {} markers, the most are {} on {}; use several elastic forces",
                    coordinates_->kind(), rows, coordinates_->attachments().size(), kMostRows, kMostMarkers));
  if (laws_.size() != 1 && int(laws_.size()) != rows)
    problems.push_back(
        fmt::format("{} laws for {} coordinates; give one for all, or one for each", laws_.size(), rows));
  for (const std::string& problem : coordinates_->validate(false)) problems.push_back(problem);
  for (std::size_t i = 0; i < laws_.size(); ++i) {
    const bool is_frame = laws_.size() == 6;
    const std::string row = laws_.size() == 1 ? "" : fmt::format(" along {}", "xyz"[i % 3]);
    check_law(laws_[i], is_frame ? (i < 3 ? "linear " : "angular ") : "", row, problems);
  }
  return problems;
}

ForcePtr elastic(ConstraintPtr coordinates, const Law& law) {
  return std::make_shared<Elastic>("elastic", std::move(coordinates), std::vector<Law>{law});
}
ForcePtr elastic_each(ConstraintPtr coordinates, std::vector<Law> laws) {
  return std::make_shared<Elastic>("elastic", std::move(coordinates), std::move(laws));
}

}  // namespace catena
