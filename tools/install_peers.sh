#!/bin/sh
# Installs the engines that `catena bench speed` and `catena bench payload` run beside Catena: Bullet, ODE and clang from Debian; MuJoCo,
# Pinocchio and RBDL (its sources, which its Python bindings bring) from PyPI, into build/engines. The next build finds them and makes the
# programs of bench/peers. tests/external finds them there too.
#   tools/install_peers.sh
set -eu
cd "$(dirname "$0")/.."
tools/install_dependencies.sh peers
mkdir -p build
[ -x build/engines/bin/pip ] || python3 -m venv build/engines
build/engines/bin/pip install --quiet mujoco pin
if ! ls build/engines/src/pyrbdl-*/src > /dev/null 2>&1; then
  mkdir -p build/engines/src
  build/engines/bin/pip download --quiet --no-deps --no-binary :all: --dest build/engines/src pyrbdl
  tar -xzf build/engines/src/pyrbdl-*.tar.gz -C build/engines/src
fi
echo "Engines are in build/engines. Build again (make build), then: build/catena bench speed"
