// catena bench hernandez, part 2: the forms of the stiff system.
//
// One linearised step of backward Euler, v the velocities at its end, K = h²k + h·b of the springs:
//
//   compliant:     [ M  -Jᵀ  -Gᵀ ] [ v ]   [ M v₀ + h F ]        grandparent:  M + GᵀK G instead of M, and no rows G      (1)
//                  [ -J   0    0 ] [ μ ] = [    C/h     ]
//                  [ -G   0  -K⁻¹] [ ν ]   [ h k c/K    ]
//
// M stands for M + h Γ on the left, and M v₀ + h F contains h ω × I ω, with the derivative Γ = [ω]×I - [I ω]× of the gyroscopic torque.
// Here it is written down once more, as dense matrices from what the public interface says of bodies, joints and springs, and solved by
// pivoted LU. Catena's two forms are compared with that, and the conditioning of both matrices is computed.
#include "bench/bench.h"
#include "bench/mechanisms.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

namespace catena::app {
namespace {

constexpr double kStep = 1.0 / 60;  // s
constexpr int kLinks = 5, kSteps = 5;

/// Start of every body's numbers in q and v.
struct Offsets {
  std::vector<int> q, v;
  int num_v = 0;
};

Offsets offsets_of(const Model& model) {
  Offsets out;
  int q = 0;
  for (const BodyEntry& entry : model.bodies()) {
    out.q.push_back(q);
    out.v.push_back(out.num_v);
    q += entry.body->num_q();
    out.num_v += entry.body->num_v();
  }
  return out;
}

/// Everything that (1) is made of.
struct DenseStep {
  MatX M, J, G;
  VecX momentum;          // M v₀ + h F
  VecX C, c;              // of joints and springs
  VecX stiffness, scale;  // of the springs: k, and K of (1)
};

/// Adds the rows of a constraint at the simulation's state below those that are there.
void append_rows(const Simulation& sim, const Offsets& offsets, const Constraint& constraint, MatX& J,
                 VecX& C) {
  std::vector<Marker> markers;
  for (const Attachment& at : constraint.attachments()) markers.push_back(sim.marker(at));
  const int rows = constraint.num_rows(false), count = int(markers.size());
  VecX error = VecX::Zero(rows), rate = error, gamma = error, G = VecX::Zero(rows * count * 6);
  Rows out(rows, count, error.data(), rate.data(), gamma.data(), G.data());
  constraint.evaluate({.at = markers, .time = sim.time()}, out);
  const Eigen::Index first = J.rows();
  J.conservativeResize(first + rows, offsets.num_v);
  J.bottomRows(rows).setZero();
  C.conservativeResize(first + rows);
  C.tail(rows) = error;
  for (int k = 0; k < count; ++k) {
    const Attachment& at = constraint.attachments()[std::size_t(k)];
    const int body = sim.model().index_of(at.body);
    if (body < 0) continue;
    const auto b = std::size_t(body);
    const BodyEntry& entry = sim.model().bodies()[b];
    const double *q = sim.state().q.data() + offsets.q[b], *v = sim.state().v.data() + offsets.v[b];
    PointMap point;
    FrameMap frame;
    entry.body->point(q, v, at.point, point);
    entry.body->frame(q, v, frame);
    MatX map(6, entry.body->num_v());
    map << point.J, frame.W;
    J.block(first, offsets.v[b], rows, map.cols()) += out.G(k) * map;
  }
}

DenseStep assemble(const Simulation& sim, const Offsets& offsets, double h) {
  DenseStep step;
  const State& state = sim.state();
  const Model& model = sim.model();
  step.M = MatX::Zero(offsets.num_v, offsets.num_v);
  VecX force = VecX::Zero(offsets.num_v);
  for (std::size_t i = 0; i < model.bodies().size(); ++i) {
    const Body& body = *model.bodies()[i].body;
    const double* q = state.q.data() + offsets.q[i];
    MatX block(body.num_v(), body.num_v());
    body.mass_block(q, block.data());
    step.M.block(offsets.v[i], offsets.v[i], block.rows(), block.cols()) = block;
    body.add_gravity(q, model.gravity, force.data() + offsets.v[i]);
  }
  step.momentum = step.M * state.v + h * force;
  for (std::size_t i = 0; i < model.bodies().size(); ++i) {  // all are rigid
    const Eigen::Index at = offsets.v[i] + 3;
    const Vec3 w = state.v.segment<3>(at);
    const Mat3 I = step.M.block<3, 3>(at, at);
    for (int k = 0; k < 3; ++k) {
      const Vec3 unit = Vec3::Unit(k);
      step.M.block<3, 1>(at, at + k) += h * (w.cross(I * unit) - (I * w).cross(unit));
    }
    step.momentum.segment<3>(at) += h * w.cross(I * w);
  }
  step.J.resize(0, offsets.num_v);
  step.G.resize(0, offsets.num_v);
  for (const ConstraintEntry& entry : model.constraints())
    append_rows(sim, offsets, *entry.constraint, step.J, step.C);
  for (const ForceEntry& entry : model.forces()) {
    const auto* spring = dynamic_cast<const Elastic*>(entry.force.get());
    const Eigen::Index first = step.G.rows();
    append_rows(sim, offsets, spring->coordinates(), step.G, step.c);
    step.stiffness.conservativeResize(step.G.rows());
    step.scale.conservativeResize(step.G.rows());
    for (Eigen::Index r = first; r < step.G.rows(); ++r) {
      const Law& law = spring->law(int(r - first));
      step.stiffness[r] = law.stiffness;
      step.scale[r] = h * h * law.stiffness + h * law.damping;
    }
  }
  return step;
}

MatX compliant_matrix(const DenseStep& s) {
  const Eigen::Index n = s.M.rows(), m = s.J.rows(), k = s.G.rows();
  MatX H = MatX::Zero(n + m + k, n + m + k);
  H.topLeftCorner(n, n) = s.M;
  H.block(n, 0, m, n) = -s.J;
  H.block(n + m, 0, k, n) = -s.G;
  H.block(0, n, n, m) = -s.J.transpose();
  H.block(0, n + m, n, k) = -s.G.transpose();
  H.bottomRightCorner(k, k).diagonal() = -s.scale.cwiseInverse();
  return H;
}

MatX grandparent_matrix(const DenseStep& s) {
  const Eigen::Index n = s.M.rows(), m = s.J.rows();
  MatX H = MatX::Zero(n + m, n + m);
  H.topLeftCorner(n, n) = s.M + s.G.transpose() * s.scale.asDiagonal() * s.G;
  H.block(n, 0, m, n) = -s.J;
  H.block(0, n, n, m) = -s.J.transpose();
  return H;
}

/// Scales that make a saddle matrix comparable in spite of its units: √ of the diagonal of D, and of that of J D⁻¹ Jᵀ + S with D's
/// diagonal.
VecX unit_scales(const MatX& H, Eigen::Index n) {
  VecX scale(H.rows());
  scale.head(n) = H.diagonal().head(n).cwiseSqrt().cwiseInverse();
  for (Eigen::Index r = n; r < H.rows(); ++r) {
    const double schur = (H.row(r).head(n).transpose().cwiseProduct(scale.head(n))).squaredNorm();
    scale[r] = 1.0 / std::sqrt(schur + std::abs(H(r, r)));
  }
  return scale;
}

// Plain elimination and plain rotations: the matrices are small, and Eigen's decompositions take half a minute to compile.

/// x of A x = b, by elimination with complete pivoting.
VecX eliminate(MatX A, VecX b) {
  const Eigen::Index n = A.rows();
  std::vector<Eigen::Index> unknown(std::size_t(n), 0);  // of each column
  std::iota(unknown.begin(), unknown.end(), 0);
  for (Eigen::Index k = 0; k < n; ++k) {
    Eigen::Index row = 0, column = 0;
    A.bottomRightCorner(n - k, n - k).cwiseAbs().maxCoeff(&row, &column);
    A.row(k).swap(A.row(k + row));
    std::swap(b[k], b[k + row]);
    A.col(k).swap(A.col(k + column));
    std::swap(unknown[std::size_t(k)], unknown[std::size_t(k + column)]);
    for (Eigen::Index i = k + 1; i < n; ++i) {
      const double factor = A(i, k) / A(k, k);
      A.row(i) -= factor * A.row(k);
      b[i] -= factor * b[k];
    }
  }
  VecX x(n);
  for (Eigen::Index k = n; k-- > 0;) {
    b[k] /= A(k, k);
    x[unknown[std::size_t(k)]] = b[k];
    b.head(k) -= b[k] * A.col(k).head(k);
  }
  return x;
}

/// Singular values, by Jacobi's rotations of pairs of columns until all are normal to each other: their lengths (Hestenes).
VecX singular_values(MatX A) {
  constexpr int kMostSweeps = 50;  // ten or so are enough
  bool are_normal = false;
  for (int sweep = 0; sweep < kMostSweeps && !are_normal; ++sweep) {
    are_normal = true;
    for (Eigen::Index p = 0; p < A.cols(); ++p)
      for (Eigen::Index q = p + 1; q < A.cols(); ++q) {
        const double pp = A.col(p).squaredNorm(), qq = A.col(q).squaredNorm(), pq = A.col(p).dot(A.col(q));
        if (std::abs(pq) <= 1e-15 * std::sqrt(pp * qq)) continue;
        are_normal = false;
        const double theta = 0.5 * (qq - pp) / pq;
        const double t = std::copysign(1.0, theta) / (std::abs(theta) + std::hypot(theta, 1.0));
        const double c = 1.0 / std::hypot(t, 1.0), s = t * c;
        const VecX old = A.col(p);
        A.col(p) = c * old - s * A.col(q);
        A.col(q) = s * old + c * A.col(q);
      }
  }
  return A.colwise().norm();
}

double condition(const MatX& H, Eigen::Index n) {
  const VecX scale = unit_scales(H, n);
  const MatX scaled = scale.asDiagonal() * H * scale.asDiagonal();
  const VecX values = singular_values(scaled);
  return values.maxCoeff() / values.minCoeff();
}

/// v of (1), by the compliant form.
VecX solve_dense(const DenseStep& s, double h) {
  const MatX H = compliant_matrix(s);
  const Eigen::Index n = s.M.rows();
  VecX right(H.rows());
  right << s.momentum, s.C / h, (h * s.stiffness).cwiseProduct(s.c).cwiseQuotient(s.scale);
  const VecX scale = unit_scales(H, n);
  const MatX scaled = scale.asDiagonal() * H * scale.asDiagonal();
  const VecX solution = scale.cwiseProduct(eliminate(scaled, scale.cwiseProduct(right)));
  return solution.head(n);
}

/// Velocities after kSteps steps, each solved densely; the simulation only holds the state.
VecX dense_velocities(const Model& model) {
  Simulation sim(model, {.integrator = Integrator::linearised_euler});
  const Offsets offsets = offsets_of(model);
  for (int k = 0; k < kSteps; ++k) {
    State state = sim.state();
    state.v = solve_dense(assemble(sim, offsets, kStep), kStep);
    const VecX displacement = kStep * state.v;
    for (std::size_t i = 0; i < model.bodies().size(); ++i)
      model.bodies()[i].body->retract(state.q.data() + offsets.q[i], displacement.data() + offsets.v[i]);
    sim.set_state(state);
  }
  return sim.state().v;
}

/// The same by Catena; empty when a step is refused.
VecX catena_velocities(const Model& model, StiffForm form) {
  // one linear solve per step, as printed. Gauss-Newton: the block form would else have the geometric stiffness of springs that are
  // loaded at the start of a step, which the other form, beginning without forces, does not
  Options options{.integrator = Integrator::linearised_euler};
  options.linear_corrections = 0;
  options.stiff_form = form;
  options.newton_matrix = NewtonMatrix::gauss_newton;
  Simulation sim(model, options);
  for (int k = 0; k < kSteps; ++k)
    if (!sim.step(kStep).ok()) return {};
  return sim.state().v;
}

double difference(const VecX& a, const VecX& b) {
  if (a.size() != b.size()) return INFINITY;
  return (a - b).lpNorm<Eigen::Infinity>() / b.lpNorm<Eigen::Infinity>();
}

}  // namespace

void compare_stiff_forms(const BenchArguments& arguments, BenchReport& report) {
  report.section(
      "forms",
      fmt::format(
          "Springs as compliant rows and as grandparent blocks: {} links, {} steps of 1/60 s; differences of "
          "velocities, relative",
          kLinks, kSteps));
  Plot plot{.title = "Conditioning of the stiff system",
            .subtitle = fmt::format(
                "{} links on ball joints with springs, h = 1/60 s, rows and columns scaled", kLinks),
            .x_label = "stiffness (N·m/rad)",
            .y_label = "condition number",
            .log_x = true,
            .log_y = true};
  Series compliant{"compliant rows", {}, {}, Series::Style::line_and_markers},
      blocks{"grandparent blocks", {}, {}, Series::Style::line_and_markers};
  std::vector<std::vector<Cell>> rows;
  bool agree = true;
  for (int exponent = 0; exponent <= 14; exponent += 2) {
    const double k = std::pow(10.0, exponent);
    const Model model = bent_stiff_chain(kLinks, k);
    const Offsets offsets = offsets_of(model);
    const DenseStep step = assemble(Simulation(model), offsets, kStep);
    compliant.x.push_back(k);
    blocks.x.push_back(k);
    compliant.y.push_back(condition(compliant_matrix(step), offsets.num_v));
    blocks.y.push_back(condition(grandparent_matrix(step), offsets.num_v));
    const VecX reference = dense_velocities(model), rows_v = catena_velocities(model, StiffForm::compliant),
               blocks_v = catena_velocities(model, StiffForm::grandparent);
    const double bound = std::max(1e-9, 100.0 * std::numeric_limits<double>::epsilon() * blocks.y.back());
    const double from_rows = difference(rows_v, reference), from_blocks = difference(blocks_v, reference),
                 between = difference(blocks_v, rows_v);
    agree = agree && from_rows < 1e-9 && from_blocks < bound && between < bound;
    rows.push_back({cell(k, "{:.0e}"), cell(from_rows, "{:.1e}"), cell(from_blocks, "{:.1e}"),
                    cell(between, "{:.1e}"), cell(bound, "{:.1e}"), cell(compliant.y.back(), "{:.1e}"),
                    cell(blocks.y.back(), "{:.1e}")});
  }
  report.table("forms",
               {"k (N·m/rad)", "compliant to dense", "grandparent to dense", "grandparent to compliant",
                "bound", "cond. compliant", "cond. grandparent"},
               rows);
  report.check(agree,
               "compliant rows give the dense velocities within 1e-9; grandparent blocks within max(1e-9, "
               "100·ε·cond)");
  const double worst = *std::max_element(compliant.y.begin(), compliant.y.end());
  report.check(worst < 1e5,
               fmt::format("compliant rows: condition number at most {:.1e} at any stiffness", worst));
  plot.series = {std::move(compliant), std::move(blocks)};
  report.plot(arguments, "hernandez-conditioning.svg", plot);
}

}  // namespace catena::app
