#!/usr/bin/env python3
"""Where the time to compile goes: processor seconds per source file, and what each spends them on.

    compile_times.py BUILD [--only TEXT] [--top N]      e.g. compile_times.py build/release --only src/model
    compile_times.py BUILD --headers [--only TEXT]      headers by how many source files read them, with their own lines

The first compiles every file of BUILD/compile_commands.json whose path contains TEXT once more, throws the result away, and reports
user seconds: they depend little on what else the machine does. Parsing, instantiation of templates and optimisation are the shares
that -ftime-report (GCC) prints. Configure and build BUILD before, since precompiled headers must be there. ccache is bypassed.
"""
import argparse
import collections
import concurrent.futures
import json
import os
import pathlib
import re
import shlex
import subprocess
import sys
import tempfile

PHASES = {"parse": r"phase parsing", "lazy": r"phase lang\. deferred", "templates": r"template instantiation",
          "optimise": r"phase opt and generate"}


def commands(build, only):
    """(source, folder, arguments) of every compilation, without compiler launchers and without its output file."""
    for entry in json.loads((build / "compile_commands.json").read_text(encoding="utf-8")):
        words = shlex.split(entry["command"])
        first = next(i for i, word in enumerate(words) if re.search(r"(\+\+|g\+\+|clang\+\+)(-\d+)?$", word))
        words = words[first:]
        at = words.index("-o")
        del words[at:at + 2]
        if only in entry["file"]:
            yield entry["file"], entry["directory"], words


def phase_seconds(report, pattern):
    """User seconds of one line of -ftime-report."""
    match = re.search(rf"^ {pattern}\s*:\s*([\d.]+)", report, re.MULTILINE)
    return float(match[1]) if match else 0.0


def compile_once(folder, words):
    """User seconds of one compilation, and their shares by phase."""
    with tempfile.TemporaryDirectory() as scratch:
        process = subprocess.Popen([*words, "-ftime-report", "-o", f"{scratch}/out.o"], cwd=folder, text=True,
                                   stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
                                   env={**os.environ, "CCACHE_DISABLE": "1", "LC_ALL": "C"})
        report = process.stderr.read()
        _, status, usage = os.wait4(process.pid, 0)
    if status:
        raise RuntimeError(f"{words[-1]} does not compile; build the preset first:\n{report[-2000:]}")
    return usage.ru_utime, {name: phase_seconds(report, pattern) for name, pattern in PHASES.items()}


def show_times(build, only, top):
    jobs = list(commands(build, only))
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        results = list(pool.map(lambda job: (job[0], *compile_once(*job[1:])), jobs))
    results.sort(key=lambda result: -result[1])
    print(f"{'user s':>8}" + "".join(f"{name:>10}" for name in PHASES))
    for source, seconds, phases in [*results[:top], ("all of them", sum(r[1] for r in results), {
            name: sum(r[2][name] for r in results) for name in PHASES})]:
        print(f"{seconds:8.1f}" + "".join(f"{phases[name]:10.1f}" for name in PHASES) + f"  {os.path.relpath(source)}"
              if source != "all of them" else
              f"{seconds:8.1f}" + "".join(f"{phases[name]:10.1f}" for name in PHASES) + f"  {len(results)} files")


def headers_of(folder, words):
    """Headers that one file reads, directly or not."""
    run = subprocess.run([*words, "-M"], cwd=folder, capture_output=True, text=True, check=True)
    names = run.stdout.replace("\\\n", " ").split(":", 1)[1].split()
    return {os.path.realpath(os.path.join(folder, name)) for name in names[1:]}


def show_headers(build, only, top):
    jobs = list(commands(build, only))
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        read_by = collections.Counter(name for names in pool.map(lambda job: headers_of(*job[1:]), jobs) for name in names)
    lines = {name: sum(1 for _ in open(name, "rb")) for name in read_by}
    print(f"{'files':>8}{'lines':>8}{'product':>10}   of {len(jobs)} files")
    for name, count in sorted(read_by.items(), key=lambda item: -item[1] * lines[item[0]])[:top]:
        print(f"{count:8}{lines[name]:8}{count * lines[name]:10}   {name}")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("build", type=pathlib.Path)
    parser.add_argument("--only", default="", metavar="TEXT")
    parser.add_argument("--top", type=int, default=30, metavar="N")
    parser.add_argument("--headers", action="store_true")
    arguments = parser.parse_args()
    try:
        (show_headers if arguments.headers else show_times)(arguments.build, arguments.only, arguments.top)
    except (OSError, RuntimeError, subprocess.CalledProcessError) as error:
        print(error)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
