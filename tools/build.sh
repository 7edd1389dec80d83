#!/bin/sh
# Builds the page and one preset: tools/build.sh PRESET [JOBS]. What CMake says is shown only when it fails.
# The page is made, and its packages are fetched, while everything is compiled that does not need it.
set -eu
cd "$(dirname "$0")/.."
mkdir -p build
tools/build_page.sh &
page=$!
trap wait EXIT
log="build/configure-$1.log"
if ! cmake --preset "$1" > "$log" 2>&1; then
  cat "$log" >&2
  echo "error: configuring the preset '$1' failed (see above); after moving the checkout, 'make clean' helps" >&2
  exit 1
fi
jobs="${2:-$(nproc)}"
parts="catena catena_view catena_command_parts"
[ "$1" != tsan ] || parts=catena  # nothing else of it is tested
# shellcheck disable=SC2086  # the list is meant to be split
cmake --build "build/$1" --target $parts --parallel "$jobs"
wait "$page"
cmake --build --preset "$1" --parallel "$jobs"
