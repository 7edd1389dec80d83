"""Which files the checks look at: those git tracks and new ones, but not what it ignores."""
import pathlib
import subprocess

ROOT = pathlib.Path(__file__).resolve().parent.parent


def list_files(*patterns):
    """Paths relative to the root, sorted; patterns as git understands them ('src/*.cpp' descends into folders)."""
    command = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard", "--", *patterns]
    listing = subprocess.run(command, cwd=ROOT, check=True, capture_output=True, text=True).stdout
    paths = sorted({pathlib.PurePosixPath(name) for name in listing.split("\0") if name})
    return [path for path in paths if (ROOT / path).is_file()]


def read(path):
    return (ROOT / path).read_text(encoding="utf-8")
