#!/usr/bin/env python3
"""Checks that one evaluation, from state to accelerations, costs the same number of instructions per link at any size.

    check_linear.py COMMAND        e.g. build/dev/catena

Instructions are counted by callgrind, so the answer does not depend on what else the machine does. Every size runs
with few and with more repeats; the difference divided by the extra repeats is one evaluation, without the setup.
Use a binary built without -march=native: valgrind does not know the newest instruction sets.
"""
import concurrent.futures
import os
import re
import subprocess
import sys
import tempfile

# structure: sizes, and how much the dearest size may exceed the cheapest
STRUCTURES = {
    "hinge": ((100, 1000, 10000), 0.03),
    "ball": ((100, 1000, 10000), 0.03),
    "tree": ((100, 1000, 10000), 0.03),
    "centre": ((100, 1000, 3000), 0.03),  # beyond, rounding of the one long sum asks for a pass of refinement
    "ladder": ((100, 1000, 3000), 0.05),
    "ring": ((100, 1000, 3000), 0.05),
    "four-bars": ((100, 1000, 3000), 0.05),
}
REPEATS = (2, 6)


def count_instructions(command, joint, links, repeats):
    with tempfile.TemporaryDirectory() as folder:
        run = subprocess.run(
            ["valgrind", "--tool=callgrind", f"--callgrind-out-file={folder}/out",
             command, "bench", "linear", "--links", str(links), "--joint", joint, "--repeats", str(repeats)],
            capture_output=True, text=True)
    total = re.search(r"Collected : (\d+)", run.stderr)
    if run.returncode != 0 or not total:
        raise RuntimeError(f"{command} bench linear --links {links} --joint {joint} --repeats {repeats} "
                           f"failed under callgrind:\n{run.stdout}{run.stderr}")
    return int(total[1])


def main():
    if len(sys.argv) != 2:
        print(__doc__)
        return 2
    cases = [(joint, links, repeats) for joint, (sizes, _) in STRUCTURES.items() for links in sizes
             for repeats in REPEATS]
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        try:
            counts = dict(zip(cases, pool.map(lambda case: count_instructions(sys.argv[1], *case), cases)))
        except (RuntimeError, OSError) as error:
            print(error)
            return 1

    few, more = REPEATS
    too_much = 0
    print("instructions per link, rung, four-bar or body; sizes, spread, allowed")
    for joint, (sizes, allowed) in STRUCTURES.items():
        per_link = [(counts[joint, links, more] - counts[joint, links, few]) / ((more - few) * links) for links in sizes]
        spread = max(per_link) / min(per_link) - 1 if min(per_link) > 0 else float("inf")
        too_much += spread > allowed
        values = "".join(f"{links:>9}: {value:<8.1f}" for links, value in zip(sizes, per_link))
        print(f"{joint:<10}{values}   {100 * spread:6.2f} %  {100 * allowed:.0f} %")
    print(f"{len(STRUCTURES)} structures, {too_much} of them not linear")
    return 1 if too_much else 0


if __name__ == "__main__":
    sys.exit(main())
