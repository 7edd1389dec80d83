#!/usr/bin/env python3
"""A part of the campaign: fuzzes the readers of what strangers write (tests/fuzz) with the preset `fuzz`.

  tests/campaign/fuzz.py --seconds 600 --from 1 --out FILE [--target scene]

Every target gets its share of the time, begins with its seeds, with
tests/fuzz/corpus and with what earlier runs found worth keeping (build/fuzz/corpus), and appends one line of JSON: tried, ok, refused
(interrupted ones among them), crashed, hung, silent (a promise of tests/fuzz/target.h was broken). Inputs that did it stay in
build/fuzz/found; after each the target goes on with another seed.
"""
import argparse
import json
import os
import pathlib
import re
import subprocess
import time

TARGETS = ["scene", "expression", "checkpoint", "replay", "messages"]
HANG = 20  # seconds of one input: a hundred times what an interrupted one may take
LONGEST = {"scene": 8000, "expression": 2000, "checkpoint": 8000, "replay": 8000, "messages": 8000}  # bytes of an input


def executed_units(log):
    """Inputs that were run: of the final statistics, or of the last line before a crash."""
    final = re.findall(r"stat::number_of_executed_units:\s*(\d+)", log)
    return int(final[-1]) if final else max([int(n) for n in re.findall(r"^#(\d+)", log, re.MULTILINE)], default=0)


def run_once(program, target, folders, seconds, seed):
    """One run of libFuzzer; what it counted, and how it ended."""
    counts = folders["found"] / f"counts-{target}.json"
    counts.unlink(missing_ok=True)
    before = set(folders["found"].iterdir())
    command = [str(program), f"--target={target}", f"--counts={counts}", f"-seed={seed}", f"-max_total_time={max(1, int(seconds))}",
               f"-timeout={HANG}", "-rss_limit_mb=3000", "-malloc_limit_mb=1500", f"-max_len={LONGEST[target]}", "-print_final_stats=1",
               "-reload=0", f"-artifact_prefix={folders['found']}/{target}-", *map(str, folders["corpora"])]
    ended = subprocess.run(command, capture_output=True, text=True, errors="replace",
                           env={**os.environ, "ASAN_OPTIONS": "detect_leaks=0:allocator_may_return_null=0"})
    log = ended.stderr
    answers = json.loads(counts.read_text()) if counts.exists() else {}
    new = [path.name for path in set(folders["found"].iterdir()) - before if path.suffix != ".json"]
    result = {"failures": [], "tried": executed_units(log), "ok": answers.get("ok", 0),
              "refused": answers.get("refused", 0) + answers.get("interrupted", 0), "crashed": 0, "hung": 0, "silent": 0}
    if ended.returncode != 0:
        kind = "silent" if "broken promise" in log else "hung" if any("-timeout-" in name for name in new) else "crashed"
        result[kind] = 1
        (folders["found"] / f"{target}-{seed}.log").write_text(log)
        reason = re.findall(r"broken promise.*|ERROR: .*|runtime error: .*", log)
        result["failures"].append({"at": seed, "what": f"{target}: {reason[0] if reason else 'see the log'} {' '.join(new)}"})
    return result


def fuzz(program, build, target, seconds, seed):
    folders = {"found": build / "found", "corpora": [build / "corpus" / target, build / "seeds" / target, pathlib.Path("tests/fuzz/corpus", target)]}
    folders["found"].mkdir(parents=True, exist_ok=True)
    folders["corpora"][0].mkdir(parents=True, exist_ok=True)
    subprocess.run([str(program), f"--target={target}", f"--seeds={folders['corpora'][1]}"], check=True)
    total = {"failures": [], "tried": 0, "ok": 0, "refused": 0, "crashed": 0, "hung": 0, "silent": 0}
    end, first = time.monotonic() + seconds, seed
    while (left := end - time.monotonic()) > 0.5:
        for key, count in run_once(program, target, folders, left, seed).items():
            total[key] += count
        seed += 1
    return {"part": "fuzz", "target": target, **total, "from": first, "to": seed}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seconds", type=float, required=True)
    parser.add_argument("--from", dest="first", type=int, default=1, help="first seed")
    parser.add_argument("--out", required=True)
    parser.add_argument("--target", choices=TARGETS, action="append")
    arguments = parser.parse_args()
    build = pathlib.Path("build/fuzz")
    program = build / "tests" / "fuzz_targets"
    if not program.exists():
        parser.error("there is no build/fuzz/tests/fuzz_targets; cmake --preset fuzz && cmake --build --preset fuzz")
    targets = arguments.target or TARGETS
    for target in targets:
        line = fuzz(program, build, target, arguments.seconds / len(targets), max(1, arguments.first))
        with open(arguments.out, "a", encoding="utf-8") as out:
            out.write(json.dumps(line) + "\n")
        print(json.dumps(line))


if __name__ == "__main__":
    main()
