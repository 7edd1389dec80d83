#!/usr/bin/env python3
"""Checks that functions and files stay small enough to be read in one go.

Functions are found by a rule that holds for code formatted by clang-format: a head with parentheses that is no
control statement ends in '{', and the function ends at the first '}' with the indentation of the head.
"""
import re
import statistics
import sys

from sources import list_code, read

MAX_FUNCTION = 80
MAX_MEDIAN, MAX_TENTH = 10, 30  # lines of the median function, and of all but the longest tenth
MAX_FILE = 500
MAX_PUBLIC_HEADER = 400
MAX_PER_FILE = {"src/sim/step.cpp": 80}  # the page everybody reads first

NOISE = re.compile(r'//.*|"(?:[^"\\]|\\.)*"|\'(?:[^\'\\]|\\.)*\'')
NO_FUNCTION = re.compile(
    r"^(if|else|for|while|switch|do|try|catch|return|case|default|namespace|class|struct|enum|union|extern|using|\})\b")
NAME = re.compile(r"([\w:~]+|operator\s*[^\s(]+)\s*\(([^)]*)")


def indentation(line):
    return len(line) - len(line.lstrip())


def head_start(lines, last):
    """First line of the statement that ends at `last`."""
    first = last
    while first > 0:
        above = lines[first - 1].strip()
        if not above or above[-1] in ";{}" or above.startswith("#") or re.match(r"(public|private|protected):", above):
            break
        first -= 1
    return first


def find_functions(text):
    """Yields (line number, name, length) of every function, outer ones before the lambdas inside them."""
    lines = [NOISE.sub('""', line).rstrip() for line in text.splitlines()]
    for last, line in enumerate(lines):
        if not line.endswith("{") or line.endswith("= {"):
            continue
        first = head_start(lines, last)
        head = " ".join(part.strip() for part in lines[first:last + 1]).removeprefix('""').strip()
        if "(" not in head or NO_FUNCTION.match(head):
            continue
        end = next((i for i in range(last + 1, len(lines))
                    if lines[i].lstrip().startswith("}") and indentation(lines[i]) <= indentation(lines[first])), last)
        name = NAME.search(head)
        label = f"{name[1]}({name[2]})" if name and name[1].startswith("TEST") else name[1] if name else head[:40]
        yield first + 1, label, end - first + 1


def file_limit(path):
    if str(path) in MAX_PER_FILE:
        return MAX_PER_FILE[str(path)]
    return MAX_PUBLIC_HEADER if path.parts[0] == "include" else MAX_FILE


def main():
    errors, lengths = [], []
    for path in list_code():
        text = read(path)
        size = text.count("\n")
        if size > file_limit(path):
            errors.append(f"{path}: {size} lines, the limit is {file_limit(path)}")
        for line, name, length in find_functions(text):
            lengths.append(length)
            if length > MAX_FUNCTION:
                errors.append(f"{path}:{line}: {name} has {length} lines, the limit is {MAX_FUNCTION}")
    median, tenth = statistics.median(lengths), sorted(lengths)[int(0.9 * (len(lengths) - 1))]
    if median > MAX_MEDIAN:
        errors.append(f"the median function has {median:.0f} lines, the limit is {MAX_MEDIAN}")
    if tenth > MAX_TENTH:
        errors.append(f"a tenth of the functions has more than {tenth} lines, the limit is {MAX_TENTH}")
    print("\n".join(errors))
    print(f"{len(errors)} too long; {len(lengths)} functions: median {median:.0f} lines, "
          f"90 % below {tenth + 1}, longest {max(lengths)}")
    return 1 if errors else 0


if __name__ == "__main__":
    sys.exit(main())
