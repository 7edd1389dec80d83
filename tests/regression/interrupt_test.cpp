// Interruption: every long operation can be stopped within 0.2 s of work, and what was stopped has not happened.
#include "catena/catena.h"
#include "support/mechanisms.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <functional>
#include <map>
#include <thread>

namespace catena {
namespace {

constexpr double kPromised = 0.2 * test::kSlowness;  // s of processor time

double thread_seconds() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return double(now.tv_sec) + 1e-9 * double(now.tv_nsec);
}

/// The longest piece of work between two questions.
template <class Work>
double longest_silence(Work&& work) {
  double last = thread_seconds(), longest = 0.0;
  const auto note = [&] {
    const double now = thread_seconds();
    longest = std::max(longest, now - last);
    last = now;
    return false;
  };
  {
    const InterruptScope scope(note);
    work();
  }
  note();
  return longest;
}

std::string example(const char* name) {
  return fmt::format("{}/examples/{}.yaml", CATENA_SOURCE_DIR, name);
}

TEST(Interrupt, WhatTakesLongAsksOften) {
  const std::string rows = R"(
bodies: [{repeat: {index: k, to: 60000}, entries: [{name: "p${k}", kind: particle, mass: 1, position: [k, sin(k), 0]}]}]
joints: [{repeat: {index: k, to: 59999}, entries: [{name: "d${k}", kind: distance, a: "p${k}", b: "p${k+1}"}]}]
)";
  Scene many, net;
  EXPECT_LT(longest_silence([&] { many = parse_scene(rows); }), kPromised) << "reading";
  EXPECT_LT(longest_silence([&] {
              net = load_scene(example("net-32"), {{"n", "70"}});
            }),
            kPromised)
      << "generating";
  std::optional<Simulation> sim;
  EXPECT_LT(longest_silence([&] { sim.emplace(make_simulation(many)); }), kPromised) << "a tree";
  EXPECT_LT(longest_silence([&] { sim.emplace(make_simulation(net)); }), kPromised) << "ordering";
  EXPECT_LT(longest_silence([&] { EXPECT_TRUE(sim->step(1e-3).ok()); }), kPromised) << "a step";
  EXPECT_LT(longest_silence([&] { (void)check(*sim); }), kPromised) << "check";
  EXPECT_LT(longest_silence([&] { (void)assemble(*sim); }), kPromised) << "assemble";
  net.options.integrator = Integrator::bdf2;
  EXPECT_LT(longest_silence([&] { EXPECT_TRUE(make_simulation(net).step(1e-3).ok()); }), kPromised)
      << "an implicit step";
  const Simulation small = make_simulation(load_scene(example("net-32"), {{"n", "16"}}));
  EXPECT_LT(longest_silence([&] { (void)compare(small); }), kPromised) << "compare";
}

struct Interrupting {
  const char* scene;
  Solver solver;
  Integrator integrator;
  double dt = 1e-3;
  std::map<std::string, std::string> set = {};
};

class Interruptions : public ::testing::TestWithParam<Interrupting> {
 protected:
  static constexpr int kSteps = 3;

  Simulation make() const {
    Scene scene = load_scene(example(GetParam().scene), GetParam().set);
    scene.options.solver = GetParam().solver;
    scene.options.integrator = GetParam().integrator;
    return make_simulation(scene);
  }

  /// The hash after some steps of which one was interrupted at this question, and taken again.
  static std::uint64_t hash_of_run(Simulation sim, int interrupted_at, bool& was_interrupted) {
    const double dt = GetParam().dt;
    int asked = 0;
    was_interrupted = false;
    for (int k = 0; k < kSteps; ++k) {
      const std::uint64_t before = sim.hash();
      try {
        const InterruptScope scope([&] { return ++asked == interrupted_at; });
        EXPECT_TRUE(sim.step(dt).ok());
      } catch (const Interrupted&) {
        was_interrupted = true;
        EXPECT_EQ(sim.hash(), before) << "question " << interrupted_at;
        EXPECT_TRUE(sim.step(dt).ok()) << "question " << interrupted_at;
      }
    }
    return sim.hash();
  }
};

// Wherever a step is interrupted, the state is that of its start, and the steps that follow are the same to the last bit.
TEST_P(Interruptions, LeaveNoTrace) {
  bool is_interrupted = false;
  const std::uint64_t undisturbed = hash_of_run(make(), -1, is_interrupted);
  ASSERT_FALSE(is_interrupted);
  int last = 0;
  for (int question = 1, stride = 1; question == 1 || is_interrupted; question += stride) {
    ASSERT_EQ(hash_of_run(make(), question, is_interrupted), undisturbed) << "question " << question;
    last = question;
    stride = 1 + question / 40;  // long iterations: not every turn of them
  }
  EXPECT_GT(last, 6);
}

INSTANTIATE_TEST_SUITE_P(
    Methods, Interruptions,
    ::testing::Values(
        Interrupting{"four-bar", Solver::automatic, Integrator::automatic},
        Interrupting{"four-bar", Solver::sparse, Integrator::bdf2},
        Interrupting{"four-bar", Solver::auxiliary, Integrator::generalised_alpha},
        Interrupting{"four-bar", Solver::cg, Integrator::rk4},
        Interrupting{"four-bar", Solver::sparse, Integrator::linearised_euler},
        Interrupting{"door-three-hinges", Solver::sparse, Integrator::rattle},
        Interrupting{"bricard", Solver::sparse, Integrator::tr_bdf2},
        Interrupting{"crane", Solver::automatic, Integrator::dormand_prince},
        Interrupting{"chain-stiff", Solver::automatic, Integrator::automatic, 1.0 / 60.0, {{"links", "10"}}}),
    [](const auto& chosen) {
      std::string text = fmt::format("{}_{}_{}", chosen.param.scene, name(chosen.param.solver),
                                     name(chosen.param.integrator));
      std::replace(text.begin(), text.end(), '-', '_');
      return text;
    });

/// Interrupts `act` at every question it asks: each time the state stays, and the act that follows ends as the undisturbed one.
template <class Act>
void expect_no_trace(const std::function<Simulation()>& make, Act&& act) {
  Simulation undisturbed = make();
  act(undisturbed);
  int interruptions = 0;
  for (bool is_interrupted = true; is_interrupted; interruptions += is_interrupted ? 1 : 0) {
    Simulation sim = make();
    const std::uint64_t before = sim.hash();
    int asked = 0;
    is_interrupted = false;
    try {
      const InterruptScope scope([&] { return ++asked == interruptions + 1; });
      act(sim);
    } catch (const Interrupted&) {
      is_interrupted = true;
      ASSERT_EQ(sim.hash(), before) << "question " << asked;
      act(sim);
    }
    ASSERT_EQ(sim.hash(), undisturbed.hash()) << "question " << interruptions + 1;
    ASSERT_TRUE(sim.step(1e-3).ok());
  }
  EXPECT_GT(interruptions, 1);
}

TEST(Interrupt, OfProjectionsAndBlowsLeaveNoTrace) {
  const auto make = [](const char* scene) {
    Simulation sim = make_simulation(load_scene(example(scene)));
    EXPECT_TRUE(sim.step(1e-3).ok());
    return sim;
  };
  for (const char* scene : {"four-bar", "bricard", "door-three-hinges"}) {
    SCOPED_TRACE(scene);
    const auto opened = [&] {
      Simulation sim = make(scene);
      State state = sim.state();
      state.q.head<3>() += Vec3(1e-3, -2e-3, 1e-3);
      sim.set_state(state);
      return sim;
    };
    expect_no_trace(opened, [](Simulation& sim) { EXPECT_TRUE(sim.project().ok()); });
    expect_no_trace(
        [&] { return make(scene); },
        [](Simulation& sim) {
          const BodyId body = sim.model().bodies()[0].id;
          EXPECT_TRUE(sim.apply_impulse(body, sim.placement(body).position, {0.1, 0.2, 0.3}).ok());
        });
  }
}

// What is announced once was lost with the report of a step that was interrupted.
TEST(Interrupt, AWarningIsToldByTheStepThatIsTakenAfterAll) {
  const Scene scene = parse_scene(R"(
bodies: [{name: p, kind: particle, mass: 1, position: [1, 0, 0]}, {name: r, kind: particle, mass: 1, position: [2, 0, 0]}]
forces:
  - {name: coil, kind: spring, a: p, point_b: [0, 0, 0], stiffness: 1e8, rest_length: 1}
  - {name: point, kind: spring, a: r, point_b: [2, 0, 0], stiffness: 1, rest_length: 1}
options: {integrator: rattle}
)");
  const std::string undisturbed = make_simulation(scene).step(1e-3).warning;
  ASSERT_NE(undisturbed.find("'coil'"), std::string::npos) << undisturbed;
  ASSERT_NE(undisturbed.find("'point'"), std::string::npos) << undisturbed;
  int question = 1;
  for (bool is_interrupted = true; is_interrupted; ++question) {
    Simulation sim = make_simulation(scene);
    int asked = 0;
    is_interrupted = false;
    try {
      const InterruptScope scope([&] { return ++asked == question; });
      (void)sim.step(1e-3);
    } catch (const Interrupted&) {
      is_interrupted = true;
      EXPECT_EQ(sim.step(1e-3).warning, undisturbed) << "question " << question;
    }
  }
  EXPECT_GT(question, 3);
}

TEST(Interrupt, AnActionOfAnEventIsNotInterrupted) {
  Simulation sim = make_simulation(parse_scene("bodies: [{name: p, kind: particle, mass: 1}]"));
  bool has_run = false;
  sim.add_event({.name = "now",
                 .value = [](const Simulation& s) { return s.time() - 5e-4; },
                 .action =
                     [&](Simulation&) {
                       allow_interruption();
                       has_run = true;
                     }});
  int asked = 0;
  bool at_event = false;
  for (int k = 1; !at_event && k < 10000; ++k) {
    asked = 0;
    try {
      const InterruptScope scope([&] { return ++asked == k; });
      at_event = !sim.step(1e-3).event.empty();
    } catch (const Interrupted&) {
      EXPECT_FALSE(has_run);
      EXPECT_EQ(sim.time(), 0.0);
    }
  }
  EXPECT_TRUE(at_event && has_run);
}

/// The command, and the processor time that it takes after a signal.
class Command {
 public:
  explicit Command(std::vector<std::string> words) {
    words.insert(words.begin(), CATENA_COMMAND);
    std::vector<char*> arguments;
    for (std::string& word : words) arguments.push_back(word.data());
    arguments.push_back(nullptr);
    child_ = fork();
    if (child_ == 0) {
      const int silent = ::open("/dev/null", O_WRONLY);
      dup2(silent, STDOUT_FILENO);
      dup2(silent, STDERR_FILENO);
      execv(arguments[0], arguments.data());
      _exit(127);
    }
  }

  /// Of the child so far, to 10 ms.
  double seconds() const {
    std::ifstream stat(fmt::format("/proc/{}/stat", child_));
    std::string word;
    for (int k = 0; k < 13; ++k) stat >> word;
    double user = 0.0, system = 0.0;
    stat >> user >> system;
    return (user + system) / double(sysconf(_SC_CLK_TCK));
  }

  struct End {
    int status = 0;  // as a shell shows it
    double seconds = 0.0;
  };
  End end_by(int signal) {
    siginfo_t ended{};
    while (seconds() < 0.3) {  // in the middle of it
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
      ended.si_pid = 0;
      waitid(P_PID, id_t(child_), &ended, WEXITED | WNOHANG | WNOWAIT);
      if (ended.si_pid != 0) break;  // too early: the status says so
    }
    const double before = seconds();
    kill(child_, signal);
    int raw = 0;
    rusage usage{};
    wait4(child_, &raw, 0, &usage);
    const auto of = [](const timeval& t) { return double(t.tv_sec) + 1e-6 * double(t.tv_usec); };
    return {WIFSIGNALED(raw) ? 128 + WTERMSIG(raw) : WEXITSTATUS(raw),
            of(usage.ru_utime) + of(usage.ru_stime) - before};
  }

 private:
  pid_t child_ = -1;
};

TEST(Interrupt, SignalsEndTheCommandInTheMiddleOfAStep) {
  const auto folder = std::filesystem::temp_directory_path() / fmt::format("catena-interrupt-{}", ::getpid());
  std::filesystem::create_directories(folder);
  const std::string scene = folder / "scene.yaml", rows = folder / "rows.csv";
  std::ofstream(scene) << R"(
bodies: [{name: bob, kind: particle, mass: 1, position: [1, 0, 0]}]
constraints: [{name: rod, kind: distance, a: bob, point_b: [0, 0, 0]}]
options: {integrator: dormand-prince, tolerance: 1e-12, max_internal_steps: 10000000}
)";
  for (const int signal : {SIGINT, SIGTERM}) {
    const Command::End end =
        Command({"run", scene, "--dt", "1e6", "--time", "1e6", "--out", rows}).end_by(signal);
    EXPECT_EQ(end.status, 128 + signal);
    EXPECT_LT(end.seconds, kPromised);
    EXPECT_GT(std::filesystem::file_size(rows), 50U);  // the start is written
    std::filesystem::remove(rows);
  }
  std::filesystem::remove_all(folder);
}

TEST(Interrupt, SignalsEndEverySubcommand) {
  const std::string net = example("net-32"), crane = example("crane");
  const std::vector<std::vector<std::string>> commands{{"run", net, "--set", "n=200"},
                                                       {"check", net, "--set", "n=200"},
                                                       {"compare", net, "--set", "n=200"},
                                                       {"assemble", net, "--set", "n=200"},
                                                       {"view", "--no-open", net, "--set", "n=200"},
                                                       {"converge", crane, "--time", "1000"},
                                                       {"bench", "loops"}};
  for (const auto& words : commands) {
    const Command::End end = Command(words).end_by(SIGTERM);
    EXPECT_EQ(end.status, 128 + SIGTERM) << words[0];
    EXPECT_LT(end.seconds, kPromised) << words[0];
  }
}

}  // namespace
}  // namespace catena
