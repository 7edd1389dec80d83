// The command as a shell sees it: what it prints, where, and with which exit status.
#include "support/files.h"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>

namespace {

using catena::test::read_all;
using nlohmann::json;

std::filesystem::path scratch() {
  const auto folder = std::filesystem::temp_directory_path() / fmt::format("catena-command-{}", ::getpid());
  std::filesystem::create_directories(folder);
  return folder;
}

std::string write_scratch(const std::string& name, const std::string& text) {
  const auto file = scratch() / name;
  std::ofstream(file, std::ios::binary) << text;
  return file.string();
}

struct Output {
  int status = -1;
  std::string out, err;
};

Output catena(const std::string& arguments) {
  const auto out = scratch() / "stdout", err = scratch() / "stderr";
  const std::string line =
      fmt::format("'{}' {} >'{}' 2>'{}'", CATENA_COMMAND, arguments, out.string(), err.string());
  const int raw = std::system(line.c_str());
  return {WIFEXITED(raw) ? WEXITSTATUS(raw) : 128 + WTERMSIG(raw), read_all(out), read_all(err)};
}

std::string example(const std::string& name) {
  return fmt::format("'{}/examples/{}.yaml'", CATENA_SOURCE_DIR, name);
}

TEST(Command, HelpAndVersionSucceed) {
  for (const char* arguments : {"--help", "run --help", "check --help", "compare --help", "converge --help",
                                "bench --help", "schema --help"}) {
    const Output result = catena(arguments);
    EXPECT_EQ(result.status, 0) << arguments;
    EXPECT_NE(result.out.find("Example"), std::string::npos) << arguments;
  }
  EXPECT_EQ(catena("--version").out.rfind("catena ", 0), 0u);
}

TEST(Command, RunJsonHasEveryDocumentedField) {
  const Output result = catena("run " + example("double-pendulum") + " --steps 50 --json");
  ASSERT_EQ(result.status, 0) << result.err;
  const json object = json::parse(result.out);
  for (const char* key :
       {"time", "steps", "wall_seconds", "real_time_factor", "formulation", "solver", "integrator", "energy",
        "constraint_error", "probes", "hash", "ledger", "warnings", "status", "message"})
    EXPECT_TRUE(object.contains(key)) << key;
  for (const char* key : {"initial", "final", "max_drift"})
    EXPECT_TRUE(object["energy"].contains(key)) << key;
  for (const char* key : {"max", "final"}) EXPECT_TRUE(object["constraint_error"].contains(key)) << key;
  EXPECT_EQ(object["formulation"], "maximal");
  EXPECT_EQ(object["status"], "done");
  EXPECT_EQ(object["steps"], 50);
  EXPECT_EQ(object["hash"].get<std::string>().size(), 16u);
}

TEST(Command, LedgerSumsToTheChangeOfKineticEnergy) {
  const Output result = catena("run " + example("double-pendulum") + " --time 1 --json");
  ASSERT_EQ(result.status, 0) << result.err;
  const json object = json::parse(result.out);
  double sum = 0.0;
  for (const auto& work : object["ledger"]) sum += work.get<double>();
  EXPECT_NEAR(sum, object["energy"]["kinetic"].get<double>(), 1e-9 * object["energy"]["scale"].get<double>());
}

TEST(Command, ARestoredRunEndsWithTheHashOfAnUninterruptedOne) {
  const std::string model = example("double-pendulum"), file = (scratch() / "half.bin").string();
  const json whole = json::parse(catena("run " + model + " --steps 200 --json").out);
  const Output first = catena(fmt::format("run {} --steps 100 --checkpoint '{}' --quiet", model, file));
  EXPECT_EQ(first.status, 0) << first.err;
  EXPECT_EQ(first.out, "");
  const json rest =
      json::parse(catena(fmt::format("run {} --steps 100 --restore '{}' --json", model, file)).out);
  EXPECT_EQ(whole["hash"], rest["hash"]);
  EXPECT_EQ(whole["energy"]["final"], rest["energy"]["final"]);

  // a checkpoint that was cut off, or belongs to another scene, is refused
  write_scratch("cut.bin", read_all(file).substr(0, 40));
  for (const std::string& arguments :
       {fmt::format("run {} --steps 1 --restore '{}'", model, (scratch() / "cut.bin").string()),
        fmt::format("run {} --steps 1 --restore '{}'", example("spinning-top"), file),
        fmt::format("run {} --steps 1 --restore '{}'", model, (scratch() / "absent.bin").string())}) {
    const Output result = catena(arguments);
    EXPECT_EQ(result.status, 2) << arguments;
    EXPECT_NE(result.err.find("error"), std::string::npos);
  }
}

TEST(Command, WritesRowsAndPictures) {
  const auto folder = scratch() / "pictures";
  const Output result =
      catena(fmt::format("run {} --steps 100 --record-every 10 --out '{}' --svg '{}'",
                         example("double-pendulum"), (folder / "rows.csv").string(), folder.string()));
  ASSERT_EQ(result.status, 0) << result.err;
  const std::string rows = read_all(folder / "rows.csv");
  EXPECT_EQ(std::count(rows.begin(), rows.end(), '\n'), 1 + 11);
  for (const char* picture : {"energy.svg", "constraint-error.svg", "film-strip.svg"}) {
    const std::string svg = read_all(folder / picture);
    EXPECT_EQ(svg.rfind("<?xml", 0), 0u) << picture;
    EXPECT_EQ(svg.find("nan"), std::string::npos) << picture;
  }
}

TEST(Command, WritesRowsForNumPyWhereTheFileIsCalledNpz) {
  const auto file = scratch() / "rows.npz";
  const Output result = catena(fmt::format("run {} --steps 100 --record-every 10 --out '{}'",
                                           example("double-pendulum"), file.string()));
  ASSERT_EQ(result.status, 0) << result.err;
  EXPECT_NE(result.out.find("rows.npz (11 rows)"), std::string::npos) << result.out;
  const std::string bytes = read_all(file);
  EXPECT_EQ(bytes.rfind("PK", 0), 0u);
  for (const char* array : {"time.npy", "energy/total.npy", "probes/upper.npy", "bodies/lower/position.npy"})
    EXPECT_NE(bytes.find(array), std::string::npos) << array;
  EXPECT_NE(bytes.find("'shape': (11, 3)"), std::string::npos);
}

TEST(Command, ADurationThatIsNoMultipleOfTheStepIsMetExactly) {
  const json object =
      json::parse(catena("run " + example("double-pendulum") + " --time 0.1 --dt 0.03 --json").out);
  EXPECT_EQ(object["steps"], 4);
  EXPECT_NEAR(object["time"].get<double>(), 0.1, 1e-12);
  const json divided =
      json::parse(catena("run " + example("double-pendulum") + " --time 0.1 --steps 8 --json").out);
  EXPECT_NEAR(divided["dt"].get<double>(), 0.0125, 1e-15);
}

TEST(Command, BadValuesAreRejectedWithAMessageAndStatus2) {
  const std::string model = example("double-pendulum");
  const std::string empty = write_scratch("empty.yaml", ""),
                    binary = write_scratch("binary.yaml", std::string("\x7f\x00\xff\xfe", 4));
  const std::vector<std::string> bad = {"",
                                        "walk",
                                        "run",
                                        "run /nonexistent.yaml",
                                        "run '" + scratch().string() + "'",
                                        "run '" + empty + "'",
                                        "run '" + binary + "'",
                                        "run " + model + " --dt 0",
                                        "run " + model + " --dt -1",
                                        "run " + model + " --dt nan",
                                        "run " + model + " --dt 1e300",
                                        "run " + model + " --dt inf",
                                        "run " + model + " --dt abc",
                                        "run " + model + " --dt ''",
                                        "run " + model + " --dt 1/0",
                                        "run " + model + " --time 0",
                                        "run " + model + " --time -3",
                                        "run " + model + " --time 1e300",
                                        "run " + model + " --steps 0",
                                        "run " + model + " --steps 1.5",
                                        "run " + model + " --steps 1e12",
                                        "run " + model + " --time 1e6 --dt 1e-9",
                                        "run " + model + " --time 1 --dt 0.1 --steps 3",
                                        "run " + model + " --record-every 0",
                                        "run " + model + " --solver best",
                                        "run " + model + " --integrator euler",
                                        "run " + model + " --drift away",
                                        "run " + model + " --set",
                                        "run " + model + " --set x",
                                        "run " + model + " --set =1",
                                        "run " + model + " --set no_such_parameter=1",
                                        "run " + model + " --bodies some",
                                        "run " + model + " --unknown",
                                        "run " + model + " --steps 1 --out '" + empty + "/below-a-file.csv'",
                                        "run " + model + " --steps 1 --svg '" + empty + "/below-a-file'",
                                        "check /nonexistent.yaml",
                                        "compare /nonexistent.yaml",
                                        "bench nothing",
                                        "bench linear --links 0",
                                        "bench linear --links x",
                                        "bench linear --joint rubber",
                                        "bench linear --step rk4",
                                        "bench linear --repeats -1",
                                        "bench payload --chain 7"};
  for (const std::string& arguments : bad) {
    const Output result = catena(arguments);
    EXPECT_EQ(result.status, 2) << "catena " << arguments << "\n" << result.err;
    EXPECT_NE(result.err, "") << "catena " << arguments;
    EXPECT_EQ(result.out, "") << "catena " << arguments;
    EXPECT_EQ(result.err.find("terminate"), std::string::npos) << "catena " << arguments << "\n"
                                                               << result.err;
  }
}

TEST(Command, TooManyStepsAreRefusedWithTheirNumber) {
  const Output result = catena("run " + example("double-pendulum") + " --time 1e6 --dt 1e-9");
  EXPECT_EQ(result.status, 2);
  EXPECT_NE(result.err.find("1e+15"), std::string::npos) << result.err;
}

TEST(Command, ARefusedStepLeavesItsReportAndStatus3) {
  // steps of ten seconds cannot follow a pendulum; the solver says so instead of showing garbage
  const auto file = scratch() / "refused.csv";
  const Output result = catena(
      fmt::format("run {} --dt 10 --steps 50 --json --out '{}'", example("double-pendulum"), file.string()));
  ASSERT_EQ(result.status, 3) << result.out << result.err;
  const json object = json::parse(result.out);
  EXPECT_EQ(object["status"], "refused");
  EXPECT_NE(object["message"].get<std::string>().find("t = "), std::string::npos);
  EXPECT_NE(result.err.find("refused"), std::string::npos);
  const std::string rows = read_all(file);
  EXPECT_GE(std::count(rows.begin(), rows.end(), '\n'), 2);
}

TEST(Command, CheckSaysWhatIsInAScene) {
  const Output result = catena("check " + example("tree-127") + " --json");
  ASSERT_EQ(result.status, 0) << result.err;
  const json object = json::parse(result.out);
  EXPECT_EQ(object["constraints"], 127);
  EXPECT_EQ(object["rows"], 381);
  EXPECT_EQ(object["redundant_rows"], 0);
  EXPECT_EQ(object["loops"], 0);
  for (const char* key : {"bodies", "dof", "warnings"}) EXPECT_TRUE(object.contains(key)) << key;
}

TEST(Command, GraphOfSixBodiesHasNoFill) {
  const json object = json::parse(catena("check " + example("six-body") + " --graph --json").out);
  EXPECT_EQ(object["graph"]["fill_blocks"], 0);
  const auto& nodes = object["graph"]["nodes"];
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    const int parent = nodes[i]["parent"];
    EXPECT_TRUE(parent < 0 || parent > int(i)) << nodes[i];
  }
  const Output text = catena("check " + example("six-body") + " --graph");
  EXPECT_NE(text.out.find("0 of them fill"), std::string::npos) << text.out;
}

TEST(Command, CompareAgreesOnATreeAndOnLoops) {
  for (const char* name : {"tree-127", "truss-bridge"}) {
    const Output result = catena("compare " + example(name) + " --repeats 1 --json");
    EXPECT_EQ(result.status, 0) << result.out << result.err;
    EXPECT_TRUE(json::parse(result.out)["agree"].get<bool>()) << name;
  }
}

TEST(Command, ConvergeObservesTheOrderOfEveryIntegrator) {
  struct Case {
    const char *integrator, *dt, *verdict;
    double order;
  };
  for (const Case& c : {Case{"rattle", "0.01", "second order, as rattle should", 2.0},
                        Case{"rk4", "0.02", "fourth order, as rk4 should", 4.0},
                        Case{"symplectic-euler", "0.002", "first order, as symplectic-euler should", 1.0}}) {
    SCOPED_TRACE(c.integrator);
    const Output result = catena(fmt::format("converge {} --time 2 --integrator {} --dt {} --json",
                                             example("pendulum-a01"), c.integrator, c.dt));
    ASSERT_EQ(result.status, 0) << result.out << result.err;
    const json object = json::parse(result.out);
    EXPECT_EQ(object["verdict"], c.verdict);
    EXPECT_EQ(object["levels"].size(), 5u);
    EXPECT_EQ(object["levels"][4]["steps"], 16 * object["levels"][0]["steps"].get<int>());
    const json& bob = object["probes"][0];
    EXPECT_EQ(bob["differences"].size(), 4u);
    EXPECT_NEAR(bob["order"].get<double>(), c.order, 0.1 * c.order);
    EXPECT_EQ(bob["outcome"], "expected");
  }
}

TEST(Command, ConvergeBracketsTheExactSolution) {
  const double exact[2] = {-0.2750874625761169, -0.9614192050991251};  // examples/pendulum-a01.yaml
  for (const char* integrator : {"rattle", "rk4"}) {
    const auto folder = scratch() / "converge";
    const Output result =
        catena(fmt::format("converge {} --integrator {} --dt 0.01 --levels 4 --json --svg '{}'",
                           example("pendulum-a01"), integrator, folder.string()));
    ASSERT_EQ(result.status, 0) << result.out << result.err;
    const json bob = json::parse(result.out)["probes"][0];
    const double bar = bob["error_bar"];
    EXPECT_LT(bar, integrator == std::string("rk4") ? 1e-8 : 1e-3);
    for (std::size_t i = 0; i < 2; ++i)
      EXPECT_NEAR(bob["value"][i].get<double>(), exact[i], bar) << integrator;
    const std::string svg = read_all(folder / "convergence.svg");
    EXPECT_EQ(svg.rfind("<?xml", 0), 0u);
    EXPECT_EQ(svg.find("nan"), std::string::npos);
  }
}

TEST(Command, ConvergeLowersTheToleranceOfAnIntegratorThatChoosesItsSteps) {
  const Output result = catena("converge " + example("pendulum-a01") + " --integrator dormand-prince --json");
  ASSERT_EQ(result.status, 0) << result.out << result.err;
  const json object = json::parse(result.out), bob = object["probes"][0];
  EXPECT_EQ(object["parameter"], "tolerance");
  EXPECT_DOUBLE_EQ(object["levels"][4]["tolerance"].get<double>(), 1e-8);
  EXPECT_EQ(object["levels"][4]["steps"], object["levels"][0]["steps"]);
  EXPECT_NEAR(bob["order"].get<double>(), 1.0, 0.4);
  EXPECT_NEAR(bob["value"][0].get<double>(), -0.2750874625761169, bob["error_bar"].get<double>());
}

TEST(Command, ConvergeComparesAllBodiesWithoutProbesAndAnglesUpToWholeTurns) {
  const std::string bodies =
      "bodies:\n"
      "  - {name: wheel, kind: planar, mass: 1, inertia: 0.1, velocity: [0, -2], angular_velocity: 20}\n"
      "constraints:\n"
      "  - {name: axle, kind: hinge, a: wheel, b: world, point: [0.1, 0]}\n"
      "options: {dt: 0.01, duration: 2}\n";
  const json without =
      json::parse(catena("converge '" + write_scratch("wheel.yaml", bodies) + "' --json --levels 3").out);
  ASSERT_EQ(without["probes"].size(), 1u) << without;
  EXPECT_EQ(without["probes"][0]["name"], "wheel");
  EXPECT_EQ(without["probes"][0]["quantity"], "position");

  const std::string probes = "probes: [{name: turn, quantity: angle, body: wheel}]\n";
  const Output result =
      catena("converge '" + write_scratch("turn.yaml", bodies + probes) + "' --json --levels 3");
  ASSERT_EQ(result.status, 0) << result.out << result.err;
  const json turn = json::parse(result.out)["probes"][0];  // six turns
  EXPECT_NEAR(turn["order"].get<double>(), 2.0, 0.2) << turn;
}

TEST(Command, ConvergeSaysWhatHasNotConverged) {
  // a double pendulum is chaotic: after 40 s nothing is left of the start
  const Output chaos = catena("converge " + example("double-pendulum") + " --time 40 --dt 0.01 --levels 4");
  EXPECT_EQ(chaos.status, 1) << chaos.out << chaos.err;
  EXPECT_NE(chaos.out.find("not converged: probe"), std::string::npos) << chaos.out;

  const Output refused = catena("converge " + example("double-pendulum") + " --dt 10 --time 500 --json");
  ASSERT_EQ(refused.status, 3) << refused.out << refused.err;
  const json object = json::parse(refused.out);
  EXPECT_EQ(object["status"], "refused");
  EXPECT_FALSE(object["converged"].get<bool>());
  for (const char* part : {"level 1 of 5", "dt = 10 s", "t = ", "smaller --dt"})
    EXPECT_NE(refused.err.find(part), std::string::npos) << part << " in " << refused.err;

  for (const char* bad : {"--levels 2", "--levels x", "--levels 21", "--dt 0", "--time -1",
                          "--time 1e9 --dt 1e-9", "--integrator euler", "--set x", "--steps 3"}) {
    const Output result = catena("converge " + example("double-pendulum") + " " + bad);
    EXPECT_EQ(result.status, 2) << bad << result.err;
    EXPECT_EQ(result.out, "") << bad;
  }
}

TEST(Command, BenchLinearMeasuresWhatItIsAskedFor) {
  for (const char* joint : {"hinge", "ball", "tree"}) {
    const Output result = catena(fmt::format("bench linear --links 50 --joint {} --repeats 2 --json", joint));
    ASSERT_EQ(result.status, 0) << result.err;
    const json row = json::parse(result.out)["sections"]["linear"]["time"][0];
    EXPECT_EQ(row["links"], 50);
    EXPECT_GT(row["ns per link"].get<double>(), 0.0);
  }
}

// The benchmark builds its chains in C++, so that it needs no files: they must be those of the scenes.
TEST(Command, BenchPayloadRunsTheChainsOfTheScenes) {
  for (const std::string chain : {"ball", "hinge", "light"}) {
    const Output bench = catena("bench payload --peers none --json --chain " + chain);
    ASSERT_EQ(bench.status, 0) << bench.out << bench.err;
    const json section = json::parse(bench.out)["sections"]["payload"];
    const Output scene = catena("run " + example("payload-chain-" + chain) + " --json --quiet");
    ASSERT_EQ(scene.status, 0) << scene.err;
    const std::string hash = json::parse(scene.out)["hash"];
    EXPECT_NE(section["notes"][0].get<std::string>().find(hash), std::string::npos) << section["notes"];
    EXPECT_EQ(section[chain][0]["engine"], "Catena");
    EXPECT_LT(section[chain][0]["separation (m)"].get<double>(), 1e-8);
  }
}

TEST(Command, BenchPayloadSaysHowToGetPeersThatAreNotHere) {
  const Output bench = catena("bench payload --chain ball --peers /nowhere --python /nowhere/python --json");
  ASSERT_EQ(bench.status, 0) << bench.out << bench.err;
  const std::string notes = json::parse(bench.out)["sections"]["peers"]["notes"].dump();
  for (const char* engine : {"Bullet, single precision", "Bullet, double precision", "ODE", "MuJoCo"})
    EXPECT_NE(notes.find(fmt::format("{} is not here: tools/install_peers.sh", engine)), std::string::npos)
        << engine << " in " << notes;
}

TEST(Command, BenchLinearTakesTheImplicitStepsItIsAskedFor) {
  const std::pair<const char*, int> cases[] = {{"linearised-euler", 4}, {"bdf2", 1}};
  for (const auto& [integrator, iterations] : cases) {
    const Output result =
        catena(fmt::format("bench linear --links 50 --step {} --repeats 3 --json", integrator));
    ASSERT_EQ(result.status, 0) << result.err;
    const json steps = json::parse(result.out)["sections"]["linear"]["steps"];
    ASSERT_EQ(steps.size(), 3U);
    EXPECT_EQ(steps[1]["iterations"], iterations);  // the first step of bdf2 is several short ones
    EXPECT_EQ(steps[2]["iterations"], iterations);
  }
}

TEST(Command, CheckNamesTheIntegratorThatRunTakes) {
  const std::string light = write_scratch("light.yaml",
                                          "gravity: [0, -9.81]\n"
                                          "bodies:\n"
                                          "  - {name: p1, kind: particle-2d, mass: 1e-6, position: [0, -1]}\n"
                                          "  - {name: p2, kind: particle-2d, mass: 1, position: [0, -2]}\n"
                                          "constraints:\n"
                                          "  - {name: s1, kind: distance, a: p1, b: world, point_b: [0, 0]}\n"
                                          "  - {name: s2, kind: distance, a: p2, b: p1}\n"
                                          "options: {dt: 1e-3, duration: 1}\n");
  for (const std::string& scene : {light, example("crane"), example("double-pendulum")}) {
    const Output check = catena("check " + scene + " --json"),
                 run = catena("run " + scene + " --steps 2 --json");
    EXPECT_EQ(json::parse(check.out)["integrator"], json::parse(run.out)["integrator"]) << scene;
  }
}

TEST(Command, RunThatInventsEnergyDoesNotEndWithStatusZero) {
  const auto scene = [](const std::string& name, const std::string& options) {
    return write_scratch(
        name,
        "bodies: [{name: a, kind: particle, mass: 1, position: [1, 0, 0]}]\n"
        "forces: [{kind: spring, a: a, point_b: [0, 0, 0], stiffness: 1e8, rest_length: 0.5}]\n"
        "options: {dt: 1e-3, duration: 0.003, integrator: rattle" +
            options + "}\n");
  };
  const Output refused = catena("run " + scene("refused.yaml", ""));
  EXPECT_EQ(refused.status, 3) << refused.err;
  EXPECT_NE(refused.err.find("warning"), std::string::npos) << refused.err;
  const Output worthless = catena("run " + scene("worthless.yaml", ", refuse_growth: 1e29") + " --json");
  EXPECT_EQ(worthless.status, 4) << worthless.err;
  EXPECT_EQ(json::parse(worthless.out)["status"], "worthless");
}

TEST(Command, SchemaIsJson) {
  const Output result = catena("schema");
  ASSERT_EQ(result.status, 0);
  EXPECT_TRUE(json::parse(result.out).is_object());
}

}  // namespace
