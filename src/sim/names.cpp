// Names of the methods, as they are written in scenes and on the command line.
#include "catena/options.h"

#include <array>

namespace catena {
namespace {

template <class E>
struct Named {
  E value;
  std::string_view name;
};

constexpr std::array<Named<Solver>, 8> kSolvers{{{Solver::automatic, "automatic"},
                                                 {Solver::tree, "tree"},
                                                 {Solver::sparse, "sparse"},
                                                 {Solver::auxiliary, "auxiliary"},
                                                 {Solver::banded, "banded"},
                                                 {Solver::dense, "dense"},
                                                 {Solver::dense_kkt, "dense-kkt"},
                                                 {Solver::cg, "cg"}}};
constexpr std::array<Named<Formulation>, 4> kFormulations{{{Formulation::automatic, "automatic"},
                                                           {Formulation::maximal, "maximal"},
                                                           {Formulation::minimal, "minimal"},
                                                           {Formulation::middle, "middle"}}};
constexpr std::array<Named<StiffForm>, 3> kStiffForms{{{StiffForm::compliant, "compliant"},
                                                       {StiffForm::grandparent, "grandparent"},
                                                       {StiffForm::dense, "dense"}}};
constexpr std::array<Named<NewtonMatrix>, 2> kNewtonMatrices{
    {{NewtonMatrix::exact, "exact"}, {NewtonMatrix::gauss_newton, "gauss-newton"}}};
constexpr std::array<Named<Drift>, 4> kDrifts{{{Drift::projection, "projection"},
                                               {Drift::feedback, "feedback"},
                                               {Drift::feedback_after, "feedback-after"},
                                               {Drift::none, "none"}}};

template <class Table, class E>
std::string_view name_in(const Table& table, E value) {
  for (const auto& entry : table)
    if (entry.value == value) return entry.name;
  return "unknown";
}

template <class E, class Table>
std::optional<E> value_in(const Table& table, std::string_view name) {
  for (const auto& entry : table)
    if (entry.name == name) return entry.value;
  return std::nullopt;
}

}  // namespace

std::string_view name(Solver solver) {
  return name_in(kSolvers, solver);
}
std::string_view name(Integrator integrator) {
  return traits(integrator).name;
}
std::string_view name(Formulation formulation) {
  return name_in(kFormulations, formulation);
}
std::string_view name(Drift drift) {
  return name_in(kDrifts, drift);
}
std::string_view name(StiffForm form) {
  return name_in(kStiffForms, form);
}
std::string_view name(NewtonMatrix matrix) {
  return name_in(kNewtonMatrices, matrix);
}
std::optional<Solver> solver_from(std::string_view name) {
  return value_in<Solver>(kSolvers, name);
}
std::optional<Integrator> integrator_from(std::string_view name) {
  for (const IntegratorTraits& traits : kIntegrators)
    if (traits.name == name) return traits.integrator;
  return std::nullopt;
}
std::optional<Formulation> formulation_from(std::string_view name) {
  return value_in<Formulation>(kFormulations, name);
}
std::optional<Drift> drift_from(std::string_view name) {
  return value_in<Drift>(kDrifts, name);
}
std::optional<StiffForm> stiff_form_from(std::string_view name) {
  return value_in<StiffForm>(kStiffForms, name);
}
std::optional<NewtonMatrix> newton_matrix_from(std::string_view name) {
  return value_in<NewtonMatrix>(kNewtonMatrices, name);
}

}  // namespace catena
