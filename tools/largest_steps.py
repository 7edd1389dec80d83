#!/usr/bin/env python3
"""The largest step whose energy error stays below 1 %, in body coordinates against joint coordinates, on five trees.

    largest_steps.py COMMAND                 as the table of docs/joint-coordinates.md
    largest_steps.py COMMAND --only chain    one of them

COMMAND is build/catena. Each tree moves for two seconds without motors, springs and dampers; the error is the largest energy that nothing explains, over the
scale of the energy in motion (`max_numerical` and `scale` of `catena run --json`). Steps are tried from long to short, each
2^(1/4) times shorter than the one before, until three in a row hold; the largest of the three counts. A run that is refused has failed.
"""
import argparse
import json
import pathlib
import subprocess
import sys

EXAMPLES = pathlib.Path(__file__).resolve().parent.parent / "examples"
DURATION = 2.0
ERROR = 0.01
SHORTEST, LONGEST, RATIO = 2e-5, 0.2, 2 ** 0.25
IN_A_ROW = 3
TREES = (
    ("pendulum of 5 rods", "n-pendulum", []),
    ("chain of 10 hinges", "chain", ["links=10", "joint=hinge"]),
    ("star of 100 pendulums", "star-100", []),
    ("humanoid of 36 dof", "humanoid-36", []),
    ("tree of 127 links", "tree-127", []),
)
WAYS = (
    ("symplectic-euler", "maximal"), ("symplectic-euler", "minimal"),
    ("rk4", "maximal"), ("rk4", "minimal"),
    ("rattle", "maximal"),
)


def error_of(command, scene, settings, integrator, formulation, dt):
    """Largest unexplained energy over its scale; nothing where the run ends early."""
    line = [command, "run", str(EXAMPLES / f"{scene}.yaml"), "--json", "--quiet", "--integrator", integrator,
            "--formulation", formulation, "--time", str(DURATION), "--dt", repr(dt)]
    for setting in settings:
        line += ["--set", setting]
    answer = subprocess.run(line, capture_output=True, text=True, check=False)
    try:
        report = json.loads(answer.stdout)
    except json.JSONDecodeError:
        return None
    if report["status"] != "done":
        return None
    energy = report["energy"]
    return energy["max_numerical"] / energy["scale"]


def largest_step(command, scene, settings, integrator, formulation):
    dt, held = LONGEST, []
    while dt >= SHORTEST and len(held) < IN_A_ROW:
        found = error_of(command, scene, settings, integrator, formulation, dt)
        held = held + [dt] if found is not None and found < ERROR else []
        dt /= RATIO
    return held[0] if len(held) == IN_A_ROW else None


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("command")
    parser.add_argument("--only", nargs="+", default=None, metavar="SCENE")
    options = parser.parse_args()
    print("| tree | " + " | ".join(f"{i}, {f}" for i, f in WAYS) + " |")
    print("|---|" + "---|" * len(WAYS))
    for title, scene, settings in TREES:
        if options.only and scene not in options.only:
            continue
        cells = []
        for integrator, formulation in WAYS:
            best = largest_step(options.command, scene, settings, integrator, formulation)
            number = "" if best is None else f"{1e3 * best:.2g}" if best < 0.1 else f"{1e3 * best:.0f}"
            cells.append("-" if best is None else f"{'≥ ' if best == LONGEST else ''}{number} ms")
        print(f"| {title} | " + " | ".join(cells) + " |", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
