#include "sim/laws.h"

#include "catena/analysis.h"
#include "sim/impl.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace catena {
namespace {

constexpr double kJump = 1e-8;  // of a position, relative to the model's size: what drift control corrects
constexpr double kRateJump =
    1e-6;  // of a rate, relative to the rates around it and to the model's size per second
constexpr double kNarrowest = 8.0 * std::numeric_limits<double>::epsilon();  // bracket of a break, relative
constexpr int kMostHalvings = 100;
constexpr int kMostWindows = 10000;  // of a search over a whole run

const Mat3 kTurn = Eigen::AngleAxisd(1.0, Vec3(0.6, 0.48, 0.64)).toRotationMatrix();

double off_hermite(double fa, double ga, double fm, double fb, double gb, double h) {
  return std::abs(fm - 0.5 * (fa + fb) - 0.125 * h * (ga - gb));  // (1)
}

}  // namespace

LawWatch::LawWatch(const Layout& layout) : length_scale_(layout.length_scale) {
  std::size_t most_markers = 0, most_rows = 0;
  for (std::size_t c = 0; c < layout.constraints.size(); ++c) {
    const ConstraintSlot& slot = layout.constraints[c];
    if (!slot.constraint->depends_on_time()) continue;
    driven_.push_back(int(c));
    most_markers = std::max(most_markers, std::size_t(slot.num_markers()));
    most_rows = std::max(most_rows, std::size_t(slot.rows));
  }
  markers_.resize(most_markers);
  turned_.resize(most_markers);
  G_.resize(most_markers * most_rows * 6);
  for (Sample* one : {&a_, &quarter_, &middle_, &three_quarters_, &b_})
    for (VecX* part : {&one->C, &one->rate, &one->acceleration}) part->resize(2 * Eigen::Index(most_rows));
}

void LawWatch::hold(const Simulation::Impl& sim, const ConstraintSlot& slot) {
  slot_ = &slot;
  motion_ = {};
  motion_.planar = slot.planar;
  motion_.memory = {sim.state.memory.data() + slot.memory, std::size_t(slot.memory_size)};
  const auto attachments = slot.constraint->attachments();
  for (std::size_t k = 0; k < attachments.size(); ++k) {
    markers_[k] = sim.marker(attachments[k]);
    markers_[k].v.setZero();
    markers_[k].w.setZero();
    turned_[k] = markers_[k];
  }
  turned_[0].R = turned_[0].R * kTurn;
}

void LawWatch::sample(double time, Sample& out) {
  out.time = motion_.time = time;
  for (VecX* part : {&out.C, &out.rate, &out.acceleration}) part->setZero();
  const std::size_t num_markers = std::size_t(slot_->num_markers());
  for (int k = 0; k < 2; ++k) {
    std::ranges::fill(G_, 0.0);
    const int first = k * slot_->rows;
    Rows rows(slot_->rows, int(num_markers), out.C.data() + first, out.rate.data() + first,
              out.acceleration.data() + first, G_.data());
    motion_.at = {(k == 0 ? markers_ : turned_).data(), num_markers};
    slot_->constraint->evaluate(motion_, rows);
  }
}

/// (1) over what is let pass: above 1 there may be a jump. Numbers that are not finite are told by whoever needs them.
double LawWatch::suspicion(const Sample& a, const Sample& middle, const Sample& b) const {
  const double h = b.time - a.time;
  double most = 0.0;
  for (int k = 0; k < 2; ++k)
    for (int i = 0; i < slot_->rows; ++i) {
      const int r = k * slot_->rows + i;
      if (i < slot_->holonomic_rows)
        most = std::max(most, off_hermite(a.C[r], a.rate[r], middle.C[r], b.C[r], b.rate[r], h) /
                                  (kJump * length_scale_));
      const double rate = std::max({length_scale_, std::abs(a.rate[r]), std::abs(b.rate[r])});
      most = std::max(
          most, off_hermite(a.rate[r], a.acceleration[r], middle.rate[r], b.rate[r], b.acceleration[r], h) /
                    (kRateJump * rate));
    }
  return most;
}

std::optional<LawBreak> LawWatch::any_break(double begin, double end) {
  const auto half_way = [this](const Sample& a, const Sample& b, Sample& out) {
    sample(a.time + 0.5 * (b.time - a.time), out);
  };
  sample(begin, a_);
  sample(end, b_);
  half_way(a_, b_, middle_);
  if (!(suspicion(a_, middle_, b_) > 1.0)) return std::nullopt;
  const double narrowest = kNarrowest * std::max(std::abs(begin), std::abs(end));
  for (int k = 0; k < kMostHalvings && b_.time - a_.time > narrowest; ++k) {
    half_way(a_, middle_, quarter_);
    half_way(middle_, b_, three_quarters_);
    const double left = suspicion(a_, quarter_, middle_), right = suspicion(middle_, three_quarters_, b_);
    if (!(std::max(left, right) > 1.0)) return std::nullopt;
    if (left >= right) {
      std::swap(b_, middle_);
      std::swap(middle_, quarter_);
    } else {
      std::swap(a_, middle_);
      std::swap(middle_, three_quarters_);
    }
  }
  LawBreak found;
  found.before = a_.time;
  found.after = b_.time;
  for (int k = 0; k < 2; ++k)
    for (int i = 0; i < slot_->rows; ++i) {
      const int r = k * slot_->rows + i;
      if (i < slot_->holonomic_rows && std::abs(b_.C[r] - a_.C[r]) > kJump * length_scale_)
        found.is_of_position = true;
      found.rate_jump = std::max(found.rate_jump, std::abs(b_.rate[r] - a_.rate[r]));
    }
  return found;
}

LawBreak LawWatch::first_break(const Simulation::Impl& sim, double begin, double end) {
  LawBreak first;
  for (const int c : driven_) {
    hold(sim, sim.system->layout.constraints[std::size_t(c)]);
    std::optional<LawBreak> found;  // what is found may have another before it
    while (end > begin && (found = any_break(begin, end))) {
      first = *found;
      first.constraint = c;
      end = first.before;
    }
  }
  return first;
}

std::string describe(const Model& model, const LawBreak& at) {
  const std::string who = constraint_label(model, at.constraint);
  if (at.is_of_position)
    return fmt::format(
        "the law of {} jumps at t = {:.9g} s, which no body can follow: let it change over a time T, as "
        "smoothstep((t - t0)/T) does in place of step(t - t0)",
        who, at.after);
  return fmt::format(
      "the rate of the law of {} jumps by {:.3g} at t = {:.9g} s: an impulse takes the velocities along, its "
      "work is booked as driven",
      who, at.rate_jump, at.after);
}

std::vector<std::string> law_breaks(const Simulation& sim, double end, double dt, int most) {
  const Simulation::Impl& s = SimulationAccess::impl(sim);
  std::vector<std::string> out;
  LawWatch watch(s.system->layout);
  if (!watch.has_laws() || !(dt > 0.0)) return out;
  const double window = std::max(dt, (end - sim.time()) / kMostWindows);
  for (double from = sim.time(); from < end && int(out.size()) < most;) {
    const double until = std::min(end, from + window);
    const LawBreak found = watch.first_break(s, from, until);
    if (found.exists()) out.push_back(describe(s.model, found));
    from = found.exists() ? found.after : until;
  }
  return out;
}

}  // namespace catena
