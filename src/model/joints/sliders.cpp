// Joints that leave a translation: slider, driven slider and cylindrical along z of b, planar across it.
//
//   slider          plane rows along x_b, y_b; 3 dot rows       plane: plane row along n, dot row z_a·n
//   cylindrical     plane rows along x_b, y_b; x_a·z_b, y_a·z_b plane: does not exist
//   planar          plane row along z_b; x_a·z_b, y_a·z_b       plane: does not exist
//   driven slider   the same as slider and C = z_b·ρ - s(t)               plane: the same
//
// ρ = x_a - x_b; in the plane n = z_world × z_b. Linear rows come first (LowerPair), they act at marker a.
#include "catena/joints.h"
#include "model/checks.h"
#include "model/joints/joint_base.h"
#include "model/joints/rows.h"

namespace catena {
namespace {

class Slider final : public FramePairConstraint {
 public:
  using FramePairConstraint::FramePairConstraint;
  std::string_view kind() const override { return "slider"; }
  int num_rows(bool planar) const override { return planar ? 2 : 5; }
  LowerPair lower_pair(bool planar) const override { return planar ? LowerPair{} : LowerPair{2, 3, true}; }
  void evaluate(const Motion& motion, Rows& rows) const override {
    const Marker &a = motion.at[0], &b = motion.at[1];
    if (motion.planar) {
      const Vec3 n = perpendicular_in_plane(b.R.col(2));
      write_plane_row(rows, 0, a, b, n);
      write_dot_row(rows, 1, a, a.R.col(2), b, n);
    } else {
      write_plane_row(rows, 0, a, b, b.R.col(0));
      write_plane_row(rows, 1, a, b, b.R.col(1));
      write_alignment_rows(rows, 2, a, b);
    }
  }
  std::vector<std::string> validate(bool planar) const override {
    Problems problems;
    if (planar) check_axes_in_plane(*this, problems);
    return problems;
  }
};

class Cylindrical final : public FramePairConstraint {
 public:
  using FramePairConstraint::FramePairConstraint;
  std::string_view kind() const override { return "cylindrical"; }
  int num_rows(bool) const override { return 4; }
  LowerPair lower_pair(bool) const override { return {2, 2, true}; }
  void evaluate(const Motion& motion, Rows& rows) const override {
    const Marker &a = motion.at[0], &b = motion.at[1];
    write_plane_row(rows, 0, a, b, b.R.col(0));
    write_plane_row(rows, 1, a, b, b.R.col(1));
    write_axis_rows(rows, 2, a, b);
  }
  std::vector<std::string> validate(bool planar) const override {
    Problems problems;
    check_in_space("a cylindrical joint", planar, problems);
    return problems;
  }
};

class Planar final : public FramePairConstraint {
 public:
  using FramePairConstraint::FramePairConstraint;
  std::string_view kind() const override { return "planar"; }
  int num_rows(bool) const override { return 3; }
  LowerPair lower_pair(bool) const override { return {1, 2, true}; }
  void evaluate(const Motion& motion, Rows& rows) const override {
    const Marker &a = motion.at[0], &b = motion.at[1];
    write_plane_row(rows, 0, a, b, b.R.col(2));
    write_axis_rows(rows, 1, a, b);
  }
  std::vector<std::string> validate(bool planar) const override {
    Problems problems;
    check_in_space("a planar joint", planar, problems);
    return problems;
  }
};

void write_travel_row(Rows& rows, int row, const Marker& a, const Marker& b, const Jet& travel) {
  write_plane_row(rows, row, a, b, b.R.col(2));
  rows.C(row) -= travel.value;
  rows.C_t(row) = -travel.rate;
  rows.gamma(row) -= travel.acceleration;
}

class DrivenSlider final : public FramePairConstraint {
 public:
  DrivenSlider(const AttachmentPair& at, TimeFunction travel)
      : FramePairConstraint(at), travel_(std::move(travel)) {}
  std::string_view kind() const override { return "driven_slider"; }
  int num_rows(bool planar) const override { return planar ? 3 : 6; }
  bool depends_on_time() const override { return true; }
  LowerPair lower_pair(bool planar) const override { return planar ? LowerPair{} : LowerPair{3, 3, true}; }
  void evaluate(const Motion& motion, Rows& rows) const override {
    const Marker &a = motion.at[0], &b = motion.at[1];
    const Jet travel = travel_(motion.time);
    if (motion.planar) {
      const Vec3 n = perpendicular_in_plane(b.R.col(2));
      write_plane_row(rows, 0, a, b, n);
      write_travel_row(rows, 1, a, b, travel);
      write_dot_row(rows, 2, a, a.R.col(2), b, n);
    } else {
      write_plane_row(rows, 0, a, b, b.R.col(0));
      write_plane_row(rows, 1, a, b, b.R.col(1));
      write_travel_row(rows, 2, a, b, travel);
      write_alignment_rows(rows, 3, a, b);
    }
  }
  std::vector<std::string> validate(bool planar) const override {
    Problems problems;
    check_function("travel", travel_, problems);
    if (planar) check_axes_in_plane(*this, problems);
    return problems;
  }

 private:
  TimeFunction travel_;
};

}  // namespace

ConstraintPtr slider(const AttachmentPair& at) {
  return std::make_shared<Slider>(at);
}
ConstraintPtr cylindrical(const AttachmentPair& at) {
  return std::make_shared<Cylindrical>(at);
}
ConstraintPtr planar(const AttachmentPair& at) {
  return std::make_shared<Planar>(at);
}
ConstraintPtr driven_slider(const AttachmentPair& at, TimeFunction travel) {
  return std::make_shared<DrivenSlider>(at, std::move(travel));
}

}  // namespace catena
