#include "campaign/part.h"

#include <fmt/core.h>
#include <nlohmann/json.hpp>

#include <chrono>
#include <fstream>
#include <map>

namespace catena::test {
namespace {

struct Arguments {
  double seconds = 10.0;
  std::uint64_t from = 1;
  std::uint64_t count = std::numeric_limits<std::uint64_t>::max();
  std::string out;
};

Arguments read_arguments(int argc, char** argv) {
  Arguments arguments;
  for (int i = 1; i + 1 < argc; i += 2) {
    const std::string key = argv[i], value = argv[i + 1];
    if (key == "--seconds")
      arguments.seconds = std::stod(value);
    else if (key == "--from")
      arguments.from = std::stoull(value);
    else if (key == "--count")
      arguments.count = std::stoull(value);
    else if (key == "--out")
      arguments.out = value;
    else
      throw std::invalid_argument("unknown option " + key);
  }
  if (argc % 2 == 0) throw std::invalid_argument(std::string("no value for ") + argv[argc - 1]);
  if (arguments.out.empty()) throw std::invalid_argument("--out FILE is needed");
  return arguments;
}

const char* word(Outcome outcome) {
  constexpr const char* kWords[] = {"ok", "refused", "unjudged", "hung", "silent"};
  return kWords[std::size_t(outcome)];
}

nlohmann::json run(const Arguments& arguments, const char* part,
                   const std::function<Verdict(std::uint64_t)>& attempt) {
  using Clock = std::chrono::steady_clock;
  const auto end = Clock::now() + std::chrono::duration<double>(arguments.seconds);
  nlohmann::json line{{"part", part},
                      {"tried", 0},
                      {"crashed", 0},
                      {"from", arguments.from},
                      {"failures", nlohmann::json::array()}};
  std::map<std::string, std::uint64_t> counts{
      {"ok", 0}, {"refused", 0}, {"unjudged", 0}, {"hung", 0}, {"silent", 0}};
  std::ofstream place(arguments.out + ".at");
  std::uint64_t number = arguments.from;
  for (; number - arguments.from < arguments.count && Clock::now() < end; ++number) {
    place.seekp(0);
    place << number << '\n' << std::flush;
    const Verdict verdict = attempt(number);
    ++counts[word(verdict.outcome)];
    if (verdict.outcome != Outcome::hung && verdict.outcome != Outcome::silent) continue;
    fmt::print("{} {}: {}: {}\n", part, number, word(verdict.outcome), verdict.what);
    std::fflush(stdout);
    line["failures"].push_back({{"at", number}, {"what", verdict.what}});
  }
  for (const auto& [key, count] : counts) line[key] = count;
  line["tried"] = number - arguments.from;
  line["to"] = number;
  return line;
}

}  // namespace

int run_part(int argc, char** argv, const char* part, const std::function<Verdict(std::uint64_t)>& attempt) {
  try {
    const Arguments arguments = read_arguments(argc, argv);
    const std::string text = run(arguments, part, attempt).dump();
    std::ofstream(arguments.out, std::ios::app) << text << '\n';
    fmt::print("{}\n", text);
    return 0;
  } catch (const std::exception& problem) {
    fmt::print(stderr, "{}: {}\n", part, problem.what());
    return 2;
  }
}

}  // namespace catena::test
