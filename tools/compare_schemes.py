#!/usr/bin/env python3
"""Runs example scenes with every implicit integrator and with rattle, and prints one Markdown table.

    compare_schemes.py COMMAND [SCENE ...]        e.g. build/catena, or build/catena four-bar hand

The table of docs/implicit-schemes.md comes from it. Energies are the numerical ones: what the work of all sources leaves unexplained,
relative to the energy that is being exchanged (docs/command.md). Scenes marked with * are driven, powered or damped: their numerical energy
also contains the error with which that work is booked. A refused step ends a run; the other columns then tell about the time before.
"""
import json
import pathlib
import subprocess
import sys

from sources import ROOT

SCHEMES = ("bdf2", "tr-bdf2", "generalised-alpha", "backward-euler", "linearised-euler", "rattle")
# scene: step (None: that of the scene), longest time
SCENES = {
    "four-bar": ("1/60", 10),
    "bricard": ("1/60", 10),
    "slider-crank-3d": ("1/60", 5),
    "slider-crank": (None, None),
    "jansen": (None, None),
    "geared-arm": ("1/60", 4),
    "stewart-platform": ("1/60", 2),
    "tree-branches": (None, 7),
    "hair": (None, 3),
    "chain-stiff": (None, 6),
    "flyball-governor": (None, 5),
    "hand": (None, None),
    "humanoid-pull": (None, 4),
    "chain": ("1/60", 5),
    "crane": (None, 10),
    "payload-chain-ball": (None, 10),
    "payload-chain-hinge": (None, 10),
    "payload-chain-light": (None, 10),
}
LONGEST = 300  # s of wall time
REPEATS = 3  # of every run; the fastest counts


def run(command, scene, scheme):
    """The summary of one run, or None when it did not end in time."""
    dt, longest = SCENES.get(scene, (None, None))
    arguments = [command, "run", str(ROOT / "examples" / f"{scene}.yaml"), "--integrator", scheme, "--json", "--quiet"]
    if dt:
        arguments += ["--dt", dt]
    if longest:
        arguments += ["--time", str(longest)]
    try:
        done = subprocess.run(arguments, capture_output=True, text=True, timeout=LONGEST)
    except subprocess.TimeoutExpired:
        return None
    if done.returncode not in (0, 3, 4):  # done, refused, worthless
        raise SystemExit(f"{scene}, {scheme}: {done.stderr.strip()}")
    return json.loads(done.stdout)


def percent(part, scale):
    share = 100 * abs(part) / scale if scale > 0 else 0.0
    if not share < 1e6:
        return "∞"
    return "0" if share < 5e-4 else f"{share:.1g} %" if share < 1 else f"{share:.2g} %" if share < 100 else f"{share:.0f} %"


def row(scene, scheme, summary):
    if summary is None:
        return [scene, scheme, f"more than {LONGEST} s"] + [""] * 6
    energy, steps = summary["energy"], max(summary["steps"], 1)
    ended = {"done": "", "worthless": "worthless"}.get(summary["status"], f"refused at {summary['time']:.3g} s")
    work = sum(abs(summary["ledger"][source]) for source in ("dampers", "motors", "loads", "drag", "driven"))
    mark = "*" if work > 0 else ""
    return [f"{scene}{mark}, {1000 * summary['dt']:.3g} ms", scheme, ended, f"{summary['constraint_error']['max']:.0e}",
            percent(energy["most_lost"], energy["scale"]), percent(energy["most_invented"], energy["scale"]),
            str(summary["halvings"]), f"{summary['iterations'] / steps:.1f}", f"{1e3 * summary['wall_seconds'] / steps:.2g} ms"]


def main():
    if len(sys.argv) < 2:
        print(__doc__)
        return 2
    command = str(pathlib.Path(sys.argv[1]).resolve())
    print("| scene, step | integrator | ended | separation | energy lost | invented | halvings | iterations per step | time per step |")
    print("|---|---|---|---|---|---|---|---|---|")
    for scene in sys.argv[2:] or SCENES:
        for scheme in SCHEMES:
            runs = [run(command, scene, scheme) for _ in range(REPEATS)]
            best = None if None in runs else min(runs, key=lambda summary: summary["wall_seconds"])
            print("| " + " | ".join(row(scene, scheme, best)) + " |", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
