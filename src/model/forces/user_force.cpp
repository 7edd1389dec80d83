// A user's function as a force.
//
// With a potential the function is taken as its negative gradient and books no work of its own; without one all its power,
//   P = Σ_k (F_k·v_k + τ_k·ω_k)  over its markers,                                                           (1)
// is nonconservative.
#include "catena/force.h"
#include "model/checks.h"

#include <fmt/format.h>

#include <array>

namespace catena {
namespace {

constexpr std::size_t kMostMarkers = 16;  // the wrenches of (1) are kept on the stack

class UserForce final : public Force {
 public:
  UserForce(std::vector<Attachment> attachments, std::function<void(const Motion&, Wrenches&)> function,
            UserForceTraits traits)
      : Force(std::move(attachments)), function_(std::move(function)), traits_(std::move(traits)) {}
  std::string_view kind() const override { return "user_force"; }
  Account account() const override { return traits_.account; }
  bool depends_on_velocity() const override { return traits_.depends_on_velocity; }
  bool needs_orientation() const override { return traits_.needs_orientation; }
  void apply(const Motion& motion, Wrenches& wrenches) const override { function_(motion, wrenches); }
  double potential(const Motion& motion) const override {
    return traits_.potential ? traits_.potential(motion) : 0.0;
  }
  double nonconservative_power(const Motion& motion) const override {
    if (traits_.potential) return 0.0;
    std::array<Eigen::Matrix<double, 6, 1>, kMostMarkers> values;
    for (std::size_t k = 0; k < motion.at.size(); ++k) values[k].setZero();
    Wrenches wrenches({values.data(), motion.at.size()});
    function_(motion, wrenches);
    double power = 0.0;
    for (std::size_t k = 0; k < motion.at.size(); ++k)  // (1)
      power += values[k].head<3>().dot(motion.at[k].v) + values[k].tail<3>().dot(motion.at[k].w);
    return power;
  }
  std::vector<std::string> validate() const override {
    Problems problems;
    if (!function_) problems.push_back("the function is empty; pass one that adds wrenches");
    if (attachments().empty() || attachments().size() > kMostMarkers)
      problems.push_back(fmt::format("needs 1 to {} attachments, got {}; split it into several forces",
                                     kMostMarkers, attachments().size()));
    return problems;
  }

 private:
  std::function<void(const Motion&, Wrenches&)> function_;
  UserForceTraits traits_;
};

}  // namespace

ForcePtr user_force(std::vector<Attachment> attachments,
                    std::function<void(const Motion&, Wrenches&)> function, UserForceTraits traits) {
  return std::make_shared<UserForce>(std::move(attachments), std::move(function), std::move(traits));
}

}  // namespace catena
