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
    {"speed",
     "steps and accelerations of chains, trees and a humanoid, beside MuJoCo, Pinocchio, Bullet and RBDL",
     bench_speed},
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

void add_bench(CommandLine& line) {
  struct Raw {
    BenchArguments arguments;
    std::string links = "1000", repeats = "20";
  };
  auto raw = std::make_shared<Raw>();
  Subcommand command = line.subcommand("bench", "measurements, and tables of the literature beside ours");
  std::string names;
  for (const Benchmark& bench : kBenchmarks) names += fmt::format("{}, ", bench.name);
  command.option("name", raw->arguments.name, "NAME", names + "or list, the default");
  command.option("--links", raw->links, "N", "linear: number of links");
  command
      .option("--joint", raw->arguments.joint, "TEXT",
              "linear: hinge, ball (chains), tree (of ball joints), centre (one constraint on all), "
              "stiff (a chain with springs), ladder, ring or four-bars; default hinge, or stiff for steps")
      .one_of({"hinge", "ball", "tree", "centre", "stiff", "ladder", "ring", "four-bars"});
  command
      .option("--step", raw->arguments.step, "TEXT",
              "linear: steps by this integrator instead of evaluations")
      .one_of({"rattle", "symplectic-euler", "bdf2", "linearised-euler"});
  command
      .option("--formulation", raw->arguments.formulation, "TEXT",
              "linear: maximal (the default), minimal or middle: coordinates of bodies or of joints")
      .one_of({"maximal", "minimal", "middle"});
  command.option("--repeats", raw->repeats, "K",
                 "linear: evaluations or steps; elsewhere: keep the shortest of so many times");
  command
      .option("--method", raw->arguments.method, "TEXT", "response: only path, solves, rosenthal or literal")
      .one_of({"path", "solves", "rosenthal", "literal"});
  command
      .option("--chain", raw->arguments.chain, "TEXT", "payload: only ball, hinge, light, 128, 512 or 2048")
      .one_of({"ball", "hinge", "light", "128", "512", "2048"});
  command
      .option("--tree", raw->arguments.tree, "TEXT",
              "speed: only hinge-1, -2, -7, -30, -200 or -1000, ball-10 or -30, humanoid or tree")
      .one_of({"hinge-1", "hinge-2", "hinge-7", "hinge-30", "hinge-200", "hinge-1000", "ball-10", "ball-30",
               "humanoid", "tree"});
  command.option(
      "--peers", raw->arguments.peers, "DIR",
      "payload, speed: folder of the programs built from bench/peers, or none (default: the build's)");
  command.option("--python", raw->arguments.python, "PATH",
                 "payload: Python that has mujoco (default: python3)");
  command.option("--svg", raw->arguments.svg, "DIR", "write plots to this folder");
  command.flag("--json", raw->arguments.json, "print one JSON object");
  command.footer(
      "Examples:\n"
      "  catena bench                                lists them\n"
      "  catena bench baraff --svg out\n"
      "  catena bench payload --python build/engines/bin/python\n"
      "  catena bench linear --links 10000 --joint ball --repeats 100\n"
      "Exit status: 0 all figures are within their bounds, 1 one is not, 2 bad input.");
  command.runs([raw] {
    raw->arguments.links = int(whole_number("--links", raw->links, 1, 10000000));
    raw->arguments.repeats = int(whole_number("--repeats", raw->repeats, 1, 1000000));
    return run_bench(raw->arguments);
  });
}

}  // namespace catena::app
