#!/usr/bin/env python3
"""Keeps the code in README.md and docs/*.md equal to the files it is taken from, which the tests compile and run.

    <!-- snippet: examples/cpp/pendulum.cpp -->          the whole file
    <!-- snippet: examples/cpp/pendulum.cpp#build -->    the lines between // [snippet:build] and // [snippet:end]

A fenced block follows the comment. `extract_snippets.py` rewrites the blocks, `--check` only compares. Parts are
un-indented; the marker lines themselves are never shown.
"""
import re
import sys
import textwrap

from sources import ROOT, list_files, read

BLOCK = re.compile(r"(?P<mark><!-- snippet: (?P<source>\S+) -->\n)(?P<open>```[^\n]*\n)(?P<code>.*?)(?P<close>^```$)",
                   re.DOTALL | re.MULTILINE)
MARK = re.compile(r"<!-- snippet:.*")
MARKER_LINE = re.compile(r"^\s*(//|#) \[snippet:([\w-]+)\]\n?", re.MULTILINE)


class SnippetError(Exception):
    pass


def load_snippet(source):
    file, _, part = source.partition("#")
    if not (ROOT / file).is_file():
        raise SnippetError(f"no file {file}")
    text = read(file)
    if part:
        begin = re.search(rf"^\s*(//|#) \[snippet:{re.escape(part)}\]\n", text, re.MULTILINE)
        if not begin:
            raise SnippetError(f"no line '// [snippet:{part}]' in {file}")
        end = re.compile(r"^\s*(//|#) \[snippet:end\]", re.MULTILINE).search(text, begin.end())
        if not end:
            raise SnippetError(f"no line '// [snippet:end]' after '{part}' in {file}")
        text = textwrap.dedent(text[begin.end():end.start()])
    return MARKER_LINE.sub("", text).strip("\n") + "\n"


def update(document):
    """The document's text with fresh snippets, how many there are, and what is wrong with its marks."""
    text, errors = read(document), []

    def renew(block):
        try:
            return block["mark"] + block["open"] + load_snippet(block["source"]) + block["close"]
        except SnippetError as error:
            errors.append(f"{document}: {error}")
            return block[0]

    fresh, count = BLOCK.subn(renew, text)
    if count != len(MARK.findall(text)):
        errors.append(f"{document}: a '<!-- snippet: ... -->' without a fenced block right below it")
    return text, fresh, count, errors


def main():
    check = "--check" in sys.argv[1:]
    errors, total = [], 0
    for document in list_files((".", "docs"), (".md",)):
        old, fresh, count, problems = update(document)
        errors += problems
        total += count
        if fresh != old and check:
            errors.append(f"{document}: differs from the code it quotes; run tools/extract_snippets.py")
        elif fresh != old:
            (ROOT / document).write_text(fresh, encoding="utf-8")
            print(f"{document}: rewritten")
    for error in errors:
        print(error)
    print(f"{total} snippets, {len(errors)} errors")
    return 1 if errors else 0


if __name__ == "__main__":
    sys.exit(main())
