#!/usr/bin/env bash
# Runs every check as one stage after the other and counts them (`make test`).
# A failing stage does not stop the others. V=1 shows all output; without it, only that of failing stages.
# Logs: build/checks/STAGE.log
set -u
cd "$(dirname "$0")/.."

jobs="${JOBS:-$(nproc)}"
logs=build/checks
mkdir -p "$logs"
passed=0
failed=()
began=$(date +%s)

log_of() { echo "$logs/${1// /-}.log"; }

# run NAME COMMAND...: its output to the log of the stage (and to the terminal with V=1), its status and its seconds beside it.
run() {
  local log from status
  log="$(log_of "$1")"
  shift
  from=$(date +%s%N)
  if [ -n "${V:-}" ]; then
    "$@" 2>&1 | tee "$log"
    status=${PIPESTATUS[0]}
  else
    "$@" > "$log" 2>&1
    status=$?
  fi
  awk -v status="$status" -v ns=$(($(date +%s%N) - from)) 'BEGIN { printf "%d %.1f\n", status, ns / 1e9 }' > "$log.outcome"
}

# report NAME: one line with the outcome of a stage that was run, the seconds, and the last line it printed.
report() {
  local log status seconds outcome
  log="$(log_of "$1")"
  read -r status seconds < "$log.outcome" || status=1
  if [ "$status" -eq 0 ]; then
    outcome=ok
    passed=$((passed + 1))
  else
    outcome=FAILED
    failed+=("$1")
  fi
  printf '%-6s %7s s   %s\n' "$outcome" "$seconds" "$(summary "$log")"
  if [ "$status" -ne 0 ] && [ -z "${V:-}" ]; then
    tail -n 60 "$log" | sed 's/^/    | /'
    echo "    | (all of it: $log)"
  fi
}

# stage NAME COMMAND...
stage() {
  printf '%-34s ' "$1"
  [ -n "${V:-}" ] && echo
  run "$@"
  report "$1"
}

# beside NAME COMMAND..., later joined NAME: a stage that waits more than it computes, while others go on.
beside() {
  rm -f "$(log_of "$1").outcome"
  run "$@" > /dev/null &
  beside_pid=$!
}
joined() {
  printf '%-34s ' "$1"
  wait "$beside_pid"
  report "$1"
}

# The one line of a log worth repeating: ctest's count, or the last line.
summary() {
  grep -E '^[0-9]+% tests passed' "$1" || { grep -v '^ *$' "$1" | tail -n 1 | cut -c 1-70; }
}

threads_sanitized() {
  tools/build.sh tsan "$jobs" && ctest --preset tsan -j "$jobs"
}

stage 'format' tools/check_format.sh
stage 'layers' python3 tools/check_layers.py
stage 'sizes' python3 tools/check_sizes.py
stage 'snippets in the documents' python3 tools/extract_snippets.py --check
stage 'index of the constraints' python3 tools/make_constraint_index.py --check
# what is shipped: exact solutions, conservation laws, all scenes, the page, the package
stage 'build shipped' tools/build.sh shipped "$jobs"
stage 'oracles, scenes, programs' ctest --preset shipped -j "$jobs"
stage 'trees in other engines' python3 tests/external/compare_trees.py build/shipped/write_trees
stage 'scenes in the documents' python3 tools/check_docs.py build/shipped/catena
stage 'installed package' env JOBS="$jobs" tools/check_package.sh
stage 'linear time, by callgrind' python3 tools/check_linear.py build/shipped/catena
# with assertions and sanitizers: all tests that end in reasonable time; a browser waits most of its time
beside 'page, in a browser' tools/check_page.sh build/shipped/catena
stage 'build asan' tools/build.sh asan "$jobs"
joined 'page, in a browser'
stage 'tests, asan and ubsan' ctest --preset asan -j "$jobs"
stage 'threads, tsan' threads_sanitized
stage 'clang-tidy' env JOBS="$jobs" tools/check_tidy.sh

echo
for name in "${failed[@]}"; do echo "failed: $name"; done
echo "$(($(date +%s) - began)) seconds in all"
echo "$passed passed, ${#failed[@]} failed"
[ "${#failed[@]}" -eq 0 ]
