#!/usr/bin/env python3
"""Writes docs/constraints/README.md from the table at the top of every page there; --check only compares.

Every page begins with a title, a table with the columns below, and refers to docs/images/constraints/PAGE.svg.
"""
import re
import sys

from sources import ROOT, read

COLUMNS = ["rows in space", "rows in the plane", "rows are", "what is left free", "C++", "scene"]
GROUPS = [
    ("Joints", "ball hinge universal constant-velocity slider cylindrical planar weld"),
    ("Points", "distance nail point-on-curve point-on-surface"),
    ("Couplings", "gear differential rotor-gear screw rack rope drum centre-of-mass"),
    ("Contact and rolling", "tangency rolling knife-edge sliding-point"),
    ("Drives", "driven remote-drive"),
]
INTRODUCTION = """# Constraints

<!-- Written by tools/make_constraint_index.py from the tables at the top of the pages. -->

What each constraint holds, its equations, how to write it in C++ and in a scene, and where its limits are. In the figures body a is blue, body b grey, and what is
free orange. The scenes of these pages are run by `make test`, the C++ is quoted from programs that it builds and runs.

**Legend.** Markers a and b (points with axes, fixed in bodies) with place x, velocity v, axes R and angular velocity ω, in the world; ρ = x_a - x_b. In products x_a, y_a, z_a are the
axes of marker a. G_k = (coefficients of v_k | of ω_k):

    Ċ = Σ G_k·(v_k ; ω_k) + C_t          C̈ = Σ G_k·(v̇_k ; ω̇_k) + γ

C is the error of a row, C_t its explicit rate (driven constraints), γ everything in C̈ without accelerations. All of it is exact off the constraint as well. The force is +Jᵀλ, J from G by the chain
rule of the bodies; where a page gives a K of its own, it is +Kᵀλ. Holonomic rows have a C, which is closed in every step; nonholonomic rows hold velocities only. More: [notation](../notation.md),
[write your own](../write-your-own-constraint.md).
"""


def read_page(name):
    """Title and table of a page; raises ValueError with what is wrong."""
    path = f"docs/constraints/{name}.md"
    text = read(path)
    match = re.match(r"# (?P<title>[^\n]+)\n\n\| (?P<head>[^\n]+) \|\n\|[-|]+\|\n\| (?P<row>[^\n]+) \|\n\n", text)
    if not match or match["head"].split(" | ") != COLUMNS:
        raise ValueError(f"{path}: must begin with a title and a table with the columns {', '.join(COLUMNS)}")
    row = match["row"].split(" | ")
    if len(row) != len(COLUMNS):
        raise ValueError(f"{path}: the table has {len(row)} cells, not {len(COLUMNS)}")
    if f"(../images/constraints/{name}.svg)" not in text or not (ROOT / f"docs/images/constraints/{name}.svg").is_file():
        raise ValueError(f"{path}: shows no figure docs/images/constraints/{name}.svg")
    return match["title"], row


def make_index():
    listed = [name for _, names in GROUPS for name in names.split()]
    present = sorted(path.stem for path in (ROOT / "docs/constraints").glob("*.md") if path.name != "README.md")
    if sorted(listed) != present:
        raise ValueError(f"docs/constraints: pages and groups differ: {', '.join(sorted(set(listed) ^ set(present)))}")
    parts = [INTRODUCTION]
    for group, names in GROUPS:
        parts.append(f"\n## {group}\n\n| | constraint | rows: space, plane | rows are | what is left free | C++ | scene |\n|---|---|---|---|---|---|---|\n")
        for name in names.split():
            title, (space, plane, nature, free, cpp, scene) = read_page(name)
            rows = space if space == plane else f"{space}, {plane}"
            parts.append(f'| <img src="../images/constraints/{name}.svg" width="120" alt=""> | [{title}]({name}.md) | {rows} | {nature} | {free} | '
                         f"{cpp} | {scene} |\n")
    return "".join(parts)


def main():
    target = ROOT / "docs/constraints/README.md"
    try:
        fresh = make_index()
    except ValueError as error:
        print(error)
        return 1
    old = target.read_text(encoding="utf-8") if target.is_file() else ""
    if "--check" not in sys.argv[1:]:
        target.write_text(fresh, encoding="utf-8")
    elif fresh != old:
        print("docs/constraints/README.md differs from the pages; run tools/make_constraint_index.py")
        return 1
    print(f"{sum(len(names.split()) for _, names in GROUPS)} constraints in the index")
    return 0


if __name__ == "__main__":
    sys.exit(main())
