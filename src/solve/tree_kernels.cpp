// The one place where the fixed-size kernels are instantiated (scalar type double).
#include "solve/ball_kernel.h"
#include "solve/null_space_kernel.h"
#include "solve/range_kernel.h"
#include "solve/tree.h"

namespace catena::solve {
namespace {

template <class Kernel>
int factor_loop(const TreeStep* steps, int begin, int end, const TreeArrays<double>& arrays,
                KernelFailure& failure) {
  for (int k = begin; k < end; ++k) {
    failure = Kernel::factor(steps[k], arrays);
    if (failure != KernelFailure::none) return k;
  }
  return end;
}

template <class Kernel>
int factor_up_loop(const TreeStep* steps, int begin, int end, const TreeArrays<double>& arrays, double* x,
                   double* lambda, KernelFailure& failure) {
  for (int k = begin; k < end; ++k) {
    failure = Kernel::factor(steps[k], arrays);
    if (failure != KernelFailure::none) return k;
    Kernel::up(steps[k], arrays, x, lambda);
  }
  return end;
}

template <class Kernel>
void up_loop(const TreeStep* steps, int begin, int end, const TreeArrays<double>& arrays, double* x,
             double* lambda) {
  for (int k = begin; k < end; ++k) Kernel::up(steps[k], arrays, x, lambda);
}

template <class Kernel>
void down_loop(const TreeStep* steps, int begin, int end, const TreeArrays<double>& arrays, double* x,
               double* lambda) {
  for (int k = end - 1; k >= begin; --k) Kernel::down(steps[k], arrays, x, lambda);
}

template <class Kernel>
constexpr KernelLoops make(const char* name) {
  return {name,
          Kernel::kFactorSize,
          factor_loop<Kernel>,
          factor_up_loop<Kernel>,
          up_loop<Kernel>,
          down_loop<Kernel>};
}

struct RangeEntry {
  int child, rows, parent;
  KernelLoops loops;
};

struct PairEntry {
  PairShape shape;
  int parent;
  KernelLoops loops;
};

template <int D, int M, int DP>
using Range = RangeKernel<double, D, M, DP>;
template <int LIN, int ANG, bool kAtPoint, bool kHasParent>
using Null = NullSpaceKernel<double, LIN, ANG, kAtPoint, kHasParent>;

const PairEntry kPairs[] = {
    {{3, 0, true}, 6, make<BallKernel<double, true>>("range 6+3 (ball)")},
    {{3, 1, true}, 6, make<Null<3, 1, true, true>>("null-space 6+4 (universal)")},
    {{3, 2, true}, 6, make<Null<3, 2, true, true>>("null-space 6+5 (hinge)")},
    {{2, 3, false}, 6, make<Null<2, 3, false, true>>("null-space 6+5 (slider)")},
    {{3, 3, true}, 6, make<Null<3, 3, true, true>>("null-space 6+6 (weld)")},
    {{3, 3, false}, 6, make<Null<3, 3, false, true>>("null-space 6+6 (driven slider)")},
    {{3, 0, true}, 0, make<BallKernel<double, false>>("range 6+3 (ball), root")},
    {{3, 1, true}, 0, make<Null<3, 1, true, false>>("null-space 6+4 (universal), root")},
    {{3, 2, true}, 0, make<Null<3, 2, true, false>>("null-space 6+5 (hinge), root")},
    {{2, 3, false}, 0, make<Null<2, 3, false, false>>("null-space 6+5 (slider), root")},
    {{3, 3, true}, 0, make<Null<3, 3, true, false>>("null-space 6+6 (weld), root")},
    {{3, 3, false}, 0, make<Null<3, 3, false, false>>("null-space 6+6 (driven slider), root")},
};

// Points and rods in the plane (2, 3), particles in space (3), rigid bodies (6); the parent may be any of them.
const RangeEntry kRanges[] = {
    {6, 1, 6, make<Range<6, 1, 6>>("range 6+1")},       {6, 2, 6, make<Range<6, 2, 6>>("range 6+2")},
    {6, 3, 6, make<Range<6, 3, 6>>("range 6+3")},       {6, 1, 0, make<Range<6, 1, 0>>("range 6+1, root")},
    {6, 2, 0, make<Range<6, 2, 0>>("range 6+2, root")}, {6, 3, 0, make<Range<6, 3, 0>>("range 6+3, root")},
    {3, 1, 3, make<Range<3, 1, 3>>("range 3+1")},       {3, 2, 3, make<Range<3, 2, 3>>("range 3+2")},
    {3, 3, 3, make<Range<3, 3, 3>>("range 3+3")},       {3, 1, 0, make<Range<3, 1, 0>>("range 3+1, root")},
    {3, 2, 0, make<Range<3, 2, 0>>("range 3+2, root")}, {3, 3, 0, make<Range<3, 3, 0>>("range 3+3, root")},
    {3, 1, 6, make<Range<3, 1, 6>>("range 3+1 on 6")},  {3, 3, 6, make<Range<3, 3, 6>>("range 3+3 on 6")},
    {6, 1, 3, make<Range<6, 1, 3>>("range 6+1 on 3")},  {6, 3, 3, make<Range<6, 3, 3>>("range 6+3 on 3")},
    {2, 1, 2, make<Range<2, 1, 2>>("range 2+1")},       {2, 2, 2, make<Range<2, 2, 2>>("range 2+2")},
    {2, 1, 0, make<Range<2, 1, 0>>("range 2+1, root")}, {2, 2, 0, make<Range<2, 2, 0>>("range 2+2, root")},
    {2, 1, 3, make<Range<2, 1, 3>>("range 2+1 on 3")},  {2, 2, 3, make<Range<2, 2, 3>>("range 2+2 on 3")},
    {3, 1, 2, make<Range<3, 1, 2>>("range 3+1 on 2")},  {3, 2, 2, make<Range<3, 2, 2>>("range 3+2 on 2")},
};

}  // namespace

const KernelLoops* find_range_kernel(int child_dim, int rows, int parent_dim) {
  for (const RangeEntry& entry : kRanges)
    if (entry.child == child_dim && entry.rows == rows && entry.parent == parent_dim) return &entry.loops;
  return nullptr;
}

const KernelLoops* find_pair_kernel(PairShape shape, int parent_dim) {
  for (const PairEntry& entry : kPairs)
    if (entry.shape == shape && entry.parent == parent_dim) return &entry.loops;
  return nullptr;
}

}  // namespace catena::solve
