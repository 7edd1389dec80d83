// A simulation under the hands of somebody who watches: plays at a pace, goes back, branches, is pulled, switched and rebuilt.
//
// No threads and no messages here: session.h has those. Everything that cannot be done is an InvalidInput; a refused step is kept
// for refusal().
#pragma once

#include "view/hand.h"
#include "view/past.h"

#include <chrono>
#include <set>
#include <utility>

namespace catena::app {

using Clock = std::chrono::steady_clock;

/// Why a step was refused, and who had to do with it.
struct Refusal {
  std::string message, body, joint;  // the names are empty when the message gives none
  std::uint64_t step = 0;
  double time = 0.0;
};

/// Seconds that the parts of the work take, smoothed.
struct Timing {
  double step = 0.0, record = 0.0, stream = 0.0;
};

/// Bodies that an edit moves before the rest is closed: by name, how far.
using Shifts = std::map<std::string, Vec3>;

class ViewPlayer {
 public:
  /// Throws InvalidInput when the scene cannot be simulated.
  ViewPlayer(Scene scene, std::size_t past_bytes);

  // ------------------------------------------------------------------------------------------------- what is there
  const Scene& scene() const { return scene_; }
  const Simulation& sim() const { return *sim_; }
  const Picture& picture() const { return picture_; }
  const CheckReport& report() const { return report_; }
  std::uint32_t revision() const { return revision_; }
  const std::vector<std::shared_ptr<bool>>& switches() const { return switches_; }
  const StepReport& last_step() const { return last_step_; }
  Timing timing;

  // ------------------------------------------------------------------------------------------------- new structure
  /// Another scene, from its start.
  void replace(Scene scene);
  /// A changed scene: bodies of the same name stay where they are and as fast, loops are closed. Throws and changes nothing when that
  /// cannot be done.
  void change(Scene scene, const Shifts& shifts = {});

  // ----------------------------------------------------------------------------------------------------------- time
  bool is_playing() const { return playing_; }
  bool is_live() const { return shown_ == kLive; }
  double speed() const { return speed_; }
  /// Simulated seconds per second of the clock, smoothed; 0 when it stands.
  double real_time_factor() const { return playing_ ? factor_ : 0.0; }
  double recorded_from() const { return past_.empty() ? sim_->time() : past_.from(); }
  double recorded_to() const { return past_.empty() ? sim_->time() : std::max(past_.to(), live_time()); }
  void play();
  void pause();
  void set_speed(double speed);
  void step(int count);
  void reset();
  void seek(double time);
  /// Continues from the shown past; what came after is forgotten.
  void branch();
  /// Moves on to what the clock says, at most until `end`. Returns whether anything moved.
  bool run(Clock::time_point end, const std::function<bool()>& is_interrupted);
  /// Where the clock stands for the present state: when the next step is due.
  bool is_ahead(Clock::time_point now) const;
  /// Notes the present state in the past.
  void record();
  std::optional<Refusal> take_refusal();
  std::vector<std::string> take_events();

  // ---------------------------------------------------------------------------------------------------------- hands
  bool is_kinematic() const { return kinematic_; }
  void set_kinematic(bool on);
  /// While time runs a spring pulls. While it stands, and in kinematic mode, the mechanism is posed: the point goes where the hand is, exactly,
  /// everything comes to rest there, and no time goes by.
  /// @param local where the pointer met the body; particles are pulled at their centre and planar bodies in their plane
  void grab(int body, const Vec3& local, const Vec3& target);
  void drag(const Vec3& pointer);
  void release();
  struct Hand {
    int body = -1;
    Attachment at;
    PullPtr pull;
    bool is_posing = false;  // by a nail, without inertia; else by a spring
    double numerical = 0.0;  // energy that was unexplained before it posed   J
    Vec3 offset =
        Vec3::Zero();  // from the point that is pulled to where the pointer met the skin, world axes   m
  };
  const std::optional<Hand>& hand() const { return hand_; }
  Vec3 hand_force() const;

  /// An impulse at a point of a body, passed through all joints at once, and what the hand that gave it felt.
  struct Blow {
    int body = -1;
    Vec3 point = Vec3::Zero();    // world, m
    Vec3 impulse = Vec3::Zero();  // N·s
    Vec3 change = Vec3::Zero();   // of the point's velocity   m/s
    double mass = 0.0;  // that it met: impulse over the change along it; 0 where nothing gave way   kg
    double work = 0.0;  // J
    double time = 0.0;  // s
  };
  void strike(int body, const Vec3& local, const Vec3& impulse);
  /// As hard as it takes to send the point to the target in a fifth of a second, where it yields most.
  void strike_towards(int body, const Vec3& local, const Vec3& target);
  const std::optional<Blow>& last_blow() const { return blow_; }
  /// Pulls a body to a pose by springs; an empty pose lets it go.
  void set_target(const std::string& body, const std::optional<Placement>& pose);
  void switch_force(const std::string& name, bool on);
  void command(const std::string& force, const std::vector<double>& values);

 private:
  static constexpr std::size_t kLive = std::size_t(-1);
  void install(Scene scene, Simulation sim, std::vector<std::shared_ptr<bool>> switches);
  void look_at_structure();
  void anchor();
  double due_time(Clock::time_point now) const;
  double live_time() const { return is_live() ? sim_->time() : live_.time; }
  double step_size() const;
  bool step_once();
  void build_again();
  bool take_step(double dt);
  bool play_past(Clock::time_point now);
  bool move_kinematically(double dt);
  bool would_pose() const { return kinematic_ || !playing_; }
  void by_hand(const std::function<void()>& move);
  void require_body(const char* what, int body) const;
  void take_hold(Hand hand, const Vec3& target);
  void drag_to(const Vec3& pointer);
  void change_grip();
  bool pose_at(const State& still, const Vec3& target);
  void approach(const Vec3& target);
  void set_nail(bool on);
  void show(std::size_t index);
  void return_to_live();
  void follow_broken_joint();
  void apply_switches();
  void note_refusal(const std::string& message);

  Scene scene_;
  std::optional<Simulation> sim_;
  std::vector<std::shared_ptr<bool>> switches_;
  std::set<std::string> switched_off_;
  Picture picture_;
  CheckReport report_;
  std::uint32_t revision_ = 0;
  std::size_t num_constraints_ = 0;  // as drawn; breaking joints change it

  Past past_;
  State start_, live_;
  std::size_t shown_ = kLive;  // position in the past, or live
  bool playing_ = false;
  double speed_ = 1.0, factor_ = 0.0;
  Clock::time_point anchor_wall_;
  double anchor_time_ = 0.0;
  Clock::time_point factor_wall_;
  double factor_time_ = 0.0;

  bool kinematic_ = false;
  std::optional<Hand> hand_;
  std::optional<Blow> blow_;
  std::map<std::string, PullPtr> targets_;
  StepReport last_step_;
  std::optional<Refusal> refusal_;
  std::vector<std::string> events_;
};

/// The scene's model with the motion of a running simulation: start values of the bodies that both know by name.
void carry_motion(const Simulation& from, Model& to, const Shifts& shifts);

}  // namespace catena::app
