#!/usr/bin/env python3
"""Part of the campaign: mechanisms with redundant rows, 10 s in every way to simulate them.

    redundant_rows.py --seconds N --from K --out FILE      as every part (tools/campaign.py); number K is the way K of the table
    redundant_rows.py --table [SCENE...]                   all ways of all scenes, or of some, as a table

A way is an integrator, what keeps constraints from drifting, and a solver. Each must go through 10 s or be refused before its first step.
Its motion is compared with that of rk4 at a fourth of the step. With the solver `sparse` the distance must fall with the step at least as
first order does; with any other solver it may be ALLOWANCE times that of `sparse`, because a solver changes no motion. CATENA names the
command, build/campaign/catena unless given.
"""
import argparse
import csv
import json
import math
import os
import pathlib
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
CATENA = os.environ.get("CATENA", str(ROOT / "build/campaign/catena"))

SECONDS = 10.0
DUPLICATED = """
gravity: [0, 0, -9.81]
bodies:
  - {name: a, kind: rigid, mass: 1, from: [0, 0, 0], to: [1, 0, 0], shape: {kind: box, size: [1, 0.1, 0.2]}}
  - {name: b, kind: rigid, mass: 1, from: [1, 0, 0], to: [1, 1, 0], shape: {kind: box, size: [0.2, 1, 0.1]}}
joints:
  - {name: shoulder, kind: hinge, a: a, point: [0, 0, 0], axis: [0, 1, 0]}
  - {name: elbow, kind: universal, a: b, b: a, point: [1, 0, 0], axis_a: [0, 1, 0], axis: [1, 0, 0]}
  - {name: elbow-again, kind: universal, a: b, b: a, point: [1, 0, 0], axis_a: [0, 1, 0], axis: [1, 0, 0]}
"""
# scene: (file or text, arguments, seconds that are compared: after these, where things swing freely, errors of first order are as large
# as the motion)
SCENES = {
    "bricard": (ROOT / "examples/bricard.yaml", [], 10.0),
    "four-bar": (ROOT / "examples/four-bar.yaml", [], 1.5),
    "door-three-hinges": (ROOT / "examples/door-three-hinges.yaml", [], 10.0),
    "rope-bridge": (ROOT / "examples/rope-bridge.yaml", ["--set", "planks=20"], 1.0),
    "duplicated-joint": (DUPLICATED, [], 3.0),
}
STEP = 1e-3
SOLVERS = ("sparse", "auxiliary", "cg")
WAYS = [(integrator, drift, solver) for integrator, drifts in
        (("rk4", ("projection", "feedback")), ("symplectic-euler", ("projection", "feedback")), ("rattle", ("projection",)),
         ("bdf2", ("projection",)), ("linearised-euler", ("projection",)))
        for drift in drifts for solver in SOLVERS]
ALLOWANCE = 1.5
FIRST_ORDER = 0.7  # halving the step leaves a half of the error, or less; and some for the next order
FLOOR = 1e-6  # m: of solvers that stop at their tolerance, and of rounding
TIME_LIMIT = 600  # s: beyond, a run hangs


def simulate(scene, integrator, drift, solver, step, duration):
    """What the command says, and the positions of all bodies every 10 ms."""
    source, arguments, _ = SCENES[scene]
    with tempfile.TemporaryDirectory() as folder:
        file = source
        if isinstance(source, str):
            file = pathlib.Path(folder, "scene.yaml")
            file.write_text(source, encoding="utf-8")
        table = pathlib.Path(folder, "run.csv")
        run = subprocess.run(
            [CATENA, "run", str(file), *arguments, "--integrator", integrator, "--solver", solver, "--drift", drift, "--dt", str(step),
             "--time", str(duration), "--record-every", str(round(0.01 / step)), "--out", str(table), "--bodies", "all", "--json", "--quiet"],
            capture_output=True, text=True, timeout=TIME_LIMIT)
        rows = list(csv.reader(table.open(encoding="utf-8"))) if table.exists() else []
    answer = json.loads(run.stdout) if run.stdout.startswith("{") else {"message": run.stderr.strip(), "steps": 0}
    answer["exit"] = run.returncode
    if not rows:
        return answer, []
    places = [i for i, name in enumerate(rows[0]) if name.endswith(".x") and f"{name[:-2]}.qw" in rows[0]]
    return answer, [[float(row[i + k]) for i in places for k in range(3)] for row in rows[1:]]


def distance(motion, reference):
    """Largest distance of a body from where it should be, over all instants of the reference; infinite where the motion ends before."""
    if len(motion) < len(reference):
        return math.inf
    return max(max(math.dist(a[i:i + 3], b[i:i + 3]) for i in range(0, len(b), 3)) for a, b in zip(motion, reference))


class Scene:
    """The reference of a scene, and how far integrators with a drift control are off it by themselves."""

    def __init__(self, name):
        self.name = name
        self.compared = SCENES[name][2]
        self.reference = self.motion("rk4", "projection", STEP / 4)
        self.own = {}

    def motion(self, integrator, drift, step):
        """With the solver sparse, as long as it is compared."""
        return simulate(self.name, integrator, drift, "sparse", step, self.compared)[1]

    def errors(self, integrator, drift):
        """At STEP and at half of it."""
        if (integrator, drift) not in self.own:
            self.own[integrator, drift] = [distance(self.motion(integrator, drift, step), self.reference) for step in (STEP, STEP / 2)]
        return self.own[integrator, drift]

    def judge(self, integrator, drift, solver):
        """ok, refused (at the start, with a reason), crashed, hung or silent; and in words."""
        try:
            answer, motion = simulate(self.name, integrator, drift, solver, STEP, SECONDS)
        except subprocess.TimeoutExpired:
            return "hung", f"not done after {TIME_LIMIT} s"
        if answer["exit"] < 0:
            return "crashed", f"signal {-answer['exit']}"
        if answer["exit"] != 0:
            at_start = answer.get("steps", 0) == 0 and answer["message"]
            return "refused" if at_start else "silent", f"after {answer.get('steps', 0)} steps: {answer['message']}"
        off, (own, halved) = distance(motion, self.reference), self.errors(integrator, drift)
        words = f"{off:.1e} m; sparse {own:.1e} m, at half the step {halved:.1e} m"
        converges = halved <= FIRST_ORDER * own + FLOOR
        return "ok" if converges and off <= ALLOWANCE * own + FLOOR else "silent", words


def tabulate(names):
    failures = 0
    for name in names:
        scene = Scene(name)
        print(f"{name}, {SECONDS:g} s, compared over {scene.compared:g} s")
        for integrator, drift, solver in WAYS:
            verdict, words = scene.judge(integrator, drift, solver)
            failures += verdict not in ("ok", "refused")
            print(f"  {integrator:<18}{drift:<12}{solver:<11}{verdict:<9}{words}", flush=True)
    return 1 if failures else 0


def run_part(seconds, first, out):
    counts = dict.fromkeys(("ok", "refused", "crashed", "hung", "silent"), 0)
    failures, scenes, number, end = [], {}, first, time.monotonic() + seconds
    while time.monotonic() < end:
        pathlib.Path(out + ".at").write_text(f"{number}\n", encoding="utf-8")
        name = list(SCENES)[number // len(WAYS) % len(SCENES)]
        way = WAYS[number % len(WAYS)]
        scene = scenes.get(name) or Scene(name)
        scenes[name] = scene
        verdict, words = scene.judge(*way)
        counts[verdict] += 1
        if verdict not in ("ok", "refused"):
            failures.append({"at": number, "what": f"{name}, {', '.join(way)}: {words}"})
        number += 1
    line = {"part": "redundant_rows", "tried": number - first, **counts, "from": first, "to": number, "failures": failures}
    with open(out, "a", encoding="utf-8") as file:
        file.write(json.dumps(line) + "\n")
    return 0


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seconds", type=float)
    parser.add_argument("--from", type=int, default=0, dest="first")
    parser.add_argument("--out")
    parser.add_argument("--table", nargs="*", metavar="SCENE")
    arguments = parser.parse_args()
    if arguments.table is not None:
        return tabulate(arguments.table or SCENES)
    if arguments.seconds is None or arguments.out is None:
        parser.error("--seconds and --out, or --table")
    return run_part(arguments.seconds, arguments.first, arguments.out)


if __name__ == "__main__":
    sys.exit(main())
