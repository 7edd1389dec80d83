// What the command answered wrongly, or not at all, and must not again.
#include "support/files.h"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <sys/wait.h>
#include <unistd.h>

namespace {

using nlohmann::json;

std::filesystem::path answers_folder() {
  const auto folder = std::filesystem::temp_directory_path() / fmt::format("catena-answers-{}", ::getpid());
  std::filesystem::create_directories(folder);
  return folder;
}

struct Answer {
  int status = -1;
  std::string out, err;
  bool says(const std::string& text) const {
    return out.find(text) != std::string::npos || err.find(text) != std::string::npos;
  }
};

Answer ask_catena(const std::string& arguments) {
  const auto out = answers_folder() / "stdout", err = answers_folder() / "stderr";
  const int raw = std::system(
      fmt::format("'{}' {} >'{}' 2>'{}'", CATENA_COMMAND, arguments, out.string(), err.string()).c_str());
  return {WIFEXITED(raw) ? WEXITSTATUS(raw) : 128 + WTERMSIG(raw), catena::test::read_all(out),
          catena::test::read_all(err)};
}

std::string scene_of(const std::string& name) {
  return fmt::format("'{}/examples/{}.yaml'", CATENA_SOURCE_DIR, name);
}

std::string scene_file(const std::string& name, const std::string& text) {
  const auto file = answers_folder() / name;
  std::ofstream(file, std::ios::binary) << text;
  return fmt::format("'{}'", file.string());
}

TEST(CommandAnswers, LoopsThroughTheWorldAreLoops) {
  const auto loops = [](const std::string& scene) {
    return json::parse(ask_catena("check --json " + scene).out)["loops"].get<int>();
  };
  EXPECT_EQ(loops(scene_of("four-bar")), 1);
  EXPECT_EQ(loops(scene_of("door-three-hinges")), 2);
  EXPECT_EQ(loops(scene_of("double-pendulum")), 0);
  // five four-bars side by side: five loops, none of them through another
  EXPECT_EQ(loops(scene_of("n-four-bar") + " --set N=5"), 5);
  const Answer text = ask_catena("check " + scene_of("four-bar"));
  EXPECT_TRUE(text.says("1 part, 1 loop\n")) << text.out;
}

TEST(CommandAnswers, RedundantRowsOfTheSameJointsAreOneLine) {
  const Answer answer = ask_catena("check " + scene_of("four-bar"));
  std::size_t lines = 0;
  for (std::size_t at = answer.out.find("repeats what"); at != std::string::npos;
       at = answer.out.find("repeats what", at + 1))
    ++lines;
  EXPECT_EQ(lines, 1u) << answer.out;
  EXPECT_TRUE(answer.says("(3 rows: ")) << answer.out;
  for (const char* direction : {"force along z", "torque about x", "torque about y"})
    EXPECT_TRUE(answer.says(direction)) << direction << " in\n" << answer.out;
}

TEST(CommandAnswers, AMisspeltSubcommandIsToldTheNearestOne) {
  for (const auto& [word, meant] :
       {std::pair{"chekc", "check"}, {"rum", "run"}, {"veiw", "view"}, {"converg", "converge"}}) {
    const Answer answer = ask_catena(std::string(word) + " " + scene_of("four-bar"));
    EXPECT_EQ(answer.status, 2);
    EXPECT_TRUE(answer.says(fmt::format("there is no '{}'", word))) << answer.err;
    EXPECT_TRUE(answer.says(fmt::format("did you mean 'catena {}'?", meant))) << answer.err;
  }
  EXPECT_TRUE(ask_catena("xylophone").says("one of: run, check"));
  EXPECT_TRUE(ask_catena(scene_of("four-bar")).says("catena run "));
  EXPECT_TRUE(ask_catena("bench barafff").says("did you mean 'baraff'?"));
}

TEST(CommandAnswers, BenchWithoutANameListsTheNames) {
  const Answer answer = ask_catena("bench");
  EXPECT_EQ(answer.status, 0) << answer.err;
  for (const char* name : {"baraff", "witkin", "payload", "linear"}) EXPECT_TRUE(answer.says(name)) << name;
}

TEST(CommandAnswers, GltfWithASuffixThatNoProgramReadsIsRefusedBeforeTheRun) {
  const auto file = answers_folder() / "motion.txt";
  const Answer answer =
      ask_catena(fmt::format("run {} --steps 5 --gltf '{}'", scene_of("four-bar"), file.string()));
  EXPECT_EQ(answer.status, 2);
  EXPECT_TRUE(answer.says("does not end in .glb") && answer.says("motion.glb")) << answer.err;
  EXPECT_FALSE(std::filesystem::exists(file));
}

TEST(CommandAnswers, OfARunRefusedAtItsFirstStepThereIsNoSummary) {
  // a nail that moves and one that stands: no step can begin
  const std::string scene = scene_file("torn.yaml", R"(
bodies: [{name: bob, kind: particle, mass: 1, position: [1, 0, 0]}]
joints: [{kind: nail, a: bob, target: [1 + 0.5*t, 0, 0]}, {kind: nail, a: bob}]
)");
  const Answer answer = ask_catena("run " + scene + " --steps 5");
  ASSERT_EQ(answer.status, 3) << answer.out << answer.err;
  EXPECT_EQ(answer.out, "");
  EXPECT_TRUE(answer.says("error")) << answer.err;
}

TEST(CommandAnswers, ConvergeBelievesAnAdaptiveIntegratorWhoseErrorsFallWithTheTolerance) {
  // the last two levels of this one differ by a step more or less, which is no failure to converge
  const Answer falling =
      ask_catena("converge " + scene_of("atwood") + " --integrator dormand-prince --time 2 --json --quiet");
  EXPECT_EQ(falling.status, 0) << falling.out;
  // here the coarse levels are equal, and the fine ones differ by less than the tolerance
  const Answer below = ask_catena("converge " + scene_of("chaplygin-sleigh") +
                                  " --integrator dormand-prince --time 2 --json --quiet");
  EXPECT_EQ(below.status, 0) << below.out;
  // chaos is still called so
  const Answer chaos =
      ask_catena("converge " + scene_of("n-pendulum") + " --integrator dormand-prince --quiet");
  EXPECT_EQ(chaos.status, 1) << chaos.out;
}

TEST(CommandAnswers, AMistakeInABodyIsNotHiddenByWhatIsCoupledToIt) {
  for (const char* coupling :
       {"{kind: differential, a: a, b: b, carrier: c, axis: [0, 0, 1]}",
        "{kind: rack, a: a, b: b, carrier: c, axis: [0, 0, 1], radius: 0.1}",
        "{kind: drum, a: c, b: b, axis: [0, 0, 1], radius: 0.1}", "{kind: rolling, a: c, b: b, radius: 1}"}) {
    const std::string scene = scene_file("coupled.yaml", fmt::format(R"(
bodies:
  - {{name: a, kind: rigid, mass: 1, shape: {{kind: sphere, radius: 1}}}}
  - {{name: b, kind: rigid, mass: 1, shape: {{kind: sphere, radius: 1}}}}
  - {{name: c, mass: 1}}
joints: [{}]
)",
                                                                     coupling));
    const Answer answer = ask_catena("check " + scene);
    EXPECT_EQ(answer.status, 2);
    EXPECT_TRUE(answer.says("coupled.yaml:5:")) << coupling << "\n" << answer.err;
    EXPECT_FALSE(answer.says("the table of")) << coupling << "\n" << answer.err;
  }
}

// A ball between two walls that are 1 m apart, 10 km/s fast: 10,000 blows in a second.
TEST(CommandAnswers, ARunEndsWhereOneStepHasAThousandEvents) {
  const std::string scene = scene_file("walls.yaml", R"(
gravity: [0, 0, 0]
bodies: [{name: ball, kind: particle, mass: 1, position: [0.5, 0, 0], velocity: [1e4, 0, 0]}]
probes: [{name: x, quantity: position, body: ball, component: x}]
events:
  - {name: right, probe: x, rises_above: 1, impulse: {body: ball, impulse: [-2e4, 0, 0]}}
  - {name: left, probe: x, falls_below: 0, impulse: {body: ball, impulse: [2e4, 0, 0]}}
options: {integrator: rk4}
)");
  const Answer many = ask_catena(fmt::format("run {} --dt 1 --time 1", scene));
  EXPECT_EQ(many.status, 3) << many.err;
  EXPECT_TRUE(many.says("was cut short by 1000 events") && many.says("--dt")) << many.err;
  const Answer few = ask_catena(fmt::format("run {} --dt 0.05 --time 0.05", scene));
  EXPECT_EQ(few.status, 0) << few.err;
}

}  // namespace
