#!/usr/bin/env python3
"""A part of the campaign: kills runs of the command at random moments and looks at their files.

  tests/campaign/kills.py --seconds 600 --from 1 --out FILE [--kills 1000] [--command build/campaign/catena]

Two scenes that differ in one number are run in turn over the same files: rows as CSV and NPZ, a replay, a glTF scene, plots, a checkpoint.
After every kill (SIGKILL) each name must hold a whole file, old or new, bit for bit (a replay: but for how fast the run was), and CSV rows that were not finished must
be those of the run up to the last whole line. Every moment of a run is as likely as the others; so that the files are often in the middle
of being written, the run itself is short. A line of JSON is appended: tried are kills, ok those that came before the end of the run,
refused those that came after it, crashed files that are neither old nor new, silent rows that are not those of the run.
"""
import argparse
import base64
import json
import pathlib
import random
import re
import signal
import subprocess
import tempfile
import time
import zlib

SCENE = """
bodies: [{{name: bob, kind: particle, mass: 1, position: [{length}, 0, 0]}}]
constraints: [{{name: rod, kind: distance, a: bob, point_b: [0, 0, 0]}}]
"""
FILES = ["a.csv", "a.npz", "a.html", "a.glb", "a.ck", "plots/energy.svg", "plots/film-strip.svg"]


def arguments_for(folder, scene, npz, html):
    """One of two sets of outputs: rows go to one file only."""
    rows = ["--out", str(folder / ("a.npz" if npz else "a.csv")), "--checkpoint", str(folder / "a.ck")]
    pictures = ["--gltf", str(folder / "a.glb"), "--svg", str(folder / "plots")] + (["--html", str(folder / "a.html")] if html else [])
    return ["run", str(scene), "--time", "1", "--quiet", *rows, *pictures]


def has_page(command, folder, scene):
    return subprocess.run([command, *arguments_for(folder, scene, False, True)], capture_output=True).returncode == 0


def without_clock(header):
    """The header of a recording without how fast the run was, which no two runs have in common."""
    values = json.loads(header)
    for key in ("wall_seconds", "real_time_factor"):
        values["about"]["summary"].pop(key)
    return json.dumps(values, sort_keys=True)


def replay_content(page):
    """What two whole replays of one run have in common (docs/replay.md); nothing when this one is not whole."""
    parts = re.fullmatch(rb'(.*id="recording">)([^<]*)(</script>.*</html>\s*)', page, re.DOTALL)
    if not parts:
        return None
    recording = base64.b64decode(parts[2], validate=True)
    size = int.from_bytes(recording[8:12], "little")
    return parts[1], without_clock(zlib.decompress(recording[12: 12 + size])), recording[(12 + size + 2) // 3 * 3:], parts[3]


def contents(folder, files):
    return {name: replay_content(data) if name.endswith(".html") else data
            for name in files for data in [(folder / name).read_bytes()]}


def rows_are_a_prefix(folder, whole):
    """Of a.csv.partial, up to its last whole line."""
    partial = folder / "a.csv.partial"
    if not partial.exists():
        return True
    text = partial.read_bytes()
    return any(version.startswith(text[: text.rfind(b"\n") + 1]) for version in whole)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seconds", type=float, required=True)
    parser.add_argument("--from", dest="first", type=int, default=1, help="seed of the moments")
    parser.add_argument("--out", required=True)
    parser.add_argument("--kills", type=int, default=10**9, help="ends after so many that came before the end of their run")
    parser.add_argument("--command", default="build/campaign/catena")
    arguments = parser.parse_args()
    choose = random.Random(arguments.first)
    failures = []
    count = {"tried": 0, "ok": 0, "refused": 0, "crashed": 0, "hung": 0, "silent": 0}
    with tempfile.TemporaryDirectory() as place:
        folder = pathlib.Path(place)
        scenes = [folder / "one.yaml", folder / "two.yaml"]
        for scene, length in zip(scenes, ("1", "1.5")):
            scene.write_text(SCENE.format(length=length))
        html = has_page(arguments.command, folder, scenes[0])
        files = [name for name in FILES if html or name != "a.html"]
        versions, longest = [], 0.0
        for scene in (scenes[1], scenes[0]):
            for npz in (True, False):
                begin = time.monotonic()
                subprocess.run([arguments.command, *arguments_for(folder, scene, npz, html)], check=True)
                longest = max(longest, time.monotonic() - begin)
                versions.append(contents(folder, [name for name in files if (folder / name).exists()]))
        csv = [version["a.csv"] for version in versions if "a.csv" in version]
        end = time.monotonic() + arguments.seconds
        while count["ok"] < arguments.kills and time.monotonic() < end:
            scene = scenes[count["tried"] // 2 % 2]
            child = subprocess.Popen([arguments.command, *arguments_for(folder, scene, count["tried"] % 2 == 1, html)])
            time.sleep(choose.uniform(0.0, longest))
            child.send_signal(signal.SIGKILL)
            child.wait()
            count["tried"] += 1
            was_running = child.returncode == -signal.SIGKILL
            count["ok" if was_running else "refused"] += 1
            longest *= 1.01 if was_running else 0.97  # the machine may have become faster: three in four should come in time
            now = contents(folder, files)
            for name in files:
                if all(now[name] != version.get(name) for version in versions):
                    count["crashed"] += 1
                    failures.append(f"kill {count['tried']}: {name} is neither the old file nor the new one")
            if not rows_are_a_prefix(folder, csv):
                count["silent"] += 1
                failures.append(f"kill {count['tried']}: rows of a.csv.partial are not those of the run")
        for scene in scenes:  # and what comes after cleans up
            for npz in (True, False):
                subprocess.run([arguments.command, *arguments_for(folder, scene, npz, html)], check=True)
        left = [str(path.relative_to(folder)) for path in folder.rglob("*.partial")]
        if left:
            count["silent"] += 1
            failures.append(f"left behind: {left}")
    line = {"part": "kills", **count, "from": arguments.first, "to": arguments.first + 1,
            "failures": [{"at": arguments.first, "what": what} for what in failures]}
    with open(arguments.out, "a", encoding="utf-8") as out:
        out.write(json.dumps(line) + "\n")
    print(json.dumps(line))


if __name__ == "__main__":
    main()
