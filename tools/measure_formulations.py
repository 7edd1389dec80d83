#!/usr/bin/env python3
"""Measures what a step costs in each formulation on every example, and whether `automatic` takes the cheapest.

    measure_formulations.py COMMAND                        every example, with the integrator of the scene, rk4 and symplectic-euler
    measure_formulations.py COMMAND --only arm-7 chain     some of them
    measure_formulations.py COMMAND --check 1.25           exit status 1 where automatic costs more than that times the cheapest
    measure_formulations.py COMMAND --markdown             as a table for documents

COMMAND is build/catena, built for speed. Times are microseconds of the processor per step: those of a run less those of a short one, which is its start; the
shortest of several that take turns. Below a microsecond a difference says nothing and is not counted. Runs that are refused have no time.
"""
import argparse
import json
import os
import pathlib
import subprocess
import sys
import tempfile

EXAMPLES = pathlib.Path(__file__).resolve().parent.parent / "examples"
FORMULATIONS = ("maximal", "minimal", "middle")
INTEGRATORS = ("scene", "rk4", "symplectic-euler")
TARGET = 0.1        # seconds that a run should take
MOST_STEPS = 5000
FEW = 20            # steps of a short run
TURNS = 4
NOTHING = 1.0       # µs


def run(command, scene, formulation, integrator, steps):
    """The report of a run with `seconds`, what the processor took for all of it; nothing where it is refused."""
    line = [command, "run", str(scene), "--json", "--quiet", "--formulation", formulation, "--steps", str(steps)]
    if integrator != "scene":
        line += ["--integrator", integrator]
    with tempfile.TemporaryFile("w+") as out:
        child = subprocess.Popen(line, stdout=out, stderr=subprocess.DEVNULL)
        _, _, usage = os.wait4(child.pid, 0)
        child.returncode = 0
        out.seek(0)
        try:
            report = json.load(out)
        except json.JSONDecodeError:
            return None
    report["seconds"] = usage.ru_utime + usage.ru_stime  # their sum is exact, their shares are guessed by ticks
    return report if report.get("status") == "done" else None


def measure(command, scene, integrator):
    """Cost of a step by formulation, and what automatic chose; nothing where it takes no step."""
    start, steps, best = {}, {}, {}
    chosen = run(command, scene, "automatic", integrator, FEW)
    for formulation in FORMULATIONS:
        first = run(command, scene, formulation, integrator, FEW)
        if first is None:
            continue
        start[formulation] = first["seconds"]
        steps[formulation] = FEW + max(FEW, min(MOST_STEPS, int(TARGET * FEW / max(first["wall_seconds"], 1e-6))))
    for _ in range(TURNS):
        for formulation, count in steps.items():
            short, whole = (run(command, scene, formulation, integrator, n) for n in (FEW, count))
            if short is None or whole is None:
                continue
            start[formulation] = min(start[formulation], short["seconds"])
            cost = 1e6 * (whole["seconds"] - start[formulation]) / (count - FEW)
            best[formulation] = min(best.get(formulation, float("inf")), cost)
    return best, chosen


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("command")
    parser.add_argument("--only", nargs="+", metavar="NAME")
    parser.add_argument("--integrators", nargs="+", default=INTEGRATORS, metavar="NAME")
    parser.add_argument("--check", type=float, metavar="FACTOR")
    parser.add_argument("--markdown", action="store_true")
    options = parser.parse_args()
    scenes = sorted(EXAMPLES.glob("*.yaml"))
    if options.only:
        scenes = [s for s in scenes if s.stem in options.only]
    if options.markdown:
        print("| scene | integrator | maximal | minimal | middle | automatic |\n|---|---|---|---|---|---|")
    compared, dear = 0, []
    for scene in scenes:
        for integrator in options.integrators:
            best, chosen = measure(options.command, scene, integrator)
            if chosen is None or chosen["formulation"] not in best:
                continue
            own, cheapest = best[chosen["formulation"]], min(best.values())
            compared += 1
            is_dear = options.check and own > options.check * cheapest and own - cheapest > NOTHING
            if is_dear:
                dear.append(f"{scene.stem}, {chosen['integrator']}: {own:.1f} µs, the cheapest {cheapest:.1f} µs")
            cells = [f"{best[f]:.2f}" if f in best else "-" for f in FORMULATIONS]
            if options.markdown:
                print(f"| {scene.stem} | {chosen['integrator']} | {' | '.join(cells)} | {chosen['formulation']} |", flush=True)
            else:
                print(f"{scene.stem:26s} {chosen['integrator']:17s}", *(f"{c:>10s}" for c in cells),
                      f"  {chosen['formulation']}{'   dear' if is_dear else ''}", flush=True)
    print(f"\n{compared} compared, {len(dear)} dear" if options.check else f"\n{compared} compared", file=sys.stderr)
    for line in dear:
        print(line, file=sys.stderr)
    return 1 if dear else 0


if __name__ == "__main__":
    sys.exit(main())
