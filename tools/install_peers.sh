#!/bin/sh
# Installs the engines that `catena bench speed` and `catena bench payload` run beside Catena: Bullet, ODE and clang from Debian, MuJoCo and
# Pinocchio from PyPI into build/engines. The next build finds them and makes the programs of bench/peers.
#   tools/install_peers.sh
# RBDL has no package on either; where it is installed, the build finds it too.
set -eu
cd "$(dirname "$0")/.."
tools/install_dependencies.sh peers
mkdir -p build
[ -x build/engines/bin/pip ] || python3 -m venv build/engines
build/engines/bin/pip install --quiet mujoco pin
echo "Engines are in build/engines. Build again (make build), then: build/catena bench speed"
