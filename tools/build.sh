#!/bin/sh
# Builds the page and one preset: tools/build.sh PRESET [JOBS]. What CMake says is shown only when it fails.
set -eu
cd "$(dirname "$0")/.."
mkdir -p build
tools/build_page.sh
log="build/configure-$1.log"
if ! cmake --preset "$1" > "$log" 2>&1; then
  cat "$log" >&2
  echo "error: configuring the preset '$1' failed (see above); after moving the checkout, 'make clean' helps" >&2
  exit 1
fi
cmake --build --preset "$1" --parallel "${2:-$(nproc)}"
