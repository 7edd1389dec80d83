#!/usr/bin/env python3
"""Checks that includes go one way only, and that no file names a place on somebody's machine.

The table below is the architecture: each layer with the layers it may include. Public headers belong to layers too,
so a solver cannot reach a body through include/catena. The table in docs/architecture.md must say the same.
"""
import pathlib
import re
import sys

from sources import FOLDERS, list_code, list_files, read

ALLOWED = {
    "math": set(),
    "model": {"math"},
    "contact": {"math", "model"},
    "solve": {"math"},
    "formulation": {"math", "model", "contact", "solve"},
    "integrate": {"math", "model", "solve", "formulation"},
    "sim": {"math", "model", "contact", "solve", "formulation", "integrate"},
    "io": {"math", "model", "sim"},
}

# layer of each public header
PUBLIC = {
    "math": "math", "interrupt": "math", "version": "math",
    "body": "model", "bodies": "model", "constraint": "model", "joints": "model", "force": "model", "inequality": "model", "ledger": "model", "model": "model",
    "state": "model", "options": "formulation", "algorithms": "formulation",
    "simulation": "sim", "analysis": "sim",
    "scene": "io", "output": "io",
    "catena": "io",
}

# third-party headers by folder; the standard library is free
THIRD_PARTY = {"Eigen": "any", "unsupported": "none", "fmt": "src apps tests", "yaml-cpp": "src/io tests",
               "nlohmann": "src/io apps bench tests", "zlib.h": "src/io", "CLI": "apps", "boost": "apps/catena/view/server.cpp", "gtest": "tests", "gmock": "tests"}

INCLUDE = re.compile(r'^\s*#\s*include\s+(["<])([^">]+)[">]', re.MULTILINE)
MACHINE_PATH = re.compile(r"(?<![\w.$})/])/(home|root|work|tmp|Users|mnt|opt|private)/\w")


def layer_of(path):
    return path.parts[1] if path.parts[0] == "src" and len(path.parts) > 2 else None


def third_party_error(path, header):
    where = THIRD_PARTY.get(header.split("/")[0], "any")
    if where == "any" or any(str(path) == place or str(path).startswith(place + "/") for place in where.split()):
        return None
    return f"<{header}> is for {where} only"


def public_error(path, header):
    """Why this file may not include a header of include/catena, or nothing."""
    name = header.removeprefix("catena/").removesuffix(".h")
    if name not in PUBLIC:
        return f'"{header}" is not in the table of public headers (tools/check_layers.py)'
    layer = layer_of(path)
    if layer is None or layer not in ALLOWED:
        return None
    belongs = PUBLIC[name]
    if belongs == layer or belongs in ALLOWED[layer]:
        return None
    return f'{layer}/ may not include "{header}", which belongs to {belongs}/'


def private_error(path, header):
    """Why this file may not include a quoted header that is not public, or nothing."""
    top, layer, target = path.parts[0], layer_of(path), header.split("/")[0]
    if ".." in header.split("/"):
        return f'"{header}": write the path from src/ or include/, not ".."'
    if top == "tests":
        return None
    if top in ("apps", "bench"):
        return f'{top}/ may include "catena/*.h" only, not "{header}"' if target in ALLOWED else None
    if top != "src":
        return f'{top}/ may include "catena/*.h" only, not "{header}"'
    if target not in ALLOWED:
        return f'"{header}": write the path from src/ or include/'
    if target == layer or target in ALLOWED[layer]:
        return None
    return f'{layer}/ may not include "{header}"; it may include: {", ".join(sorted(ALLOWED[layer])) or "nothing"}'


def include_errors(path):
    if path.parts[0] == "src" and layer_of(path) not in ALLOWED:
        yield 1, "is in no layer: every source lives in one of src/{" + ", ".join(ALLOWED) + "}"
        return
    text = read(path)
    for match in INCLUDE.finditer(text):
        quoted, header = match[1] == '"', match[2]
        if header.startswith("catena/"):
            error = public_error(path, header)
        elif quoted:
            error = private_error(path, header)
        else:
            error = third_party_error(path, header)
        if error:
            yield text.count("\n", 0, match.start()) + 1, error


def table_errors(path):
    """Rows of the document's table of layers whose last column is not what this file allows."""
    layers = [layer for layer in ALLOWED if pathlib.Path("src", layer).is_dir()]
    rows = {match[1]: (number, match[2]) for number, line in enumerate(read(path).splitlines(), 1)
            if (match := re.match(r"\| `src/(\w+)` \|.*\| ([^|]*) \|$", line))}
    for layer in layers:
        expected = ", ".join(other for other in layers if other in ALLOWED[layer]) or "nothing"
        number, written = rows.get(layer, (1, None))
        if written != expected:
            yield number, f"the table of layers must say that src/{layer} may include: {expected}"
    for layer in rows.keys() - set(layers):
        yield rows[layer][0], f"there is no layer src/{layer}"


def example_errors(header):
    """A public header names the program that shows it, which the tests build and run."""
    named = re.search(r"^// .*\b(examples/cpp/\w+\.cpp)", read(header).split("#pragma once")[0], re.MULTILINE)
    if not named:
        yield 1, "its head must name the program that shows it: examples/cpp/NAME.cpp"
    elif not (program := pathlib.Path(named[1])).exists():
        yield 1, f"there is no {program}"
    elif not re.search(rf"<catena/({header.stem}|catena)\.h>", read(program)):
        yield 1, f"{program} does not include it"


def machine_path_errors(path):
    try:
        text = read(path)
    except UnicodeDecodeError:
        return
    for number, line in enumerate(text.splitlines(), 1):
        if match := MACHINE_PATH.search(line):
            yield number, f"names a place on one machine: {line[match.start():match.start() + 30].strip()}"


def main():
    sources = list_code()
    errors = [(path, *error) for path in sources for error in include_errors(path)]
    document = pathlib.Path("docs/architecture.md")
    errors += [(document, *error) for error in table_errors(document)]
    headers = [path for path in sources if path.parts[0] == "include" and path.stem != "catena"]
    errors += [(header, *error) for header in headers for error in example_errors(header)]
    errors += [(path, *error) for path in list_files((".", *FOLDERS)) for error in machine_path_errors(path)]
    for path, line, message in errors:
        print(f"{path}:{line}: {message}")
    print(f"{len(sources)} files, {len(errors)} forbidden includes or paths")
    return 1 if errors else 0


if __name__ == "__main__":
    sys.exit(main())
