// Files that are written: complete under their names, or not there; never an input, a device, or another output.
#include "support/files.h"

#include "catena/catena.h"
#include "catena/output.h"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>
#include <fstream>
#include <thread>

namespace catena {
namespace {

namespace fs = std::filesystem;
using test::read_all;

constexpr const char* kScene = R"(
bodies: [{name: bob, kind: particle, mass: 1, position: [1, 0, 0]}]
constraints: [{name: rod, kind: distance, a: bob, point_b: [0, 0, 0]}]
)";

class Files : public ::testing::Test {
 protected:
  void SetUp() override {
    fs::create_directories(folder);
    std::ofstream(scene) << kScene;
  }
  void TearDown() override { fs::remove_all(folder); }

  int run(const std::string& arguments) const {
    const std::string line =
        fmt::format("'{}' run '{}' --time 0.1 --quiet {} >/dev/null 2>'{}'", CATENA_COMMAND, scene.string(),
                    arguments, (folder / "stderr").string());
    const int raw = std::system(line.c_str());
    return WIFEXITED(raw) ? WEXITSTATUS(raw) : -1;
  }
  std::string at(const char* name) const { return "'" + (folder / name).string() + "'"; }

  const fs::path folder = fs::temp_directory_path() / fmt::format("catena-files-{}", ::getpid());
  const fs::path scene = folder / "scene.yaml";
};

TEST_F(Files, OutputsDoNotOverwriteTheSceneOrEachOther) {
  for (const char* option : {"--out", "--checkpoint", "--gltf"})
    EXPECT_EQ(run(fmt::format("{} '{}'", option, scene.string())), 2) << option;
  fs::create_symlink(scene, folder / "link");
  EXPECT_EQ(run("--out " + at("link")), 2);
  EXPECT_EQ(run(fmt::format("--out {0} --checkpoint {0}", at("one"))), 2);
  EXPECT_EQ(run(fmt::format("--out {0} --gltf {0} --checkpoint {1}", at("one.glb"), at("two"))), 2);
  EXPECT_EQ(run(fmt::format("--svg {} --out {}", at("plots"), at("plots/energy.svg"))), 2);
  EXPECT_EQ(read_all(scene), kScene);
  EXPECT_FALSE(fs::exists(folder / "one") || fs::exists(folder / "one.glb"));
}

TEST_F(Files, ACheckpointMayGoWhereItCameFrom) {
  EXPECT_EQ(run("--checkpoint " + at("state")), 0);
  EXPECT_EQ(run(fmt::format("--restore {0} --checkpoint {0}", at("state"))), 0);
}

TEST_F(Files, LinksAreFollowedAndDevicesAreLeftAlone) {
  std::ofstream(folder / "real") << "old";
  fs::permissions(folder / "real", fs::perms::owner_read | fs::perms::owner_write);
  fs::create_symlink("real", folder / "link.glb");
  fs::create_symlink("not-yet", folder / "dangling");
  for (const char* option : {"--out", "--checkpoint", "--gltf"}) {
    EXPECT_EQ(run(fmt::format("{} {}", option, at("link.glb"))), 0);
    EXPECT_TRUE(fs::is_symlink(folder / "link.glb")) << option;
    EXPECT_GT(fs::file_size(folder / "real"), 100u) << option;
  }
  EXPECT_EQ(fs::status(folder / "real").permissions(), fs::perms::owner_read | fs::perms::owner_write);
  EXPECT_EQ(run("--out " + at("dangling")), 0);
  EXPECT_TRUE(fs::is_regular_file(folder / "not-yet"));
  for (const char* option : {"--out", "--checkpoint", "--gltf"})
    EXPECT_NE(run(fmt::format("{} /dev/null", option)), 0) << option;
  EXPECT_TRUE(fs::is_character_file("/dev/null"));
  fs::create_symlink("/dev/null", folder / "nothing");
  EXPECT_NE(run("--checkpoint " + at("nothing")), 0);
}

TEST_F(Files, AFullDiskLeavesWhatWasThere) {
  const Simulation sim = make_simulation(parse_scene(kScene));
  const fs::path csv = folder / "rows.csv", npz = folder / "rows.npz", text = folder / "text",
                 state = folder / "state";
  for (const fs::path& file : {csv, npz, text, state}) std::ofstream(file) << "old";
  const auto no_room = std::signal(SIGXFSZ, SIG_IGN);
  rlimit before{};
  ASSERT_EQ(getrlimit(RLIMIT_FSIZE, &before), 0);
  rlimit little = before;
  little.rlim_cur = 64;
  ASSERT_EQ(setrlimit(RLIMIT_FSIZE, &little), 0);
  const auto write_rows = [&](const fs::path& file) {
    const auto rows = open_trajectory(file, sim);
    for (int k = 0; k < 1000; ++k) rows->record(sim);
    rows->close();
  };
  EXPECT_THROW(write_rows(csv), std::runtime_error);
  EXPECT_THROW(write_rows(npz), std::runtime_error);
  EXPECT_THROW(write_text(text, std::string(10000, 'x')), std::runtime_error);
  EXPECT_THROW(sim.save(state), InvalidInput);
  setrlimit(RLIMIT_FSIZE, &before);
  std::signal(SIGXFSZ, no_room);
  for (const fs::path& file : {csv, npz, text, state}) {
    EXPECT_EQ(read_all(file), "old") << file;
    EXPECT_FALSE(fs::exists(file.string() + ".partial")) << file;
  }
}

TEST_F(Files, TwoWritersOfOneNameDoNotMeet) {
  const Simulation sim = make_simulation(parse_scene(kScene));
  const fs::path file = folder / "rows.csv";
  {
    const auto first = open_trajectory(file, sim);
    EXPECT_THROW(open_trajectory(file, sim), std::runtime_error);
    EXPECT_THROW(write_text(file, "x"), std::runtime_error);
    first->record(sim);
    first->close();
  }
  EXPECT_GT(fs::file_size(file), 100u);
  std::ofstream(file.string() + ".partial") << "what a kill left";
  open_trajectory(file, sim)->close();
  EXPECT_FALSE(fs::exists(file.string() + ".partial"));
}

// Runs killed at random times: what stands under a final name is whole, the old one or the new.
TEST_F(Files, KillsDamageNothing) {
  ASSERT_EQ(run(fmt::format("--out {} --gltf {} --checkpoint {} --svg {}", at("a.csv"), at("a.glb"),
                            at("a.ck"), at("plots"))),
            0);
  ASSERT_EQ(run("--out " + at("a.npz")), 0);
  const std::array names{"a.csv", "a.npz", "a.glb", "a.ck", "plots/energy.svg", "plots/film-strip.svg"};
  std::map<std::string, std::string> whole;
  for (const char* name : names) whole[name] = read_all(folder / name);
  const std::string command = CATENA_COMMAND, file = scene.string();
  const auto path = [&](const char* name) { return (folder / name).string(); };
  const std::vector<std::vector<std::string>> outputs{
      {"--out", path("a.csv"), "--gltf", path("a.glb"), "--checkpoint", path("a.ck"), "--svg", path("plots")},
      {"--out", path("a.npz"), "--checkpoint", path("a.ck")}};
  unsigned seed = 5;
  SCOPED_TRACE(fmt::format("seed {}", seed));
  for (int kill_number = 0; kill_number < 60; ++kill_number) {
    std::vector<std::string> words{command, "run", file, "--time", "0.1", "--quiet"};
    const auto& more = outputs[std::size_t(kill_number % 2)];
    words.insert(words.end(), more.begin(), more.end());
    std::vector<char*> arguments;
    for (std::string& word : words) arguments.push_back(word.data());
    arguments.push_back(nullptr);
    const pid_t child = fork();
    if (child == 0) {
      execv(arguments[0], arguments.data());
      _exit(127);
    }
    seed = seed * 1664525u + 1013904223u;
    std::this_thread::sleep_for(std::chrono::microseconds(2000 + (seed >> 8) % 40000));
    ::kill(child, SIGKILL);
    int status = 0;
    waitpid(child, &status, 0);
    for (const char* name : names) ASSERT_EQ(read_all(folder / name), whole[name]) << name;
  }
  // and the next run cleans up
  EXPECT_EQ(run(fmt::format("--out {} --gltf {} --checkpoint {} --svg {}", at("a.csv"), at("a.glb"),
                            at("a.ck"), at("plots"))),
            0);
  EXPECT_EQ(run("--out " + at("a.npz")), 0);
  for (const auto& entry : fs::recursive_directory_iterator(folder))
    EXPECT_NE(entry.path().extension(), ".partial") << entry.path();
}

}  // namespace
}  // namespace catena
