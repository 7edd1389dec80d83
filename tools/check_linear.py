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

JOINTS = ("hinge", "ball", "tree")
LINKS = (100, 1000, 10000)
REPEATS = (2, 6)
TOLERANCE = 0.03  # how much the dearest size may exceed the cheapest


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
    cases = [(joint, links, repeats) for joint in JOINTS for links in LINKS for repeats in REPEATS]
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        try:
            counts = dict(zip(cases, pool.map(lambda case: count_instructions(sys.argv[1], *case), cases)))
        except (RuntimeError, OSError) as error:
            print(error)
            return 1

    few, more = REPEATS
    worst = 0.0
    print("instructions per link  " + "".join(f"{links:>10}" for links in LINKS) + "      spread")
    for joint in JOINTS:
        per_link = [(counts[joint, links, more] - counts[joint, links, few]) / ((more - few) * links) for links in LINKS]
        spread = max(per_link) / min(per_link) - 1 if min(per_link) > 0 else float("inf")
        worst = max(worst, spread)
        print(f"{joint:<23}" + "".join(f"{value:>10.1f}" for value in per_link) + f"   {100 * spread:8.2f} %")
    print(f"largest spread {100 * worst:.2f} %, allowed {100 * TOLERANCE:.0f} %")
    return 0 if worst <= TOLERANCE else 1


if __name__ == "__main__":
    sys.exit(main())
