#!/bin/sh
# Checks that all C++ sources are formatted as .clang-format says; --fix rewrites them.
set -eu
cd "$(dirname "$0")/.."
command -v clang-format > /dev/null || { echo "error: clang-format is missing: tools/install_dependencies.sh test" >&2; exit 1; }

mode="--dry-run -Werror"
[ "${1:-}" = "--fix" ] && mode="-i"

files() { find include src apps bench tests examples \( -name '*.h' -o -name '*.cpp' \) -print0; }
# shellcheck disable=SC2086  # two words
files | xargs -0 clang-format $mode
echo "$(files | tr -cd '\0' | wc -c) files"
