#!/usr/bin/env bash
# clang-tidy over src/**/*.cpp, with the checks of .clang-tidy.
# Files are looked at in the batches of the unity build of the preset `tidy`: most of the time goes into the headers
# that they share. A batch found clean is remembered by a hash of everything that could change the verdict (its files,
# all our headers, .clang-tidy, the compiler flags), so a second run only looks at what changed.
set -euo pipefail
cd "$(dirname "$0")/.."
command -v clang-tidy > /dev/null || { echo "error: clang-tidy is missing: tools/install_dependencies.sh test" >&2; exit 1; }

cache=build/tidy/clean
cmake --preset tidy > /dev/null  # compile_commands.json and the batches; nothing is built
mkdir -p "$cache"

# what all files share: headers, settings, version of the tool
common=$({ clang-tidy --version; cat .clang-tidy CMakePresets.json cmake/settings.cmake
  find include src -name '*.h' -print0 | sort -z | xargs -0 sha256sum; } | sha256sum | cut -c 1-64)

seen=0
pending=()
while read -r batch; do
  mapfile -t files < <(sed -n 's/^#include "\(.*\)"$/\1/p' "$batch")
  seen=$((seen + ${#files[@]}))
  mark="$cache/$({ echo "$common"; cat "$batch" "${files[@]}"; } | sha256sum | cut -c 1-64)"
  [ -e "$mark" ] || pending+=("$batch" "$mark")
done < <(sed -n 's|^ *"file": "\(.*/CMakeFiles/catena\(_io\)\{0,1\}\.dir/Unity/.*\)",*$|\1|p' build/tidy/compile_commands.json)

expected=$(find src -name '*.cpp' | wc -l)
[ "$seen" -eq "$expected" ] || { echo "error: the batches hold $seen files, src/ has $expected" >&2; exit 1; }

check() {  # BATCH MARK, an empty file made when it is clean
  local output
  # the compiler is g++: clang does not know all its options
  if output=$(clang-tidy --quiet -p build/tidy --extra-arg=-Wno-unknown-warning-option --extra-arg=-Wno-unused-command-line-argument "$1" 2> /dev/null); then
    : > "$2"
  else
    echo "$output"
    return 1
  fi
}
export -f check

status=0
if [ ${#pending[@]} -gt 0 ]; then
  printf '%s\0' "${pending[@]}" | xargs -0 -n 2 -P "${JOBS:-$(nproc)}" bash -c 'check "$0" "$1"' || status=1
fi
echo "$seen files, $((${#pending[@]} / 2)) batches of them looked at now"
exit $status
