#!/usr/bin/env bash
# Installs Catena and uses it as a stranger would: tests/consumer through CMake with the static and the shared library,
# and through pkg-config with a plain compiler. Looks at what the shared library exports.
#   tools/check_package.sh [BUILD]     a build with CATENA_SHARED; default build/shipped, whose objects are reused
# The installation is moved before it is used: neither package may remember where it was made.
set -euo pipefail
cd "$(dirname "$0")/.."
build="${1:-build/shipped}"
cxx="${CXX:-g++}"
began=$(date +%s)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
prefix="$work/prefix"
strict="-std=c++20 -Wall -Wextra -Wconversion -Werror"

fail() { echo "error: $*" >&2; exit 1; }
for tool in nm c++filt readelf pkg-config; do
  command -v "$tool" > /dev/null || fail "$tool is missing: tools/install_dependencies.sh test"
done

# quietly COMMAND...: shows what it said only when it fails
quietly() {
  "$@" > "$work/log" 2>&1 || { cat "$work/log" >&2; fail "failed: $*"; }
}

install_and_move() {
  [ -e "$build/CMakeCache.txt" ] || fail "$build is not configured; run tools/build.sh shipped first"
  grep -q '^CATENA_SHARED:BOOL=ON' "$build/CMakeCache.txt" || fail "$build has no shared library; configure with -DCATENA_SHARED=ON"
  quietly cmake --build "$build" --target catena catena_shared catena_command --parallel "${JOBS:-$(nproc)}"
  quietly cmake --install "$build" --prefix "$work/first"
  mv "$work/first" "$prefix"
  libdir=$(dirname "$(find "$prefix" -name libcatena.a)")
  version=$("$prefix/bin/catena" --version | cut -d ' ' -f 2)
  if grep -rIl "$work\|$PWD" "$prefix"; then fail "the files above name the folder they were made in"; fi
}

# The file that programs are linked with carries the version; before 1.0 its name does up to the minor number.
check_names() {
  local soname
  [ -e "$libdir/libcatena.so.$version" ] || fail "there is no libcatena.so.$version"
  soname=$(readelf -d "$libdir/libcatena.so" | sed -n 's/.*SONAME.*\[\(.*\)\]/\1/p')
  [ "$soname" = "libcatena.so.${version%.*}" ] || fail "SONAME is '$soname', not libcatena.so.${version%.*}"
}

check_headers() {
  local unmarked
  # version.h declares nothing that is compiled
  unmarked=$(grep -lE '^namespace catena \{' "$prefix"/include/catena/*.h | grep -v '/version\.h$' || true)
  [ -z "$unmarked" ] || fail "write 'namespace CATENA_API catena {' in: $(basename -a $unmarked)"
  # our headers with warnings, Eigen's without
  echo '#include <catena/catena.h>' > "$work/alone.cpp"
  # shellcheck disable=SC2046,SC2086  # lists of options
  quietly "$cxx" $strict -fsyntax-only -I "$prefix/include" $(pkg-config --cflags eigen3 | sed 's/-I/-isystem /') "$work/alone.cpp"
}

# Public: functions, members, type information. Hidden: every namespace of src/, and the libraries underneath.
check_symbols() {
  local symbols="$work/symbols" wanted namespace internal="5Eigen|3fmt|4YAML|8nlohmann"
  nm --dynamic --defined-only "$libdir/libcatena.so" | awk '{ print $NF }' > "$symbols"
  c++filt < "$symbols" > "$symbols.demangled"
  for wanted in 'catena::Simulation::step(' 'catena::Model::validate(' 'catena::load_scene(' 'catena::rod(' 'catena::hinge(' \
      'catena::compare(' 'catena::CsvWriter::record(' 'catena::NpzWriter::record(' 'typeinfo for catena::InvalidInput' \
      'typeinfo for catena::Rigid' 'vtable for catena::Rigid'; do
    grep -qF "$wanted" "$symbols.demangled" || fail "libcatena.so does not export '$wanted'"
  done
  # mangled names count the letters of each part, _ZN6catena5solve...: no argument list is mistaken for a name
  for namespace in $(grep -rhoE '^namespace catena::[a-z_]+' src | sed 's/.*:://' | sort -u); do
    internal="$internal|6catena${#namespace}$namespace"
  done
  internal="^_Z(T[ISTV]|GV|Z)*N?K?($internal)"
  # the static library has them all: a pattern that finds nothing there would prove nothing here
  hidden=$(nm --defined-only "$libdir/libcatena.a" 2> /dev/null | awk '{ print $NF }' | grep -cE "$internal" || true)
  [ "$hidden" -gt 1000 ] || fail "only $hidden internal symbols in libcatena.a; the pattern is wrong: $internal"
  grep -E "$internal" "$symbols" | c++filt > "$symbols.internal" || true
  if [ -s "$symbols.internal" ]; then
    head -n 20 "$symbols.internal" >&2
    fail "$(wc -l < "$symbols.internal") internal symbols are exported (see above)"
  fi
  public=$(grep -cE '^_Z(T[ISTV]|GV)*N?K?6catena' "$symbols")
}

use_through_cmake() {  # TARGET, whether it needs libcatena.so
  local folder="$work/${1//:/-}" needs
  quietly cmake -S tests/consumer -B "$folder" -G Ninja -DCMAKE_PREFIX_PATH="$prefix" -DCATENA_TARGET="$1" -DCMAKE_CXX_COMPILER="$cxx"
  quietly cmake --build "$folder"
  readelf -d "$folder/consumer" | grep -q 'NEEDED.*libcatena' && needs=yes || needs=no
  [ "$needs" = "$2" ] || fail "$1: needs libcatena.so: $needs, expected $2"
  echo "$1: $("$folder/consumer")"
}

# find_package must refuse every other minor version. (That it takes its own, tests/consumer shows.)
check_refuses_version() {
  mkdir "$work/request-$1"
  printf 'cmake_minimum_required(VERSION 3.25)\nproject(request NONE)\nfind_package(catena %s CONFIG REQUIRED PATHS "%s" NO_DEFAULT_PATH)\n' \
    "$1" "$prefix" > "$work/request-$1/CMakeLists.txt"
  if cmake -S "$work/request-$1" -B "$work/request-$1/build" > "$work/log" 2>&1; then fail "find_package(catena $1) took $version"; fi
  grep -q 'considered but not accepted' "$work/log" || { cat "$work/log" >&2; fail "find_package(catena $1) failed for another reason"; }
}

use_through_pkg_config() {
  export PKG_CONFIG_PATH="$libdir/pkgconfig"
  [ "$(pkg-config --modversion catena)" = "$version" ] || fail "catena.pc does not say $version"
  # shellcheck disable=SC2046,SC2086
  quietly "$cxx" -std=c++20 -c tests/consumer/main.cpp -o "$work/main.o" $(pkg-config --cflags catena)
  # shellcheck disable=SC2046
  quietly "$cxx" "$work/main.o" -o "$work/with-shared" $(pkg-config --libs catena) "-Wl,-rpath,$libdir"
  echo "pkg-config, shared: $("$work/with-shared")"
  # beside a .so, the linker takes libcatena.a only when it is called by its whole name
  # shellcheck disable=SC2046
  quietly "$cxx" "$work/main.o" -o "$work/with-static" $(pkg-config --static --libs catena | sed 's/-lcatena\b/-l:libcatena.a/')
  echo "pkg-config, static: $("$work/with-static")"
}

# A library made for this machine alone says nothing of that to its users, and agrees with them about the layout of public structs: those of a
# program compiled by the installed flags are those of a file compiled as the library is.
check_native_package() {
  local native="$work/native" flags
  quietly cmake -S . -B "$native" -G Ninja -DCATENA_NATIVE=ON -DBUILD_TESTING=OFF -DCATENA_PEERS=OFF -DCMAKE_CXX_COMPILER="$cxx"
  flags=$(sed -n 's/^Cflags: -I[^ ]*//p' "$native/catena.pc")
  ! grep -q 'march' <<< "$flags" || fail "catena.pc tells its users to compile for the machine it was made on:$flags"
  ! grep -rq -- '-march' "$native"/CMakeFiles/Export || fail "find_package(catena) tells its users to compile for the machine it was made on"
  cat > "$work/layout.cpp" <<'END'
#include <catena/catena.h>
#include <cstdio>
template <class... T> void say() { (std::printf("%zu %zu ", sizeof(T), alignof(T)), ...); }
int main() {
  using namespace catena;
  say<Quat, Mat3, Placement, Marker, Attachment, State, StepReport, Energy, Shape, BodyEntry, Event, Eigen::Vector4d>();
  std::printf("%d\n", EIGEN_MAX_ALIGN_BYTES);
}
END
  # shellcheck disable=SC2046,SC2086
  for kind in "-march=native" "$flags"; do
    quietly "$cxx" -std=c++20 $kind -I include -I "$native/include" $(pkg-config --cflags eigen3) "$work/layout.cpp" -o "$work/layout"
    "$work/layout"
  done | uniq | wc -l | grep -qx 1 || fail "structs are laid out otherwise by '$flags' than in a library made with -march=native"
}

install_and_move
check_native_package
check_names
check_headers
check_symbols
use_through_cmake catena::catena no
use_through_cmake catena::shared yes
check_refuses_version 0.0
check_refuses_version 99.0
use_through_pkg_config
echo "package $version: $public symbols, none of $hidden internal; 4 programs, $(($(date +%s) - began)) s"
