#!/bin/sh
# Checks that all C++ sources are formatted as .clang-format says; --fix rewrites them.
set -eu
cd "$(dirname "$0")/.."
command -v clang-format > /dev/null || { echo "error: clang-format is missing: tools/install_dependencies.sh test" >&2; exit 1; }

mode="--dry-run -Werror"
[ "${1:-}" = "--fix" ] && mode="-i"

# tracked and new files alike, but not what is ignored
files=$(git ls-files --cached --others --exclude-standard -- '*.h' '*.cpp' | sort -u |
  while read -r file; do [ -f "$file" ] && echo "$file"; done)
[ -n "$files" ] || { echo "no sources"; exit 0; }
# shellcheck disable=SC2086
echo "$files" | xargs clang-format $mode
echo "$(echo "$files" | wc -l) files"
