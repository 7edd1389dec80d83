// Baraff's auxiliary constraints: some constraints are primary and factored, the rows of the others stand on top of them.
//
// The primaries of the solver "auxiliary" are a forest, factored in linear time; what closes a cycle is auxiliary, and so is what acts
// in other directions than its rows (K ≠ J). Around the solver of implicit steps only the latter are.
// The rows on top are those of extra_rows.h, solved as equalities: k rows cost the response matrix and k³/3 or 2k³/3.
//
// Rows implied by others make the response matrix singular: its factor stops at the threshold of solve/sparse.h, eq. (1),
// lowered where that drops more of them than can be redundant.
// Reference: Baraff 1996, section 8.
#pragma once

#include "solve/extra_rows.h"
#include "solve/known_redundancy.h"
#include "solve/response_variants.h"

namespace catena::solve {

class AuxiliarySolver final : public EqualitySolver {
 public:
  enum class Rule : std::uint8_t { cycles_and_directions, directions };

  AuxiliarySolver();  // the forest by a sparse factor
  AuxiliarySolver(std::unique_ptr<EqualitySolver> primary, Rule rule);
  AuxiliarySolver(const AuxiliarySolver& other);

  std::unique_ptr<EqualitySolver> clone() const override { return std::make_unique<AuxiliarySolver>(*this); }
  Refusal analyze(const Problem& problem) override;
  FactorResult factor(const Problem& problem) override;
  FactorResult solve(const Problem& problem, const Eigen::VectorXd& f, const Eigen::VectorXd& d,
                     Eigen::VectorXd& x, Eigen::VectorXd& lambda) override;
  const std::vector<int>& dropped_rows() const override { return dropped_rows_; }
  /// Of the primaries.
  double smallest_pivot() const override { return primary_->smallest_pivot(); }
  int weakest_row() const override { return whole_row(primary_->weakest_row()); }
  PivotSigns pivot_signs(const Problem& problem) override;

  /// The response matrix of the last factor() once more, by a given method; for the default primaries.
  const Eigen::MatrixXd& compute_response(ResponseMethod method);
  int num_auxiliary_rows() const { return int(rows_.size()); }

 private:
  void choose_primaries(const Graph& g);
  void build_primary_graph(const Problem& problem);
  void copy_primary_numbers(const Problem& problem);
  void set_rows(const Problem& problem);
  void list_dropped_rows();
  int whole_row(int primary_row) const;

  Rule rule_;
  std::unique_ptr<EqualitySolver> primary_;
  const SparseSolver* sparse_ = nullptr;  // the primary, where it is one
  std::shared_ptr<const Graph> graph_;    // of the primary problem: all bodies, some constraints
  Problem primary_problem_;
  std::vector<int> primary_constraints_, auxiliary_constraints_;
  std::vector<int> rows_;          // auxiliary rows of the whole problem
  std::vector<int> primary_rows_;  // the others
  ExtraRows extra_;
  KnownRedundancy redundancy_;  // of the auxiliary rows
  Eigen::MatrixXd G_;
  std::vector<int> dropped_rows_;
  Eigen::VectorXd d_primary_, lambda_primary_, mu_;
};

}  // namespace catena::solve
