#!/usr/bin/env python3
"""Checks what one evaluation, from state to accelerations, and one step cost: the same number of instructions per link at any size, and
no more than the committed baseline (tools/linear_baseline.json).

    check_linear.py COMMAND                     build/PRESET/catena, of the preset that the baseline was made with
    check_linear.py COMMAND --write-baseline    renews the baseline; say in the commit why it changes
    check_linear.py COMMAND --far               joint coordinates, from 10 to 100,000 joints: what each joint adds, from size to size;
                                                takes minutes, has no baseline

Instructions are counted by callgrind, so the answer does not depend on what else the machine does. It notes its count whenever the
function in question returns; what comes between its first and its second return is one evaluation or step, without the setup.
Use a preset that is built without -march=native: valgrind does not know the newest instruction sets. The baseline holds for the flags of
its preset and for its compiler only; a command of another preset is refused.
"""
import concurrent.futures
import json
import os
import pathlib
import platform
import re
import subprocess
import sys
import tempfile

BASELINE = pathlib.Path(__file__).with_name("linear_baseline.json")
ABOVE_BASELINE = 0.02  # how much more than the baseline a case may cost

# what: arguments of `catena bench linear`, sizes, and how much the dearest size may exceed the cheapest
CASES = {
    "hinge": (["--joint", "hinge"], (100, 1000, 10000), 0.03),
    "ball": (["--joint", "ball"], (100, 1000, 10000), 0.03),
    "tree": (["--joint", "tree"], (100, 1000, 10000), 0.03),
    # beyond, rounding of the one long sum asks for a pass of refinement
    "centre": (["--joint", "centre"], (100, 1000, 3000), 0.03),
    "ladder": (["--joint", "ladder"], (100, 1000, 3000), 0.05),
    "ring": (["--joint", "ring"], (100, 1000, 3000), 0.05),
    "four-bars": (["--joint", "four-bars"], (100, 1000, 3000), 0.05),
    "stiff, linearised-euler": (["--step", "linearised-euler"], (100, 1000, 10000), 0.03),
    "stiff, bdf2": (["--step", "bdf2"], (100, 1000, 10000), 0.03),
    "hinge, rattle": (["--joint", "hinge", "--step", "rattle"], (100, 500), 0.03),
    "ball, rattle": (["--joint", "ball", "--step", "rattle"], (100, 1000), 0.03),
    "hinge, symplectic-euler": (["--joint", "hinge", "--step", "symplectic-euler"], (100, 500), 0.03),
    "ladder, rattle": (["--joint", "ladder", "--step", "rattle"], (100, 500), 0.05),
    "ladder, symplectic-euler": (["--joint", "ladder", "--step", "symplectic-euler"], (100, 500), 0.05),
    "ladder, bdf2": (["--joint", "ladder", "--step", "bdf2"], (30, 100), 0.05),
    "ladder, linearised-euler": (["--joint", "ladder", "--step", "linearised-euler"], (30, 100), 0.05),
    "ring, bdf2": (["--joint", "ring", "--step", "bdf2"], (100, 300), 0.05),
    "four-bars, rattle": (["--joint", "four-bars", "--step", "rattle"], (100, 500), 0.05),
    "four-bars, bdf2": (["--joint", "four-bars", "--step", "bdf2"], (30, 100), 0.05),
}
# joint coordinates: an evaluation is one pass of articulated bodies, a step that and the way to the next coordinates
JOINTS, FAR_SIZES = ["--formulation", "minimal"], (10, 100, 1000, 10000, 100000)
FAR = {f"{joint}{suffix}": (["--joint", joint, *JOINTS, *step], FAR_SIZES, 0.03)
       for suffix, step in ((", joints", []), (", joints, symplectic-euler", ["--step", "symplectic-euler"]))
       for joint in ("hinge", "ball", "tree")}
EVALUATION = "catena::Simulation::set_state(catena::State const&)"
STEP = "catena::Simulation::step(double)"


def count(command, arguments, links):
    """Instructions from the first to the second return of a function, and the iterations of a step (0: an evaluation)."""
    function = STEP if "--step" in arguments else EVALUATION
    arguments = ["bench", "linear", *arguments, "--links", str(links), "--repeats", "2", "--json"]
    with tempfile.TemporaryDirectory() as folder:
        run = subprocess.run(["valgrind", "--tool=callgrind", f"--callgrind-out-file={folder}/out",
                              f"--dump-after={function}", command, *arguments], capture_output=True, text=True)
        dump = f"{folder}/out.2"
        if run.returncode != 0 or not os.path.exists(dump):
            raise RuntimeError(f"{command} {' '.join(arguments)} failed under callgrind, or did not call {function} twice:\n"
                               f"{run.stdout}{run.stderr}")
        with open(dump, encoding="utf-8") as file:
            total = re.search(r"^totals: (\d+)", file.read(), re.MULTILINE)
    section = json.loads(run.stdout)["sections"]["linear"]
    return int(total[1]), section["steps"][1]["iterations"] if function == STEP else 0


def count_all(command, cases):
    """Per case: instructions per link by size, and iterations by size."""
    runs = sorted(((name, links) for name, (_, sizes, _) in cases.items() for links in sizes),
                  key=lambda run: -run[1])  # the longest first: they would else run alone at the end
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        pending = {run: pool.submit(count, command, cases[run[0]][0], run[1]) for run in runs}
        try:
            counts = {run: result.result() for run, result in pending.items()}
        except (RuntimeError, OSError):
            pool.shutdown(cancel_futures=True)
            raise
    return {name: ({links: round(counts[name, links][0] / links, 1) for links in sizes},
                   {links: counts[name, links][1] for links in sizes}) for name, (_, sizes, _) in cases.items()}


def added_per_link(counts):
    """Instructions that each further link costs, from one size to the next: what a step takes whatever its size is left out, and printed."""
    added = {}
    for name, (per_link, iterations) in counts.items():
        sizes = sorted(per_link)
        total = {links: per_link[links] * links for links in sizes}
        slopes = {big: round((total[big] - total[small]) / (big - small), 1) for small, big in zip(sizes, sizes[1:])}
        print(f"{name:<33}{total[sizes[0]] - slopes[sizes[1]] * sizes[0]:.0f} instructions besides those of its links")
        added[name] = (slopes, iterations)
    return added


def errors_of(name, per_link, iterations, old):
    """Prints one line; yields what is wrong with a case. Without `old` there is no baseline to compare with."""
    spread = max(per_link.values()) / min(per_link.values()) - 1
    allowed = (CASES | FAR)[name][2]
    above = max((value / old.get(str(links), value) - 1 for links, value in per_link.items()), default=0.0) if old is not None else 0.0
    values = "".join(f"{links:>7}: {value:<9.1f}" for links, value in per_link.items())
    print(f"{name:<33}{values:<51} {100 * spread:6.2f} %  {100 * allowed:.0f} %" + (f"   {100 * above:+6.2f} %" if old is not None else ""))
    if missing := [links for links in per_link if old is not None and str(links) not in old]:
        yield f"{name}: the baseline has no figure for {missing}; renew it (--write-baseline)"
    if len(set(iterations.values())) > 1:
        yield f"{name}: steps with different numbers of iterations cannot be compared: {iterations}"
    elif spread > allowed:
        yield f"{name}: the dearest size costs {100 * spread:.1f} % more per link than the cheapest, {100 * allowed:.0f} % are allowed"
    if above > ABOVE_BASELINE:
        yield f"{name}: {100 * above:.1f} % more than the baseline, {100 * ABOVE_BASELINE:.0f} % are allowed"


def preset_of(command):
    return pathlib.Path(command).resolve().parent.name


def write_baseline(command, counts):
    compiler = subprocess.run(["c++", "--version"], capture_output=True, text=True, check=True).stdout.splitlines()[0]
    commit = subprocess.run(["git", "rev-parse", "--short", "HEAD"], capture_output=True, text=True, check=True).stdout.strip()
    text = {
        "what": "instructions per link (rung, four-bar, body) of one evaluation or step, by size; tools/check_linear.py compares with them",
        "preset": preset_of(command),
        "made": f"by callgrind at commit {commit}, {platform.machine()}, {compiler}",
        "renew": f"tools/check_linear.py build/{preset_of(command)}/catena --write-baseline, when a change is worth its price or another "
                 "compiler is used for the checks",
        "instructions": {name: per_link for name, (per_link, _) in counts.items()},
    }
    BASELINE.write_text(json.dumps(text, indent=2) + "\n", encoding="utf-8")


def main():
    mode = sys.argv[2] if len(sys.argv) == 3 else ""
    if len(sys.argv) not in (2, 3) or mode not in ("", "--write-baseline", "--far"):
        print(__doc__)
        return 2
    made_with = json.loads(BASELINE.read_text(encoding="utf-8"))["preset"]
    if not mode and preset_of(sys.argv[1]) != made_with:
        print(f"the baseline is of the preset {made_with}: give build/{made_with}/catena, or renew it with --write-baseline")
        return 1
    cases = FAR if mode == "--far" else CASES
    try:
        counts = count_all(sys.argv[1], cases)
    except (RuntimeError, OSError) as error:
        print(error)
        return 1
    if mode == "--write-baseline":
        write_baseline(sys.argv[1], counts)
    old = json.loads(BASELINE.read_text(encoding="utf-8"))["instructions"] if mode != "--far" else None
    if mode == "--far":
        counts = added_per_link(counts)
    print("instructions per link, rung, four-bar or body by size; spread, allowed; most above the baseline")
    errors = [error for name, case in counts.items() for error in errors_of(name, *case, old.get(name, {}) if old is not None else None)]
    errors += [f"{name}: in the baseline, but not counted; renew it (--write-baseline)" for name in old or {} if name not in CASES]
    print(*errors, sep="\n", end="\n" if errors else "")
    print(f"{len(cases)} kinds of evaluations and steps, {len(errors)} not linear or above the baseline")
    return 1 if errors else 0


if __name__ == "__main__":
    sys.exit(main())
