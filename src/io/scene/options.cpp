// Sections `options` and `initial`: how to simulate, and from where.
#include "io/scene/context.h"

#include <fmt/format.h>

namespace catena::io {

namespace {

const std::vector<std::string_view> kFormulations{"automatic", "maximal", "minimal", "middle"};
const std::vector<std::string_view> kSolvers{"automatic", "tree",  "sparse",    "auxiliary",
                                             "banded",    "dense", "dense-kkt", "cg"};
const std::vector<std::string_view> kIntegrators{
    "automatic",   "rattle", "rk4",     "dormand-prince",    "symplectic-euler", "first-order",
    "moreau-jean", "bdf2",   "tr-bdf2", "generalised-alpha", "backward-euler",   "linearised-euler"};
const std::vector<std::string_view> kStiffForms{"compliant", "grandparent", "dense"};
const std::vector<std::string_view> kNewtonMatrices{"exact", "gauss-newton"};
const std::vector<std::string_view> kDrifts{"projection", "feedback", "feedback-after", "none"};

const Record& start_record() {
  static const Record record{
      "", "start of one body",
      join_keys({{{"body", Value::body, "", "the body", kRequired}}, position_keys(), rotation_keys()})};
  return record;
}

const Variant& start_variants() {
  static const Variant variant{"start", "", {start_record()}};
  return variant;
}

}  // namespace

const Record& options_record() {
  static const Record record{
      "",
      "how to simulate",
      {
          {"dt", Value::positive, "s", "time step; default 0.001"},
          {"duration", Value::non_negative, "s", "simulated time; default 10"},
          {"formulation", Value::choice, "",
           "coordinates of bodies (maximal), of joints (minimal), or of joints solved as bodies (middle); "
           "default automatic",
           kOptional, kFormulations},
          {"solver", Value::choice, "", "linear solver; default automatic", kOptional, kSolvers},
          {"integrator", Value::choice, "", "integrator; default automatic", kOptional, kIntegrators},
          {"tolerance", Value::positive, "", "dormand-prince: error of an internal step; default 1e-8"},
          {"drift", Value::choice, "",
           "what keeps constraints closed in rk4, dormand-prince and symplectic-euler; default projection",
           kOptional, kDrifts},
          {"feedback_eta", Value::positive, "", "feedback: α = β = η/dt, k_d = 2α, k_s = α²; default 0.2"},
          {"feedback_ks", Value::non_negative, "1/s²", "feedback: stiffness instead of η, with feedback_kd"},
          {"feedback_kd", Value::non_negative, "1/s", "feedback: damping instead of η, with feedback_ks"},
          {"position_tolerance", Value::positive, "",
           "largest constraint error left by a step, relative to the model's size; default 1e-11"},
          {"max_position_iterations", Value::count, "", "of a step; default 50"},
          {"residual_tolerance", Value::positive, "",
           "relative residual above which a step is refused; default 1e-9"},
          {"cg_tolerance", Value::positive, "", "relative residual of cg; default 1e-11"},
          {"cg_max_iterations", Value::integer, "", "default 0: 10 × rows + 100"},
          {"relaxation_time", Value::positive, "s",
           "first-order: constraint errors decay with it; default 0.1"},
          {"stiff_form", Value::choice, "",
           "implicit integrators: springs as rows with compliance, as blocks between bodies, or in one dense "
           "matrix; default compliant",
           kOptional, kStiffForms},
          {"newton_matrix", Value::choice, "",
           "implicit integrators: with or without the geometric stiffness of springs; default exact",
           kOptional, kNewtonMatrices},
          {"newton_tolerance", Value::positive, "",
           "implicit integrators: constraint errors left, relative to the model's size; forces are balanced "
           "to "
           "100 times that or better, relative to their terms; default 1e-9"},
          {"max_newton_iterations", Value::count, "", "of an implicit stage before it is halved; default 20"},
          {"max_halvings", Value::integer, "", "of an implicit step before it is refused; default 12"},
          {"alpha_rho", Value::non_negative, "",
           "generalised-alpha: what is left of infinitely fast oscillations per step, up to 0.6; default 0"},
          {"linear_corrections", Value::integer, "",
           "linearised-euler: corrections of positions with the same factor; default 3"},
          {"warn_omega_dt", Value::positive, "",
           "frequency × dt of the fastest tension, spring, damper or motor above which a step is announced; "
           "default 1"},
          {"warn_growth", Value::positive, "",
           "numerical energy over the energy that sources explain, announced above; default 1"},
          {"refuse_growth", Value::positive, "", "the same, above which a step is refused; default 10"},
          {"max_internal_steps", Value::count, "",
           "dormand-prince: of one step, before it is refused; default 100000"},
      }};
  return record;
}

const Record& initial_record() {
  static const Record record{
      "",
      "where the motion starts, when not where the bodies are drawn",
      {
          {"project", Value::boolean, "",
           "bring positions and velocities onto the constraints first; default false"},
          {"bodies", Value::variant_list, "",
           "start values of single bodies; joints keep the places they have", kOptional, start_variants},
      }};
  return record;
}

void read_options(SceneContext& context, const Node& node) {
  const Fields fields(node, options_record(), context.reading());
  Options& options = context.scene.options;
  context.scene.dt = fields.number("dt", context.scene.dt);
  context.scene.duration = fields.number("duration", context.scene.duration);
  constexpr double kLongestStep = 1e6;  // s; no motion worth computing is that slow
  if (context.scene.dt > kLongestStep)
    fields.report("dt", fmt::format("dt must not be above {} s, got {}", kLongestStep, context.scene.dt),
                  "give a time step in seconds, as 0.001");
  if (const auto name = fields.text("formulation"))
    options.formulation = formulation_from(*name).value_or(options.formulation);
  if (const auto name = fields.text("solver")) options.solver = solver_from(*name).value_or(options.solver);
  if (const auto name = fields.text("integrator"))
    options.integrator = integrator_from(*name).value_or(options.integrator);
  if (const auto name = fields.text("drift")) options.drift = drift_from(*name).value_or(options.drift);
  const std::pair<std::string_view, double*> numbers[] = {
      {"tolerance", &options.tolerance},
      {"feedback_eta", &options.feedback_eta},
      {"feedback_ks", &options.feedback_ks},
      {"feedback_kd", &options.feedback_kd},
      {"position_tolerance", &options.position_tolerance},
      {"residual_tolerance", &options.residual_tolerance},
      {"cg_tolerance", &options.cg_tolerance},
      {"relaxation_time", &options.relaxation_time},
      {"warn_omega_dt", &options.warn_omega_dt},
      {"warn_growth", &options.warn_growth},
      {"refuse_growth", &options.refuse_growth},
      {"newton_tolerance", &options.newton_tolerance},
      {"alpha_rho", &options.alpha_rho},
  };
  for (const auto& [key, target] : numbers) *target = fields.number(key, *target);
  if (options.alpha_rho > 0.6)
    fields.report("alpha_rho",
                  fmt::format("{:g} is above 0.6, where constraints are not stable", options.alpha_rho),
                  "give a value from 0 to 0.6");
  options.max_position_iterations =
      fields.integer("max_position_iterations", options.max_position_iterations);
  if (const auto name = fields.text("stiff_form"))
    options.stiff_form = stiff_form_from(*name).value_or(options.stiff_form);
  if (const auto name = fields.text("newton_matrix"))
    options.newton_matrix = newton_matrix_from(*name).value_or(options.newton_matrix);
  options.max_newton_iterations = fields.integer("max_newton_iterations", options.max_newton_iterations);
  options.max_internal_steps = fields.integer("max_internal_steps", options.max_internal_steps);
  options.max_halvings = fields.integer("max_halvings", options.max_halvings);
  options.linear_corrections = fields.integer("linear_corrections", options.linear_corrections);
  options.cg_max_iterations = fields.integer("cg_max_iterations", options.cg_max_iterations);
  if (fields.has("feedback_ks") != fields.has("feedback_kd"))
    fields.report(fields.has("feedback_ks") ? "feedback_ks" : "feedback_kd",
                  "feedback_ks and feedback_kd come together", "give both, or feedback_eta alone");
}

void read_initial(SceneContext& context, const Node& node) {
  const Fields fields(node, initial_record(), context.reading());
  context.scene.project_start = fields.boolean("project", context.scene.project_start);
  const Node* list = fields.find("bodies");
  if (list == nullptr) return;
  if (!list->is_list()) {
    fields.report("bodies", "a list is expected, got " + list->describe(),
                  "begin every entry with '- body: ...'");
    return;
  }
  for (const Node* entry : list->children) {
    const Fields start(*entry, start_record(), context.reading());
    if (!start.has("body")) continue;
    const auto body = context.find_body(start, "body");
    if (!body) continue;
    if (body->is_world() || body->is_frame()) {
      start.report("body",
                   body->is_world() ? "the world does not move" : "a frame goes with the body it is on",
                   "name a body");
      continue;
    }
    Placement placement = body->placement;
    read_placement(start, true, placement);
    VecX q = VecX::Zero(body->body->num_q()), v = VecX::Zero(body->body->num_v());
    if (!start.ok()) continue;
    if (const std::string problem = body->body->pack(placement, q.data(), v.data()); !problem.empty())
      start.report("body", problem, "give what this kind of body can represent");
    else
      context.scene.model.set_start(context.scene.model.index_of(body->id), q, v);
  }
}

}  // namespace catena::io
