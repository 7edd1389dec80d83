// catena bench: measurements and tables of the literature.
#include "bench/bench.h"

#include "command.h"
#include "shared/text.h"

#include <fmt/format.h>

namespace catena::app {
namespace {

struct Benchmark {
  const char* name;
  const char* what;
  void (*run)(const BenchArguments&, BenchReport&);
};

constexpr Benchmark kBenchmarks[] = {
    {"baraff", "Baraff 1996, section 9: tree against cg and dense, factor against solve, fill and bandwidth",
     bench_baraff},
    {"witkin", "Witkin 1997: drift and feedback of a bead on a wire, constraints against penalty springs",
     bench_witkin},
    {"hernandez",
     "Hernández et al. 2011: stiff chains and a hand, drift of joints, forms of the stiff system",
     bench_hernandez},
    {"speed", "time per link from state to accelerations at 1,000 links, hinge and ball", bench_speed},
    {"loops", "ladders, rings and four-bars: the block-sparse solver against auxiliary constraints",
     bench_loops},
    {"payload", "chains with 1000 kg and chains of 2,048 links at dt = 1/60 s, beside Bullet, ODE and MuJoCo",
     bench_payload},
    {"response", "the ways to the response matrix of auxiliary constraints, on a ladder of --links rungs",
     bench_response},
    {"linear",
     "exactly --repeats evaluations or steps of a chain, tree or closed structure of --links links, to count "
     "instructions",
     bench_linear},
};

int run_bench(const BenchArguments& arguments) {
  if (arguments.name == "list" || arguments.name.empty()) {
    std::string list;
    for (const Benchmark& bench : kBenchmarks)
      list += arguments.json
                  ? fmt::format("{}\n  \"{}\": \"{}\"", list.empty() ? "" : ",", bench.name, bench.what)
                  : fmt::format("{:<9} {}\n", bench.name, bench.what);
    fmt::print("{}", arguments.json ? "{" + list + "\n}\n" : list);
    return kDone;
  }
  for (const Benchmark& bench : kBenchmarks) {
    if (arguments.name != bench.name) continue;
    BenchReport report(bench.name);
    bench.run(arguments, report);
    fmt::print("{}\n", arguments.json ? report.json() : report.text());
    return report.holds() ? kDone : kDisagree;
  }
  std::vector<std::string> names;
  for (const Benchmark& bench : kBenchmarks) names.emplace_back(bench.name);
  const std::string meant = nearest_name(arguments.name, names);
  reject("argument NAME of bench", fmt::format("there is no benchmark '{}'", arguments.name),
         (meant.empty() ? "" : fmt::format("did you mean '{}'? ", meant)) + "`catena bench` lists them");
}

}  // namespace

void add_bench(CLI::App& app, int& status) {
  struct Raw {
    BenchArguments arguments;
    std::string links = "1000", repeats = "20";
  };
  auto raw = std::make_shared<Raw>();
  CLI::App* command = app.add_subcommand("bench", "measurements, and tables of the literature beside ours");
  std::string names;
  for (const Benchmark& bench : kBenchmarks) names += fmt::format("{}, ", bench.name);
  command->add_option("name", raw->arguments.name, names + "or list, the default")->type_name("NAME");
  command->add_option("--links", raw->links, "linear: number of links")->type_name("N");
  command
      ->add_option(
          "--joint", raw->arguments.joint,
          "linear: hinge, ball (chains), tree (of ball joints), centre (one constraint on all), "
          "stiff (a chain with springs), ladder, ring or four-bars; default hinge, or stiff for steps")
      ->check(CLI::IsMember({"hinge", "ball", "tree", "centre", "stiff", "ladder", "ring", "four-bars"}));
  command
      ->add_option("--step", raw->arguments.step, "linear: steps by this integrator instead of evaluations")
      ->check(CLI::IsMember({"rattle", "symplectic-euler", "bdf2", "linearised-euler"}));
  command
      ->add_option("--repeats", raw->repeats,
                   "linear: evaluations or steps; elsewhere: keep the shortest of so many times")
      ->type_name("K");
  command->add_option("--method", raw->arguments.method, "response: only path, solves, rosenthal or literal")
      ->check(CLI::IsMember({"path", "solves", "rosenthal", "literal"}));
  command->add_option("--chain", raw->arguments.chain, "payload: only ball, hinge, light, 128, 512 or 2048")
      ->check(CLI::IsMember({"ball", "hinge", "light", "128", "512", "2048"}));
  command
      ->add_option("--peers", raw->arguments.peers,
                   "payload: folder of the programs built from bench/peers, or none (default: the build's)")
      ->type_name("DIR");
  command->add_option("--python", raw->arguments.python, "payload: Python that has mujoco (default: python3)")
      ->type_name("PATH");
  command->add_option("--svg", raw->arguments.svg, "write plots to this folder")->type_name("DIR");
  command->add_flag("--json", raw->arguments.json, "print one JSON object");
  command->footer(
      "Examples:\n"
      "  catena bench                                lists them\n"
      "  catena bench baraff --svg out\n"
      "  catena bench payload --python venv/bin/python\n"
      "  catena bench linear --links 10000 --joint ball --repeats 100\n"
      "Exit status: 0 all figures are within their bounds, 1 one is not, 2 bad input.");
  command->callback([raw, &status] {
    raw->arguments.links = int(whole_number("--links", raw->links, 1, 10000000));
    raw->arguments.repeats = int(whole_number("--repeats", raw->repeats, 1, 1000000));
    status = run_bench(raw->arguments);
  });
}

}  // namespace catena::app
