#!/usr/bin/env python3
"""The chain in MuJoCo: mujoco_chain.py --joint ball --links 50 ... prints one line of JSON.

The arguments, the chain and the figures are those of chain.h.

  --solver tree       bodies inside each other with ball joints or hinges: joint coordinates, which cannot come apart (default)
  --solver connect    free bodies held together by `connect` equality constraints; a hinge is two of them along its axis
  --solver stiff      the same with the stiffest constraints that MuJoCo offers: impedance 0.9999, Newton's method to 1e-12
  --integrator NAME   Euler (MuJoCo's default), implicit, implicitfast or RK4

Nothing collides and nothing is damped; MuJoCo does neither unless asked to. Its automatic reset of unstable simulations
is off, so that they are seen. MuJoCo raises the time constant of constraints to two steps by itself (`refsafe`).
"""
import argparse
import json
import math
import sys
import time

GRAVITY = 9.81   # m/s²
FAR_AWAY = 1e6   # m: what is there has come apart
SERIES_SIZE = 200


def read_arguments():
    parser = argparse.ArgumentParser()
    parser.add_argument("--check", action="store_true", help="only say whether MuJoCo is here")
    parser.add_argument("--joint", choices=("ball", "hinge"), default="ball")
    parser.add_argument("--links", type=int, default=50)
    for name, default in (("link-mass", 1.0), ("length", 0.1), ("payload", 1000.0), ("dt", 1 / 60), ("time", 10.0),
                          ("spin", 0.5), ("energy-scale", 0.0), ("wall-limit", 1e9)):
        parser.add_argument(f"--{name}", type=float, default=default)
    parser.add_argument("--solver", choices=("tree", "connect", "stiff"), default="tree")
    parser.add_argument("--integrator", choices=("Euler", "implicit", "implicitfast", "RK4"), default="Euler")
    parser.add_argument("--iterations", type=int, default=0)
    parser.add_argument("--series", action="store_true")
    return parser.parse_args()


def bodies_of(a):
    """(mass, moments of inertia, centre) of the rods and of the payload."""
    radius, across = a.length / 20, a.link_mass * a.length**2 / 12
    rods = [(a.link_mass, (0.5 * a.link_mass * radius**2, across, across), (i + 0.5) * a.length) for i in range(a.links)]
    ball = 0.1 * a.payload * a.length**2
    return rods + ([(a.payload, (ball, ball, ball), a.links * a.length)] if a.payload > 0 else [])


def add_body(parent, i, position, mass, inertia):
    return parent.add_body(name=f"body{i}", pos=position, mass=mass, inertia=inertia, explicitinertial=True,
                           ipos=[0, 0, 0])  # without it the centre of mass is put at `position` from the body's origin


def axis_of(i):
    return (0, 0, 1) if i % 2 == 0 else (0, 1, 0)


def build_tree(mujoco, a, spec):
    parent, at = spec.worldbody, 0.0
    for i, (mass, inertia, centre) in enumerate(bodies_of(a)):
        body = add_body(parent, i, [centre - at, 0, 0], mass, inertia)
        is_payload = i == a.links
        pivot = [0 if is_payload else -0.5 * a.length, 0, 0]
        if a.joint == "hinge" and not is_payload:
            body.add_joint(type=mujoco.mjtJoint.mjJNT_HINGE, pos=pivot, axis=axis_of(i))
        else:
            body.add_joint(type=mujoco.mjtJoint.mjJNT_BALL, pos=pivot)
        parent, at = body, centre


def build_free(mujoco, a, spec):
    for i, (mass, inertia, centre) in enumerate(bodies_of(a)):
        add_body(spec.worldbody, i, [centre, 0, 0], mass, inertia).add_freejoint()
    for i in range(len(bodies_of(a))):
        is_payload = i == a.links
        pivot = 0 if is_payload else -0.5 * a.length
        off = 0.5 * a.length
        for side in ((-off, off) if a.joint == "hinge" and not is_payload else (0,)):
            add_connect(mujoco, a, spec, i, [pivot, *(side * x for x in axis_of(i)[1:])])


def add_connect(mujoco, a, spec, i, anchor):
    equality = spec.add_equality(type=mujoco.mjtEq.mjEQ_CONNECT, name1=f"body{i}", name2=f"body{i - 1}" if i > 0 else "world",
                                 objtype=mujoco.mjtObj.mjOBJ_BODY)
    data = [0.0] * len(equality.data)
    data[:3] = anchor
    equality.data = data
    if a.solver == "stiff":
        equality.solimp = [0.9999, 0.9999, 0.001, 0.5, 2]
        equality.solref = [2 * a.dt, 1]


def build(mujoco, a):
    spec = mujoco.MjSpec()
    spec.option.timestep = a.dt
    spec.option.gravity = [0, 0, -GRAVITY]
    spec.option.integrator = getattr(mujoco.mjtIntegrator, "mjINT_" + a.integrator.upper())
    spec.option.disableflags |= mujoco.mjtDisableBit.mjDSBL_AUTORESET
    if a.solver == "stiff":
        spec.option.tolerance = 1e-12
        spec.option.iterations = 200
    if a.iterations > 0:
        spec.option.iterations = a.iterations
    (build_tree if a.solver == "tree" else build_free)(mujoco, a, spec)
    return spec.compile()


def set_start(model, data, a):
    if a.solver == "tree":
        # the first joint turns the whole; the payload, held at its centre, does not turn
        data.qvel[0 if a.joint == "hinge" else 2] = a.spin
        if a.payload > 0:
            data.qvel[model.nv - 1] = -a.spin
        return
    for i, (_, _, centre) in enumerate(bodies_of(a)):
        data.qvel[6 * i + 1] = a.spin * centre
        if i < a.links:
            data.qvel[6 * i + 5] = a.spin


class Gauge:
    """Positions and velocities to separation and energies, on data of its own: the simulation is not disturbed."""

    def __init__(self, mujoco, numpy, model, a):
        self.mujoco, self.numpy, self.model = mujoco, numpy, model
        self.data = mujoco.MjData(model)
        half = numpy.full(len(bodies_of(a)), 0.5 * a.length)
        half[a.links:] = 0.0
        self.half = half[:, None]

    def read(self, data):
        """Largest separation, kinetic energy, potential, centre of the last body; None when they are far away."""
        numpy, own, model = self.numpy, self.data, self.model
        if not numpy.isfinite(data.qpos).all() or not numpy.isfinite(data.qvel).all():
            return None
        own.qpos[:], own.qvel[:] = data.qpos, data.qvel
        self.mujoco.mj_kinematics(model, own)
        self.mujoco.mj_comPos(model, own)
        self.mujoco.mj_comVel(model, own)
        centre, turn = own.xipos[1:], own.xmat[1:].reshape(-1, 3, 3)
        spin, speed = own.cvel[1:, :3], own.cvel[1:, 3:]
        velocity = speed + numpy.cross(spin, centre - own.subtree_com[model.body_rootid[1:]])
        if max(abs(centre).max(), abs(velocity).max()) > FAR_AWAY:
            return None
        mass, inertia = model.body_mass[1:], model.body_inertia[1:]
        about = numpy.einsum("bij,bi->bj", turn, spin)
        kinetic = 0.5 * float((mass * (velocity**2).sum(1)).sum() + (inertia * about**2).sum())
        along = self.half * turn[:, :, 0]
        before = numpy.vstack([numpy.zeros(3), (centre + along)[:-1]])
        separation = float(numpy.linalg.norm(centre - along - before, axis=1).max())
        return separation, kinetic, GRAVITY * float(mass @ centre[:, 2]), centre[-1].tolist()


def run(mujoco, numpy, a):
    mujoco.set_mju_user_warning(lambda message: None)  # or it is written to a file in the current folder
    model = build(mujoco, a)
    data = mujoco.MjData(model)
    set_start(model, data, a)
    gauge = Gauge(mujoco, numpy, model, a)
    separation, kinetic, start_potential, last = gauge.read(data)
    start = kinetic + start_potential
    rise = loss = end = seconds = now = 0.0
    exchanged = kinetic
    status = "done"
    series = {"time": [0.0], "separation": [separation], "energy": [0.0]}
    steps = round(a.time / a.dt)
    for k in range(1, steps + 1):
        began = time.process_time()
        mujoco.mj_step(model, data)
        seconds += time.process_time() - began
        now = k * a.dt
        found = gauge.read(data)
        if found is None:
            status = "came apart"
            break
        apart, kinetic, potential, last = found
        end = kinetic + potential - start
        rise, loss, separation = max(rise, end), max(loss, -end), max(separation, apart)
        exchanged = max(exchanged, kinetic, abs(potential - start_potential))
        if now >= len(series["time"]) * a.time / SERIES_SIZE:
            series["time"].append(now)
            series["separation"].append(apart)
            series["energy"].append(end)
        if seconds > a.wall_limit and k < steps:
            status = "too slow"
            break
    scale = a.energy_scale or exchanged
    kind = {"tree": "tree", "connect": "connect", "stiff": "connect, stiffest"}[a.solver]
    result = {"engine": "MuJoCo", "version": mujoco.__version__, "variant": f"{kind}, {a.integrator}, double",
              "bodies": len(bodies_of(a)), "status": status, "time": now, "separation": separation,
              "energy_rise": rise / scale, "energy_loss": loss / scale, "energy_end": end / scale, "energy_scale": scale,
              "last_body": last, "real_time_factor": now / seconds if seconds > 0 else 0.0}
    if a.series:
        result["series"] = series
    return result


def main():
    a = read_arguments()
    try:
        import mujoco
        import numpy
    except ImportError as error:
        print(f"error: {error}; pip install mujoco", file=sys.stderr)
        return 3
    if a.check:
        print(json.dumps({"engine": "MuJoCo", "version": mujoco.__version__}))
        return 0
    print(json.dumps({key: None if isinstance(value, float) and not math.isfinite(value) else value
                      for key, value in run(mujoco, numpy, a).items()}))
    return 0


if __name__ == "__main__":
    sys.exit(main())
