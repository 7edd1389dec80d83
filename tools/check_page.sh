#!/usr/bin/env bash
# The viewer's page: packages, types, unit tests, bundle, and the tests in a real browser against a `catena` (see web/tests).
#   tools/check_page.sh [CATENA]     default build/dev/catena; the last line counts the tests
# Only loopback is used, once the packages are there.
set -euo pipefail
cd "$(dirname "$0")/.."

catena="$(realpath "${1:-build/dev/catena}")"
limit=1000000   # bytes of the page in all

[ -x "$catena" ] || { echo "error: no command at $catena (cmake --preset dev && cmake --build --preset dev --target catena_command)" >&2; exit 2; }
command -v node > /dev/null || { echo "error: no node here (tools/install_dependencies.sh test)" >&2; exit 2; }

# packages and bundle; only what changed is made anew
tools/build_page.sh
export PATH="$PWD/web/node_modules/.bin:$PATH"

cd web
tsc --noEmit
vitest run --reporter=dot | tee ../build/page-unit.log
cd ..

bytes=$(cat build/web/* | wc -c)
echo "page: $bytes bytes in all, limit $limit"
[ "$bytes" -le "$limit" ] || { echo "error: the page has more than $limit bytes" >&2; exit 1; }
if grep -lE 'https?://[a-z0-9.-]+\.(com|org|net|io|dev)/[^"]*\.(js|css|woff2?)' build/web/*.html build/web/*.css; then
  echo "error: the page asks other servers (files above)" >&2
  exit 1
fi

# the browser
status=0
CATENA="$catena" node --test --test-reporter=spec web/tests/all.mjs > build/page-browser.log 2>&1 || status=$?
cat build/page-browser.log
count() { sed -E 's/\x1b\[[0-9;]*m//g' "$1" | awk -v word="$2" '$0 ~ word {for (i = 1; i <= NF; ++i) if ($i + 0 > 0) n = $i} END {print n + 0}'; }
unit=$(count build/page-unit.log '^ *Tests ')
browser=$(count build/page-browser.log '^[^ ]+ pass ')
failed=$(count build/page-browser.log '^[^ ]+ fail ')
echo "$unit unit tests, $browser tests in the browser and of the server passed, $failed failed"
exit "$status"
