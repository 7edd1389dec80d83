// Replays as a shell asks for them: one file with everything inside, small, and refusals that say what to do.
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <sstream>

namespace {

std::filesystem::path scratch() {
  const auto folder = std::filesystem::temp_directory_path() / fmt::format("catena-replay-{}", ::getpid());
  std::filesystem::create_directories(folder);
  return folder;
}

std::string read_all(const std::filesystem::path& file) {
  std::ifstream stream(file, std::ios::binary);
  std::ostringstream out;
  out << stream.rdbuf();
  return out.str();
}

struct Output {
  int status = -1;
  std::string text;  // of both streams
};

Output catena(const std::string& arguments, const std::string& environment = "") {
  const auto text = scratch() / "output";
  const int raw = std::system(
      fmt::format("{} '{}' {} >'{}' 2>&1", environment, CATENA_COMMAND, arguments, text.string()).c_str());
  return {WIFEXITED(raw) ? WEXITSTATUS(raw) : 128 + WTERMSIG(raw), read_all(text)};
}

std::string example(const std::string& name) {
  return fmt::format("'{}/examples/{}.yaml'", CATENA_SOURCE_DIR, name);
}

TEST(ReplayCommand, HtmlIsOneSmallFileThatAsksNobody) {
  const auto file = scratch() / "crane.html";
  const Output result = catena(fmt::format("run {} --time 10 --html '{}'", example("crane"), file.string()));
  ASSERT_EQ(result.status, 0) << "tests need a command with its page: tools/build.sh makes both\n"
                              << result.text;
  EXPECT_NE(result.text.find("crane.html"), std::string::npos) << "the summary says where it is";
  EXPECT_NE(result.text.find("601 frames, 60 per second"), std::string::npos) << result.text;
  const std::string html = read_all(file);
  EXPECT_LT(html.size(), 5'000'000u);
  EXPECT_NE(html.find("id=\"recording\">Q1RO"), std::string::npos) << "the recording, in base64";
  EXPECT_NE(html.find("<title>Crane - Catena</title>"), std::string::npos);
  // elements that would ask for something
  const std::string head = html.substr(0, html.find("id=\"recording\""));
  for (const char* asks : {"src=\"", "href=\"http", "href=\"./", "@import", "url(http"})
    EXPECT_EQ(head.find(asks), std::string::npos) << asks;
}

TEST(ReplayCommand, GltfIsWrittenWithoutABrowser) {
  const auto file = scratch() / "bicycle.glb";
  const Output result =
      catena(fmt::format("run {} --time 1 --gltf '{}'", example("bicycle"), file.string()), "PATH=/nowhere");
  ASSERT_EQ(result.status, 0) << result.text;
  const std::string glb = read_all(file);
  ASSERT_GT(glb.size(), 1000u);
  EXPECT_EQ(glb.substr(0, 4), "glTF");
  EXPECT_NE(glb.find("\"animations\""), std::string::npos);
}

TEST(ReplayCommand, WhatIsMissingIsSaidBeforeTheRun) {
  const std::string png = fmt::format("run {} --png '{}'", example("crane"), (scratch() / "x.png").string());
  const Output result = catena(png, "PATH=/nowhere");
  EXPECT_EQ(result.status, 2);
  EXPECT_TRUE(result.text.find("apt-get install") != std::string::npos) << result.text;
  EXPECT_FALSE(std::filesystem::exists(scratch() / "x.png"));
  const Output size =
      catena(fmt::format("run {} --gltf '{}' --size 12", example("crane"), (scratch() / "x.glb").string()));
  EXPECT_EQ(size.status, 2);
  EXPECT_NE(size.text.find("1280x720"), std::string::npos) << size.text;
}

}  // namespace
