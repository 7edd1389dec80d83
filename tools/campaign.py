#!/usr/bin/env python3
"""Runs the campaign: tests that go on for as long as one lets them (`make campaign`).

Parts are programs that try one number after the other (a seed, an input, a kill), each with
    PART --seconds N --from K --out FILE
and append one line of JSON to FILE: {part, tried, ok, refused, crashed, hung, silent, from, to}, perhaps with `unjudged` and
`failures` [{at, what}]. They take turns, at low priority. A part that crashes or does not come back is recorded with the number that
it wrote to FILE.at last, and goes on behind it. Counts add up over all runs, in campaign/*.jsonl; interrupt it whenever you like.

Parts are the programs in build/campaign/campaign and the scripts tests/campaign/*.py.

    tools/campaign.py --hours 8             as long as that
    tools/campaign.py --only mechanisms     one part, or several
    tools/campaign.py --table               what has been counted so far
"""
import argparse
import json
import os
import pathlib
import signal
import subprocess
import sys
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent
RESULTS = ROOT / "campaign"
COUNTS = ["tried", "ok", "refused", "unjudged", "crashed", "hung", "silent"]
BAD = ["crashed", "hung", "silent"]
GOALS = {"complementarity": 100_000, "contact_scenes": 10_000, "mechanisms": 100_000, "relations": 10_000, "trees": 10_000}
GOAL_OF_INPUTS = 1_000_000  # of every other part that counts inputs
GRACE = 120  # seconds beyond its own that a part may take to come back


def find_parts(only):
    programs = [path for path in sorted(ROOT.glob("build/campaign/campaign/*")) if path.is_file() and os.access(path, os.X_OK)]
    scripts = sorted((ROOT / "tests/campaign").glob("*.py"))
    parts = {path.stem: path for path in programs + scripts}
    unknown = [name for name in only if name not in parts]
    if unknown:
        sys.exit(f"no part {unknown[0]}; there are: {', '.join(parts) or 'none (make campaign builds them)'}")
    return {name: path for name, path in parts.items() if not only or name in only}


def read_lines(part):
    """What a part has written; a line that a kill left unfinished does not count."""
    lines = []
    path = RESULTS / f"{part}.jsonl"
    for text in path.read_text().splitlines() if path.exists() else []:
        try:
            lines.append(json.loads(text))
        except json.JSONDecodeError:
            pass
    return lines


def totals(lines):
    return {key: sum(line.get(key, 0) for line in lines) for key in COUNTS}


def next_number(lines):
    return max((line["to"] for line in lines), default=1)


def command(path, seconds, begin):
    interpreter = [sys.executable] if path.suffix == ".py" else []
    return ["nice", "-n", "19", *interpreter, str(path), "--seconds", str(seconds), "--from", str(begin),
            "--out", str(RESULTS / f"{path.stem}.jsonl")]


def record_failure(path, begin, kind, what):
    """A part that ended without its line: all that is known is where it was."""
    place = RESULTS / f"{path.stem}.jsonl.at"
    try:
        at = max(begin, int(place.read_text().split()[0]))
    except (OSError, ValueError, IndexError):
        at = begin
    line = {"part": path.stem, "tried": at - begin + 1, "ok": 0, "refused": 0, "unjudged": at - begin, "crashed": 0, "hung": 0,
            "silent": 0, "from": begin, "to": at + 1, "failures": [{"at": at, "what": what}]}
    line[kind] = 1
    with open(RESULTS / f"{path.stem}.jsonl", "a") as out:
        out.write(json.dumps(line) + "\n")


def run_slice(path, seconds):
    lines = read_lines(path.stem)
    begin = next_number(lines)
    process = subprocess.Popen(command(path, seconds, begin), cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                               text=True, errors="replace", start_new_session=True)
    try:
        output, _ = process.communicate(timeout=seconds + GRACE)
    except (subprocess.TimeoutExpired, KeyboardInterrupt) as reason:
        os.killpg(process.pid, signal.SIGKILL)
        process.communicate()
        if isinstance(reason, KeyboardInterrupt):
            raise
        return record_failure(path, begin, "hung", f"did not come back within {seconds + GRACE} s")
    if process.returncode == 0 and len(read_lines(path.stem)) > len(lines):
        return None
    if process.returncode == 2 and len(read_lines(path.stem)) == len(lines):
        sys.exit(f"{path.stem} refuses its arguments: {output.strip()[-500:]}")
    ended = f"signal {-process.returncode}" if process.returncode < 0 else f"status {process.returncode}"
    return record_failure(path, begin, "crashed", f"ended with {ended}: {output.strip()[-300:]}")


def bar(done, goal, width=20):
    filled = min(width, width * done // goal)
    return "█" * filled + "·" * (width - filled)


def goal_of(part):
    return GOALS.get(part, GOAL_OF_INPUTS if part.startswith("fuzz") else 1_000)


def print_table(parts):
    print(f"{'part':16} {'':20} " + " ".join(f"{key:>9}" for key in COUNTS))
    is_clean = True
    for part in parts:
        lines = read_lines(part)
        count = totals(lines)
        is_clean = is_clean and not any(count[key] for key in BAD)
        print(f"{part:16} {bar(count['tried'], goal_of(part))} " + " ".join(f"{count[key]:9}" for key in COUNTS))
    for part in parts:
        failures = [failure for line in read_lines(part) for failure in line.get("failures", [])]
        for failure in failures[-10:]:
            print(f"  {part} {failure['at']}: {failure['what']}"[:200])
        if len(failures) > 10:
            print(f"  ... and {len(failures) - 10} more in {RESULTS.name}/{part}.jsonl")
    return is_clean


def show_progress(part, parts, until):
    count = totals(read_lines(part))
    bad = sum(totals(read_lines(name))[key] for name in parts for key in BAD)
    text = f"{part:16} {bar(count['tried'], goal_of(part))} {count['tried']:>9} tried   {bad} failures   {max(0, until - time.time()) / 60:.0f} min left"
    print(f"\r{text}" if sys.stdout.isatty() else text, end="" if sys.stdout.isatty() else "\n", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--hours", type=float, default=8.0)
    parser.add_argument("--slice", type=int, default=60, help="seconds of one turn of a part")
    parser.add_argument("--only", nargs="+", default=[], help="these parts")
    parser.add_argument("--table", action="store_true", help="only print what has been counted")
    arguments = parser.parse_args()
    parts = find_parts(arguments.only)
    RESULTS.mkdir(exist_ok=True)
    until = time.time() + 3600 * arguments.hours
    try:
        while not arguments.table and time.time() < until:
            for part, path in parts.items():
                run_slice(path, max(1, min(arguments.slice, int(until - time.time()))))
                show_progress(part, parts, until)
    except KeyboardInterrupt:
        pass
    print()
    sys.exit(0 if print_table(parts) else 1)


if __name__ == "__main__":
    main()
