#!/bin/sh
# Tries in a fresh Debian 12 what examples/README.md says for repositories outside of this one, by
# hand: needs root, debootstrap and Debian's archive; some minutes and 3 GB, which are gone at the
# end.
#
#   bazel    the sources of HEAD beside another repository, with Debian's Bazel
#   package  rdma-cm-sim-dev with CMake, with make and pkg-config, and its tarball somewhere else
#
# usage: try_outside.sh FOLDER [bazel | package]
# FOLDER is that of `tools/package`. TRY_ROOTS names a folder where the system is kept, and taken
# from the next time.
# Exit code: 0 all went well, 1 not, 2 it cannot be tried.
me="try_outside.sh: unsupported here"
# shellcheck source=tools/packaging/common.sh
. "$(dirname "$(readlink -f "$0")")/common.sh"
tree=$(dirname "$(dirname "$(dirname "$(readlink -f "$0")")")")

[ $# -ge 1 ] || fail "usage: try_outside.sh FOLDER [bazel | package]"
needs_root
needs debootstrap
packages=$(readlink -f "$1")
deb=$(only "$packages"/rdma-cm-sim-dev_*.deb)
tarball=$(only "$packages"/rdma-cm-sim-*.tar.gz)

# Outside: the system is made, and what is mounted inside is gone with its name space.
if [ "${3:-}" != inside ]; then
  roots=${TRY_ROOTS:-$(mktemp -d)}
  [ -n "${TRY_ROOTS:-}" ] || trap 'rm -rf --one-file-system "$roots"' EXIT
  trap 'exit 130' HUP INT TERM
  mkdir -p "$roots"
  if [ ! -e "$roots/outside/etc/os-release" ]; then
    debootstrap --variant=minbase bookworm "$roots/outside" >"$roots/log" 2>&1 ||
      fail "debootstrap: $(tail -n 1 "$roots/log")"
  fi
  TRY_ROOTS=$roots unshare --mount --pid --fork --kill-child "$0" "$packages" "${2:-}" inside
  exit
fi

system=$TRY_ROOTS/outside
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mount --make-rprivate /
mount -t proc proc "$system/proc"
mount -t sysfs sysfs "$system/sys"
mount --rbind /dev "$system/dev"
mount -t tmpfs tmpfs "$system/tmp"
cp /etc/resolv.conf "$system/etc/resolv.conf" 2>/dev/null || true
failed=0

# A command of the shell inside, in /tmp. Says whether it did what it should: its output has to have
# the text, if there is any.
try() {
  if chroot "$system" /bin/sh -c "cd /tmp && $3" >"$work/log" 2>&1 &&
    { [ -z "$2" ] || grep -qF -- "$2" "$work/log"; }; then
    echo "  well: $1"
  else
    echo "  FAILED: $1"
    tail -n 8 "$work/log" | sed 's/^/    /'
    failed=1
  fi
}
install() {
  chroot "$system" env DEBIAN_FRONTEND=noninteractive apt-get -qq -y --no-install-recommends \
    install "$@" >"$work/log" 2>&1 || fail "apt-get: $(tail -n 1 "$work/log")"
}

rping='@passive rping -s -a {passive} -C 3 : @active rping -c -a {passive} -C 3'
chroot "$system" apt-get -qq update >"$work/log" 2>&1 || fail "apt-get: $(tail -n 1 "$work/log")"

if [ "${2:-}" != bazel ]; then
  install g++ cmake make pkg-config libgtest-dev libgmock-dev rdmacm-utils librdmacm-dev
  cp "$deb" "$tarball" "$system/tmp/"
  try "the package is installed" "Setting up rdma-cm-sim-dev" \
    "apt-get -y --no-install-recommends install ./rdma-cm-sim-dev_*.deb"
  try "its examples are copied" "echo" \
    "cp -r /usr/share/doc/rdma-cm-sim-dev/examples . && ls examples"
  try "with CMake" "100% tests passed" "cmake -S examples/outside/cmake -B built &&
    cmake --build built && ctest --test-dir built"
  try "with make and pkg-config" "[  PASSED  ]" "make -f examples/outside/make/Makefile test"
  try "cmcheck app" "digest" "cmcheck app -- $rping"
  try "the package is removed" "Removing rdma-cm-sim-dev" "dpkg -P rdma-cm-sim-dev"
  try "the tarball with CMake" "100% tests passed" "mkdir there && tar -xf rdma-cm-sim-*.tar.gz \
    -C there --strip-components=1 && rm -rf built && cmake -S examples/outside/cmake -B built \
    -DCMAKE_PREFIX_PATH=/tmp/there && cmake --build built && ctest --test-dir built"
  try "the tarball with make" "[  PASSED  ]" "rm echo_test &&
    PKG_CONFIG_PATH=/tmp/there/lib/pkgconfig make -f examples/outside/make/Makefile test"
fi

if [ "${2:-}" != package ]; then
  mkdir -p "$system/tmp/rdma_cm_sim"
  git -C "$tree" archive HEAD | tar -x -C "$system/tmp/rdma_cm_sim"
  install bazel-bootstrap rdmacm-utils
  # What the simulator needs of the machine, by its own words.
  try "what is missing is installed" "" "/tmp/rdma_cm_sim/tools/setup.sh"
  try "a repository beside the sources" "Executed 1 out of 1 test: 1 test passes" \
    "cp -r rdma_cm_sim/examples/outside/bazel mine && mkdir mine/examples &&
     cp -r rdma_cm_sim/examples/echo mine/examples/ && rm mine/examples/echo/BUILD &&
     cd mine && bazel test --nocache_test_results :echo_test"
  try "cmcheck app from there" "digest" \
    "cd mine && bazel run @rdma_cm_sim//tools/cmcheck -- app -- $rping"
fi
exit "$failed"
