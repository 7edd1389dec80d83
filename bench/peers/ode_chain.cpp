// The chain in ODE: rigid bodies, ball joints and hinges as constraints.
//
//   --solver step       dWorldStep, one dense system per step (default). Its ERP is 0.2 and its CFM 1e-10 (double) unless said.
//   --solver quick      dWorldQuickStep, projected Gauss-Seidel, --iterations 20 unless said
//   --erp X             share of a joint error that a step corrects. ODE's manual recommends 0.1 to 0.8; CFM is then 0,
//                       which makes joints as rigid as ODE can.
//
// ODE does not damp, sleep or collide unless asked to, and it is not asked to.
#include "chain.h"

#include <ode/ode.h>

#include <cstdlib>

namespace {

peers::Recorder* current = nullptr;

/// ODE stops the program when a quaternion cannot be normalised: that is how a chain comes apart here.
void stop(int, const char*, va_list) {
  if (current != nullptr) {
    current->end_as_apart();
    current->print();
  }
  std::fflush(stdout);
  std::_Exit(0);
}

void ignore(int, const char*, va_list) {}

class OdeChain : public peers::Engine {
 public:
  explicit OdeChain(const peers::Arguments& a) : quick_(a.solver == "quick"), world_(dWorldCreate()) {
    dWorldSetGravity(world_, 0, 0, -9.81);
    if (a.iterations > 0) dWorldSetQuickStepNumIterations(world_, a.iterations);
    if (a.erp >= 0) {
      dWorldSetERP(world_, a.erp);
      dWorldSetCFM(world_, 0);
    }
    for (int i = 0; i < a.bodies(); ++i) add(a, i);
  }
  ~OdeChain() override { dWorldDestroy(world_); }
  OdeChain(const OdeChain&) = delete;
  OdeChain& operator=(const OdeChain&) = delete;

  void step(double dt) override { quick_ ? dWorldQuickStep(world_, dt) : dWorldStep(world_, dt); }

  peers::BodyState body(int i) const override {
    const dBodyID b = bodies_[std::size_t(i)];
    const dReal *x = dBodyGetPosition(b), *v = dBodyGetLinearVel(b), *w = dBodyGetAngularVel(b),
                *R = dBodyGetRotation(b);
    return {{x[0], x[1], x[2]},
            {v[0], v[1], v[2]},
            {w[0], w[1], w[2]},
            {R[0], R[1], R[2], R[4], R[5], R[6], R[8], R[9], R[10]}};
  }

 private:
  void add(const peers::Arguments& a, int i) {
    const dBodyID b = dBodyCreate(world_);
    const peers::Vec I = a.inertia(i), x = a.position(i), v = a.velocity(i);
    dMass mass;
    dMassSetParameters(&mass, a.mass(i), 0, 0, 0, I[0], I[1], I[2], 0, 0, 0);
    dBodySetMass(b, &mass);
    dBodySetPosition(b, x[0], x[1], x[2]);
    dBodySetLinearVel(b, v[0], v[1], v[2]);
    if (!a.is_payload(i)) dBodySetAngularVel(b, 0, 0, a.spin);
    const dBodyID before = bodies_.empty() ? nullptr : bodies_.back();
    const double at = x[0] + a.to_joint(i);
    const dJointID joint =
        a.is_hinge(i) ? dJointCreateHinge(world_, nullptr) : dJointCreateBall(world_, nullptr);
    dJointAttach(joint, b, before);
    if (a.is_hinge(i)) {
      const peers::Vec axis = a.hinge_axis(i);
      dJointSetHingeAnchor(joint, at, 0, 0);
      dJointSetHingeAxis(joint, axis[0], axis[1], axis[2]);
    } else {
      dJointSetBallAnchor(joint, at, 0, 0);
    }
    bodies_.push_back(b);
  }

  bool quick_;
  dWorldID world_;
  std::vector<dBodyID> bodies_;
};

std::string variant_of(const peers::Arguments& a) {
  std::string variant =
      a.solver == "quick"
          ? "dWorldQuickStep, " + std::to_string(a.iterations > 0 ? a.iterations : 20) + " iterations"
          : "dWorldStep";
  if (a.erp >= 0) {
    char text[40];
    std::snprintf(text, sizeof text, ", ERP %g, CFM 0", a.erp);
    variant += text;
  }
  return variant + (sizeof(dReal) == sizeof(double) ? ", double" : ", single");
}

}  // namespace

int main(int argc, char** argv) {
  peers::Arguments arguments = peers::read_arguments(argc, argv);
  if (!arguments.solver.empty() && arguments.solver != "step" && arguments.solver != "quick") {
    std::fprintf(stderr, "error: --solver is step or quick\n");
    return 2;
  }
  dInitODE2(0);
  dAllocateODEDataForThread(dAllocateMaskAll);
  dSetErrorHandler(stop);
  dSetDebugHandler(stop);
  dSetMessageHandler(ignore);
  {
    OdeChain chain(arguments);
    peers::Recorder recorder(arguments, "ODE", dODE_VERSION, variant_of(arguments));
    current = &recorder;
    recorder.run(chain);
    recorder.print();
  }
  dCloseODE();
  return 0;
}
