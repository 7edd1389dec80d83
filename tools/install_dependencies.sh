#!/bin/sh
# Installs the Debian packages that are missing, and only those.
#   tools/install_dependencies.sh build|test|fuzz|peers
# Costs nothing when all are there. Needs root or sudo otherwise; with neither it says what to install.
set -eu

build="cmake ninja-build g++ libeigen3-dev libyaml-cpp-dev nlohmann-json3-dev libcli11-dev libfmt-dev zlib1g-dev libboost-dev"
fuzz="clang libclang-rt-14-dev"  # libFuzzer
peers="libbullet-dev libode-dev clang python3-venv"  # other engines (tools/install_peers.sh)
test="libgtest-dev clang-format clang-tidy valgrind python3 librsvg2-bin binutils pkg-config"

case "${1:-}" in
  build) wanted="$build" ;;
  test) wanted="$build $test" ;;
  fuzz) wanted="$build $fuzz" ;;
  peers) wanted="$build $peers" ;;
  *) echo "usage: $0 build|test|fuzz|peers" >&2; exit 2 ;;
esac
# the page of the viewer and of replays is made by node and tested in Chromium, wherever they came from
if [ "$1" != fuzz ] && [ "$1" != peers ] && ! command -v npm > /dev/null; then wanted="$wanted nodejs npm"; fi
if [ "$1" = test ] && ! command -v chromium > /dev/null; then wanted="$wanted chromium"; fi

if ! command -v dpkg-query > /dev/null; then
  # Not Debian: the build says itself what it does not find.
  echo "note: no dpkg here; please provide the equivalents of: $wanted" >&2
  exit 0
fi

# shellcheck disable=SC2086  # the list is meant to be split
installed=$(dpkg-query -W -f '${Package} ${db:Status-Status}\n' $wanted 2> /dev/null || true)
missing=""
for package in $wanted; do
  case "
$installed
" in
    *"
$package installed
"*) ;;
    *) missing="$missing $package" ;;
  esac
done
[ -n "$missing" ] || exit 0

echo "Missing packages:$missing"
if [ "$(id -u)" -eq 0 ]; then
  as_root=""
elif command -v sudo > /dev/null; then
  as_root="sudo"
else
  echo "error: installing them needs root or sudo, and neither is here. Ask an administrator to run" >&2
  echo "         apt-get update && apt-get install --no-install-recommends$missing" >&2
  exit 1
fi

apt() {
  if ! $as_root env DEBIAN_FRONTEND=noninteractive apt-get -q "$@"; then
    echo "error: 'apt-get $*' failed (see above). Check the network and the package sources, then run make again." >&2
    exit 1
  fi
}
apt update
# shellcheck disable=SC2086
apt install -y --no-install-recommends $missing
