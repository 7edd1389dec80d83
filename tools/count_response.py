#!/usr/bin/env python3
"""Counts the instructions of the ways to the response matrix of auxiliary constraints, side by side.

    count_response.py COMMAND [RUNGS...]        e.g. build/catena 10 30 100

Callgrind counts, so the answer does not depend on what else the machine does. Every method runs with few and with more
repeats; the difference is the work of one response matrix, without the setup.
"""
import re
import subprocess
import sys
import tempfile

METHODS = ("path", "solves", "rosenthal", "literal")
REPEATS = (1, 3)


def count(command, rungs, method, repeats):
    with tempfile.TemporaryDirectory() as folder:
        run = subprocess.run(
            ["valgrind", "--tool=callgrind", f"--callgrind-out-file={folder}/out", command, "bench", "response",
             "--links", str(rungs), "--method", method, "--repeats", str(repeats)], capture_output=True, text=True)
    total = re.search(r"Collected : (\d+)", run.stderr)
    if run.returncode != 0 or not total:
        raise SystemExit(f"{command} bench response failed under callgrind:\n{run.stdout}{run.stderr}")
    return int(total[1])


def main():
    if len(sys.argv) < 2:
        print(__doc__)
        return 2
    sizes = [int(text) for text in sys.argv[2:]] or [10, 30, 100]
    few, more = REPEATS
    print(f"{'rungs':>6}" + "".join(f"{method:>16}" for method in METHODS) + "   instructions")
    for rungs in sizes:
        work = [(count(sys.argv[1], rungs, method, more) - count(sys.argv[1], rungs, method, few)) // (more - few)
                for method in METHODS]
        print(f"{rungs:>6}" + "".join(f"{value:>16,}" for value in work))
    return 0


if __name__ == "__main__":
    sys.exit(main())
