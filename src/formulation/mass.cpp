#include "formulation/mass.h"

namespace catena {

void write_constant_mass(const Layout& layout, VecX& M) {
  M.setZero();
  for (const BodySlot& slot : layout.bodies)
    if (slot.type == BodyType::rigid)
      for (int i = 0; i < 3; ++i) M[slot.M + i * 7] = slot.mass;
}

void update_mass(const Layout& layout, const VecX& q, const Kinematics& kinematics, VecX& M) {
  for (std::size_t i = 0; i < layout.bodies.size(); ++i) {
    const BodySlot& slot = layout.bodies[i];
    double* block = M.data() + slot.M;
    if (slot.type == BodyType::rigid)
      write_inertia<6>(kinematics.bodies[i].R, slot.inertia, block + 21);
    else
      slot.body->mass_block(q.data() + slot.q, block);
  }
}

double kinetic_energy(const BodySlot& slot, const double* M, const double* v) {
  if (slot.type == BodyType::rigid) {
    using Block = Eigen::Map<const Eigen::Matrix<double, 6, 6>>;
    const Eigen::Map<const Vec3> linear(v), angular(v + 3);
    return 0.5 * (slot.mass * linear.squaredNorm() +
                  angular.dot(Block(M).bottomRightCorner<3, 3>().lazyProduct(angular)));
  }
  double energy = 0.0;
  for (int j = 0; j < slot.num_v; ++j)
    for (int i = 0; i < slot.num_v; ++i) energy += 0.5 * v[i] * M[i + j * slot.num_v] * v[j];
  return energy;
}

}  // namespace catena
