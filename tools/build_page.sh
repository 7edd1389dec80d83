#!/bin/sh
# Builds the viewer's page from web/ into build/web, which CMake embeds into the command. Costs nothing when nothing changed.
# Without node 18 or later it says so and succeeds: everything but `catena view` works without the page.
set -eu
cd "$(dirname "$0")/.."
[ -f web/package.json ] || exit 0

if ! command -v npm > /dev/null || ! node -e 'process.exit(Number(process.versions.node.split(".")[0]) >= 18 ? 0 : 1)' 2> /dev/null; then
  echo "note: no node 18 or later here: the command is built without the viewer's page" >&2
  exit 0
fi

mkdir -p build
hash_of() { find "$@" -type f -not -path '*/node_modules/*' -print0 | sort -z | xargs -0 sha256sum | sha256sum | cut -c 1-64; }

# packages only when the lock file changed
locked=$(hash_of web/package.json web/package-lock.json)
if [ ! -d web/node_modules ] || [ "$(cat build/web-packages.stamp 2> /dev/null)" != "$locked" ]; then
  (cd web && npm install --no-save --no-audit --no-fund > ../build/web-packages.log 2>&1) || {
    cat build/web-packages.log >&2
    echo "error: 'npm install' in web/ failed (see above). Check the network, then run make again; 'rm -r web' builds without the page." >&2
    exit 1
  }
  echo "$locked" > build/web-packages.stamp
fi

page=$(hash_of web)
if [ ! -f build/web/index.html ] || [ "$(cat build/web.stamp 2> /dev/null)" != "$page" ]; then
  (cd web && npm run --silent build > ../build/web.log 2>&1) || {
    cat build/web.log >&2
    echo "error: building the page failed (see above)" >&2
    exit 1
  }
  echo "$page" > build/web.stamp
fi
