#!/usr/bin/env python3
"""Holds Catena's tree algorithms against Pinocchio and MuJoCo: mass matrix, bias forces and forward dynamics of random trees.

    tests/external/compare_trees.py build/shipped/write_trees [--count 100] [--tolerance 1e-9] [--keep FOLDER]

WRITE_TREES writes the trees as MJCF and URDF with what Catena says of them. Both engines read the MJCF files, Pinocchio the URDF files
too. Differences are relative to the largest number of what is compared: |a - b| / max|b|. The last line says what was compared, or that
nothing was because no engine is installed: `tools/install_peers.sh` puts them into build/engines, `pip install pin mujoco` into your own Python.
Status 1: they disagree. 2: they could not be run.
"""
import argparse
import importlib.util
import json
import os
import pathlib
import subprocess
import sys
import tempfile

try:
    import numpy
except ImportError:
    numpy = None

ENGINES = pathlib.Path(__file__).resolve().parents[2] / "build/engines/bin/python"
QUANTITIES = ["mass matrix", "bias forces", "accelerations"]
NUM_V = {"weld": 0, "hinge": 1, "slider": 1, "ball": 3, "universal": 2, "cylindrical": 2, "planar": 3, "free": 6}
NUM_Q = {**NUM_V, "ball": 4, "free": 7}


def difference(ours, theirs):
    scale = numpy.max(numpy.abs(theirs), initial=0.0)
    return numpy.max(numpy.abs(ours - theirs), initial=0.0) / scale if scale > 0 else 0.0


class MuJoCo:
    title = "MuJoCo, MJCF"

    def __init__(self):
        import mujoco
        self.engine = mujoco
        self.version = mujoco.__version__

    def takes(self, tree):
        return True

    def numbers(self, tree, folder):
        engine = self.engine
        model = engine.MjModel.from_xml_path(str(folder / f"tree-{tree['seed']}.xml"))
        data = engine.MjData(model)
        data.qpos[:], data.qvel[:], data.qfrc_applied[:] = tree["q"], tree["v"], tree["tau"]
        engine.mj_forward(model, data)
        mass = numpy.zeros((model.nv, model.nv))
        try:
            engine.mj_fullM(model, data, mass)
        except TypeError:  # before 3.4
            engine.mj_fullM(model, mass, data.qM)
        return mass, data.qfrc_bias.copy(), data.qacc.copy()


class Pinocchio:
    """Free joints have linear velocities in body axes: v' = T v with Ṫ v = (-ω × v ; 0).

    Its reader of MJCF takes a first body without joints for the world, wherever that body is: such trees are left to its URDF reader.
    """
    title = "Pinocchio, MJCF"

    def __init__(self):
        import pinocchio
        self.engine = pinocchio
        self.version = pinocchio.__version__

    def takes(self, tree):
        return tree["joints"][0]["kind"] != "weld"

    def load(self, tree, folder):
        return self.engine.buildModelFromMJCF(str(folder / f"tree-{tree['seed']}.xml"))

    def numbers(self, tree, folder):
        model = self.load(tree, folder)
        model.gravity.linear = numpy.array(tree["gravity"])
        q, turn, extra = self.coordinates(model, tree)
        v, tau = turn @ numpy.array(tree["v"]), turn @ numpy.array(tree["tau"])
        data = model.createData()
        mass = self.engine.crba(model, data, q)
        mass = numpy.triu(mass) + numpy.triu(mass, 1).T
        bias = self.engine.nonLinearEffects(model, data, q, v)
        acceleration = self.engine.aba(model, data, q, v, tau)
        return turn.T @ mass @ turn, turn.T @ (bias + mass @ extra), turn.T @ (acceleration - extra)

    def coordinates(self, model, tree):
        """q with the real part of quaternions last, T, and Ṫ v."""
        q, turn, extra = numpy.array(tree["q"]), numpy.eye(len(tree["v"])), numpy.zeros(len(tree["v"]))
        at_q = at_v = 0
        for joint in tree["joints"]:
            kind = joint["kind"]
            if kind in ("free", "ball"):
                first = at_q + (3 if kind == "free" else 0)
                w, x, y, z = q[first:first + 4]
                q[first:first + 4] = x, y, z, w
                if kind == "free":
                    rotation = self.engine.Quaternion(w, x, y, z).toRotationMatrix()
                    turn[at_v:at_v + 3, at_v:at_v + 3] = rotation.T
                    linear, angular = rotation.T @ tree["v"][at_v:at_v + 3], numpy.array(tree["v"][at_v + 3:at_v + 6])
                    extra[at_v:at_v + 3] = -numpy.cross(angular, linear)
            at_q += NUM_Q[kind]
            at_v += NUM_V[kind]
        return q, turn, extra


class PinocchioUrdf(Pinocchio):
    """Links that branch come in the order of their names: T is a permutation."""
    title = "Pinocchio, URDF"

    def takes(self, tree):
        return tree["urdf"]

    def load(self, tree, folder):
        return self.engine.buildModelFromUrdf(str(folder / f"tree-{tree['seed']}.urdf"))

    def coordinates(self, model, tree):
        moving = [joint["name"] for joint in tree["joints"] if joint["kind"] != "weld"]
        turn = numpy.zeros((len(moving), len(moving)))
        for i, name in enumerate(moving):
            turn[model.joints[model.getJointId(name)].idx_v, i] = 1.0
        return turn @ numpy.array(tree["q"]), turn, numpy.zeros(len(moving))


def installed_peers():
    peers, absent = [], []
    for peer, package in ((MuJoCo, "mujoco"), (Pinocchio, "pin"), (PinocchioUrdf, "pin")):
        try:
            peers.append(peer())
        except ImportError:
            absent.append(f"{peer.title.split(',')[0]} is not installed (tools/install_peers.sh, or pip install {package})")
    return peers, sorted(set(absent))


def compare(peer, trees, folder):
    """Largest differences of one engine, quantity by quantity, with the seeds that have them; and how many trees it took."""
    worst, count = {name: (0.0, 0) for name in QUANTITIES}, 0
    for tree in trees:
        if not peer.takes(tree):
            continue
        count += 1
        ours = [numpy.array(tree[key]) for key in ("mass", "bias", "accelerations")]
        for name, mine, theirs in zip(QUANTITIES, ours, peer.numbers(tree, folder)):
            worst[name] = max(worst[name], (difference(mine, theirs), tree["seed"]))
    return worst, count


def run(arguments, folder):
    peers, absent = installed_peers()
    for line in absent:
        print(line)
    if not peers:
        print("NOT COMPARED with other engines: neither Pinocchio nor MuJoCo is installed (tools/install_peers.sh)")
        return 0
    subprocess.run([arguments.write_trees, folder, str(arguments.count)], check=True)
    trees = json.loads((folder / "trees.json").read_text())
    print(f"{'':24} {'trees':>6}  " + "  ".join(f"{name:>22}" for name in QUANTITIES))
    largest, told = 0.0, []
    for peer in peers:
        worst, count = compare(peer, trees, folder)
        if count == 0:
            print(f"{peer.title} {peer.version} took no tree")
            return 1
        print(f"{peer.title + ' ' + peer.version:24} {count:6}  " +
              "  ".join(f"{worst[name][0]:10.1e} (seed {worst[name][1]:3})" for name in QUANTITIES))
        largest = max([largest] + [value for value, _ in worst.values()])
        told.append(f"{peer.title} ({count})")
    agrees = largest <= arguments.tolerance
    print(f"{'agree' if agrees else 'DISAGREE'}: largest relative difference {largest:.1e} (tolerance {arguments.tolerance:g}) with "
          + ", ".join(told) + "".join(f"; {line}" for line in absent))
    return 0 if agrees else 1


def use_own_python():
    """Where this Python has neither engine and the environment of the build has: that one goes on."""
    if any(importlib.util.find_spec(name) for name in ("mujoco", "pinocchio")) or not ENGINES.exists():
        return
    if pathlib.Path(sys.prefix) != ENGINES.parents[1]:
        os.execv(ENGINES, [str(ENGINES), *sys.argv])


def main():
    use_own_python()
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("write_trees", type=lambda text: str(pathlib.Path(text).resolve()))
    parser.add_argument("--count", type=int, default=100)
    parser.add_argument("--tolerance", type=float, default=1e-9)
    parser.add_argument("--keep", type=pathlib.Path, help="write the trees to this folder and leave them there")
    arguments = parser.parse_args()
    try:
        if arguments.keep:
            arguments.keep.mkdir(parents=True, exist_ok=True)
            sys.exit(run(arguments, arguments.keep))
        with tempfile.TemporaryDirectory() as folder:
            sys.exit(run(arguments, pathlib.Path(folder)))
    except (OSError, subprocess.CalledProcessError) as problem:
        print(f"compare_trees: {problem}", file=sys.stderr)
        sys.exit(2)


if __name__ == "__main__":
    main()
