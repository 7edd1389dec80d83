#!/usr/bin/env python3
"""Runs every scene of the documents: check_docs.py build/shipped/catena

A block fenced as ```yaml in docs/constraints/, docs/bodies.md, docs/adaptive-integration.md or docs/stiff-joints.md is a complete scene. `catena check` must
accept it, and `catena run --time 0.1` must complete with constraints closed.
"""
import json
import pathlib
import re
import subprocess
import sys
import tempfile

from sources import ROOT, list_files, read

PAGES = list_files(("docs/constraints",), (".md",)) + [pathlib.Path("docs", name) for name in
                                                        ("adaptive-integration.md", "bodies.md", "stiff-joints.md")]
SCENE = re.compile(r"^```yaml\n(.*?)^```$", re.DOTALL | re.MULTILINE)
LARGEST_ERROR = 1e-9  # of a constraint row, m or rad


def run(command, arguments):
    return subprocess.run([command, *arguments], capture_output=True, text=True, timeout=120)


def scene_errors(command, scene):
    """What is wrong with the scene in a file."""
    checked = run(command, ["check", str(scene), "--json"])
    if checked.returncode != 0:
        return [f"check: {checked.stderr.strip()}"]
    done = run(command, ["run", str(scene), "--time", "0.1", "--json", "--quiet"])
    if done.returncode != 0:
        return [f"run: {done.stderr.strip()}"]
    error = json.loads(done.stdout)["constraint_error"]["max"]
    return [f"run: constraint error {error:g}"] if error > LARGEST_ERROR else []


def main():
    if len(sys.argv) != 2:
        print(__doc__)
        return 2
    command = str(pathlib.Path(sys.argv[1]).resolve())
    errors, total = [], 0
    with tempfile.TemporaryDirectory() as folder:
        for page in PAGES:
            text = read(page)
            for match in SCENE.finditer(text):
                total += 1
                scene = pathlib.Path(folder, f"{page.stem}-{total}.yaml")
                scene.write_text(match[1], encoding="utf-8")
                line = text.count("\n", 0, match.start()) + 1
                errors += [f"{page}:{line}: {error}" for error in scene_errors(command, scene)]
    for error in errors:
        print(error)
    print(f"{total} scenes in {len(PAGES)} pages, {len(errors)} errors")
    return 1 if errors else 0


if __name__ == "__main__":
    sys.exit(main())
