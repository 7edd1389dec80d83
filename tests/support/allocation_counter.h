// Counts heap allocations of the whole program, whoever makes them: new, malloc, Eigen.
#pragma once

namespace catena::testing {

/// Allocations since it was constructed.
class AllocationCounter {
 public:
  AllocationCounter();
  long count() const;

 private:
  long start_;
};

}  // namespace catena::testing
