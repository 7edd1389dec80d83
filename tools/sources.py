"""Which files the checks look at."""
import pathlib

ROOT = pathlib.Path(__file__).resolve().parent.parent
CODE = ("include", "src", "apps", "bench", "tests", "examples")
FOLDERS = CODE + ("cmake", "docs", "tools", ".ci")


def list_files(folders, suffixes=None):
    """Files below the folders, relative to the root and sorted; '.' stands for the root itself, without descending."""
    paths = []
    for folder in folders:
        found = ROOT.iterdir() if folder == "." else (ROOT / folder).rglob("*")
        paths += [path.relative_to(ROOT) for path in found
                  if path.is_file() and path.name != ".git"  # a file in worktrees
                  and "__pycache__" not in path.parts and (not suffixes or path.suffix in suffixes)]
    return sorted(set(paths))


def list_code():
    return list_files(CODE, (".h", ".cpp"))


def read(path):
    return (ROOT / path).read_text(encoding="utf-8")
