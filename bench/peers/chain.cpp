// The chain, its arguments and its figures.
#include "chain.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <map>

namespace peers {
namespace {

constexpr double kGravity = 9.81;    // m/s²
constexpr double kFarAway = 1e6;     // m: what is there has come apart
constexpr double kSeriesSize = 200;  // instants

[[noreturn]] void refuse(const std::string& what) {
  std::fprintf(stderr, "error: %s\n", what.c_str());
  std::exit(2);
}

double number(const std::string& name, const std::string& text) {
  char* end = nullptr;
  const double value = std::strtod(text.c_str(), &end);
  if (text.empty() || *end != '\0' || !std::isfinite(value)) refuse(name + ": '" + text + "' is no number");
  return value;
}

/// Processor time of this program: what the clock would show if no other program ran.
double processor_seconds() {
  timespec now{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return double(now.tv_sec) + 1e-9 * double(now.tv_nsec);
}

/// World position of the point `along` on the body's x axis.
Vec point_of(const BodyState& b, double along) {
  return {b.x[0] + b.R[0] * along, b.x[1] + b.R[3] * along, b.x[2] + b.R[6] * along};
}

double distance(const Vec& a, const Vec& b) {
  return std::hypot(a[0] - b[0], a[1] - b[1], a[2] - b[2]);
}

double kinetic_energy(const BodyState& b, double mass, const Vec& inertia) {
  double twice = 0;
  for (std::size_t i = 0; i < 3; ++i) {
    const double w = b.R[i] * b.w[0] + b.R[3 + i] * b.w[1] + b.R[6 + i] * b.w[2];  // about the body's axis i
    twice += mass * b.v[i] * b.v[i] + inertia[i] * w * w;
  }
  return 0.5 * twice;
}

bool is_near(const BodyState& b) {
  const auto fine = [](double x) { return std::abs(x) < kFarAway; };  // not so for NaN
  return std::all_of(b.x.begin(), b.x.end(), fine) && std::all_of(b.v.begin(), b.v.end(), fine);
}

}  // namespace

Vec Arguments::inertia(int body) const {
  if (is_payload(body))
    return {0.1 * payload * length * length, 0.1 * payload * length * length,
            0.1 * payload * length * length};
  const double radius = length / 20, across = link_mass * length * length / 12;
  return {0.5 * link_mass * radius * radius, across, across};
}

Vec Arguments::position(int body) const {
  return {is_payload(body) ? links * length : (body + 0.5) * length, 0, 0};
}

Vec Arguments::velocity(int body) const {
  return {0, spin * position(body)[0], 0};
}

Arguments read_arguments(int argc, char** argv) {
  Arguments a;
  const std::map<std::string, double*> numbers = {{"--link-mass", &a.link_mass},
                                                  {"--length", &a.length},
                                                  {"--payload", &a.payload},
                                                  {"--dt", &a.dt},
                                                  {"--time", &a.time},
                                                  {"--spin", &a.spin},
                                                  {"--erp", &a.erp},
                                                  {"--energy-scale", &a.energy_scale},
                                                  {"--wall-limit", &a.wall_limit}};
  const std::map<std::string, int*> counts = {{"--links", &a.links}, {"--iterations", &a.iterations}};
  const std::map<std::string, std::string*> texts = {{"--joint", &a.joint}, {"--solver", &a.solver}};
  for (int i = 1; i < argc; ++i) {
    const std::string name = argv[i];
    if (name == "--series") {
      a.series = true;
      continue;
    }
    if (i + 1 == argc) refuse(name + ": a value is missing, or there is no such option");
    const std::string value = argv[++i];
    if (const auto n = numbers.find(name); n != numbers.end())
      *n->second = number(name, value);
    else if (const auto c = counts.find(name); c != counts.end())
      *c->second = int(number(name, value));
    else if (const auto t = texts.find(name); t != texts.end())
      *t->second = value;
    else
      refuse("there is no option " + name);
  }
  if (a.links < 1 || a.dt <= 0 || a.link_mass <= 0 || a.length <= 0 || a.payload < 0)
    refuse("--links, --link-mass, --length and --dt must be positive");
  if (a.joint != "ball" && a.joint != "hinge") refuse("--joint is ball or hinge");
  return a;
}

Recorder::Recorder(const Arguments& arguments, std::string engine, std::string version, std::string variant)
    : arguments_(arguments),
      engine_(std::move(engine)),
      version_(std::move(version)),
      variant_(std::move(variant)) {}

bool Recorder::measure(const Engine& engine) {
  double kinetic = 0, potential = 0, separation = 0;
  Vec anchor{};  // where the joint to the next body is on this side
  for (int i = 0; i < arguments_.bodies(); ++i) {
    const BodyState b = engine.body(i);
    if (!is_near(b)) return false;
    separation = std::max(separation, distance(anchor, point_of(b, arguments_.to_joint(i))));
    anchor = point_of(b, -arguments_.to_joint(i));
    kinetic += kinetic_energy(b, arguments_.mass(i), arguments_.inertia(i));
    potential += arguments_.mass(i) * kGravity * b.x[2];
    last_ = b.x;
  }
  if (!started_) {
    started_ = true;
    start_energy_ = kinetic + potential;
    start_potential_ = potential;
  }
  end_ = kinetic + potential - start_energy_;
  rise_ = std::max(rise_, end_);
  loss_ = std::max(loss_, -end_);
  separation_ = std::max(separation_, separation);
  exchanged_ = std::max({exchanged_, kinetic, std::abs(potential - start_potential_)});
  const double every = arguments_.time / kSeriesSize;
  if (arguments_.series && time_ >= double(times_.size()) * every) {
    times_.push_back(time_);
    separations_.push_back(separation);
    energies_.push_back(end_);
  }
  return true;
}

void Recorder::run(Engine& engine) {
  measure(engine);
  const long steps = std::lround(arguments_.time / arguments_.dt);
  for (long k = 1; k <= steps; ++k) {
    const double start = processor_seconds();
    engine.step(arguments_.dt);
    seconds_ += processor_seconds() - start;
    time_ = double(k) * arguments_.dt;
    if (!measure(engine)) {
      status_ = "came apart";
      return;
    }
    if (seconds_ > arguments_.wall_limit && k < steps) {
      status_ = "too slow";
      return;
    }
  }
}

void Recorder::end_as_apart() {
  status_ = "came apart";
}

void Recorder::print() const {
  const double scale = arguments_.energy_scale > 0 ? arguments_.energy_scale : exchanged_;
  nlohmann::ordered_json json = {{"engine", engine_},
                                 {"version", version_},
                                 {"variant", variant_},
                                 {"bodies", arguments_.bodies()},
                                 {"status", status_},
                                 {"time", time_},
                                 {"separation", separation_},
                                 {"energy_rise", rise_ / scale},
                                 {"energy_loss", loss_ / scale},
                                 {"energy_end", end_ / scale},
                                 {"energy_scale", scale},
                                 {"last_body", last_},
                                 {"real_time_factor", seconds_ > 0 ? time_ / seconds_ : 0.0}};
  if (arguments_.series)
    json["series"] = {{"time", times_}, {"separation", separations_}, {"energy", energies_}};
  std::printf("%s\n", json.dump().c_str());
}

}  // namespace peers
