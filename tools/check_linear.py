#!/usr/bin/env python3
"""Checks that one evaluation, from state to accelerations, and one implicit step cost the same number of instructions per link at any size.

    check_linear.py COMMAND        e.g. build/dev/catena

Instructions are counted by callgrind, so the answer does not depend on what else the machine does. It notes its count whenever the
function in question returns; what comes between its first and its second return is one evaluation or step, without the setup.
Use a binary built without -march=native: valgrind does not know the newest instruction sets.
"""
import concurrent.futures
import json
import os
import re
import subprocess
import sys
import tempfile

# what: arguments of `catena bench linear`, sizes, and how much the dearest size may exceed the cheapest
EVALUATIONS = {
    "hinge": (["--joint", "hinge"], (100, 1000, 10000), 0.03),
    "ball": (["--joint", "ball"], (100, 1000, 10000), 0.03),
    "tree": (["--joint", "tree"], (100, 1000, 10000), 0.03),
    # beyond, rounding of the one long sum asks for a pass of refinement
    "centre": (["--joint", "centre"], (100, 1000, 3000), 0.03),
    "ladder": (["--joint", "ladder"], (100, 1000, 3000), 0.05),
    "ring": (["--joint", "ring"], (100, 1000, 3000), 0.05),
    "four-bars": (["--joint", "four-bars"], (100, 1000, 3000), 0.05),
}
STEPS = {
    "linearised-euler": (["--step", "linearised-euler"], (100, 1000, 10000), 0.03),
    "bdf2": (["--step", "bdf2"], (100, 1000, 10000), 0.03),
}
EVALUATION = "catena::Simulation::set_state(catena::State const&)"
STEP = "catena::Simulation::step(double)"


def count(command, function, arguments, links):
    """Instructions from the first to the second return of a function, and what the command printed."""
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
    return int(total[1]), json.loads(run.stdout)["sections"]["linear"]


def is_too_much(name, sizes, per_link, allowed):
    """Prints one line; whether the dearest size exceeds the cheapest by more than is allowed."""
    spread = max(per_link) / min(per_link) - 1 if min(per_link) > 0 else float("inf")
    values = "".join(f"{links:>9}: {value:<8.1f}" for links, value in zip(sizes, per_link))
    print(f"{name:<17}{values}   {100 * spread:6.2f} %  {100 * allowed:.0f} %")
    return spread > allowed


def main():
    if len(sys.argv) != 2:
        print(__doc__)
        return 2
    structures = {name: (EVALUATION, *rest) for name, rest in EVALUATIONS.items()}
    structures |= {name: (STEP, *rest) for name, rest in STEPS.items()}
    cases = [(name, links) for name, (_, _, sizes, _) in structures.items() for links in sizes]
    cases.sort(key=lambda case: -case[1])  # the longest first: they would else run alone at the end
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        runs = {(name, links): pool.submit(count, sys.argv[1], *structures[name][:2], links) for name, links in cases}
        try:
            counts = {case: run.result() for case, run in runs.items()}
        except (RuntimeError, OSError) as error:
            pool.shutdown(cancel_futures=True)
            print(error)
            return 1

    too_much = 0
    print("instructions per link, rung, four-bar or body; sizes, spread, allowed")
    for name, (_, _, sizes, allowed) in structures.items():
        if name in STEPS:
            iterations = {links: counts[name, links][1]["steps"][1]["iterations"] for links in sizes}
            if len(set(iterations.values())) > 1:
                print(f"{name}: steps with different numbers of iterations cannot be compared: {iterations}")
                too_much += 1
                continue
        too_much += is_too_much(name, sizes, [counts[name, links][0] / links for links in sizes], allowed)
    print(f"{len(EVALUATIONS)} structures and {len(STEPS)} implicit integrators, {too_much} of them not linear")
    return 1 if too_much else 0


if __name__ == "__main__":
    sys.exit(main())
