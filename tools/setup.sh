#!/bin/sh
# Installs what building and testing needs, on Debian and its relatives.  Quick and
# silent where everything is there already.
#
# usage: tools/setup.sh [--test] [--lab] [--ci] [--bench] [--gate] [--mutate]
#   --test  also the programs that tests run, on simulated hosts and on this one
#   --lab  also what the lab needs: QEMU, the tools that make its image, and lists of
#          the packages that the image is made of
#   --ci   also what .ci/run needs: the second compiler, an sshd for a test
#   --bench  also what tools/bench/run compares with
#   --gate   also what tools/bench/run --gate counts with
#   --mutate  also what tools/mutate is made with: clang's libraries
# Exit code: 0 everything is there, 2 it is not. On a system without apt-get 0 as well: it prints the
# packages, which may have other names there, and checks nothing.
set -eu

packages="g++ librdmacm-dev libibverbs-dev file zip clang-format clang-tidy
  tshark rdmacm-utils python3-pyverbs"
libraries="libgtest-dev libgmock-dev librapidcheck-dev libcli11-dev libfmt-dev
  nlohmann-json3-dev libbenchmark-dev libxxhash-dev"
# Programs of docs/programs.md, 42 MB; QEMU is one of the lab's. The last three are for tests of
# nodes and of the lab's packers.
test_packages="perftest qperf ibverbs-utils libfabric-bin ucx-utils iperf iperf3 curl
  netcat-openbsd openmpi-bin python3-mpi4py fio dapl2-utils tgt libiscsi-bin
  iproute2 cpio zstd"
lab_packages="qemu-system-x86 qemu-utils cpio gzip xz-utils zstd"
ci_packages="clang-19 libclang-rt-19-dev openssh-server openssh-client"
gate_packages="valgrind"
mutate_packages="libclang-19-dev llvm-19-dev libclang-cpp19"
bench_packages="libns3-dev libpcap-dev $gate_packages"

fail() {
  echo "tools/setup.sh: $*" >&2
  exit 2
}

as_root() {
  if [ "$(id -u)" -eq 0 ]; then
    "$@"
  else
    sudo "$@"
  fi
}

# Root's links lead into root's home, which other users cannot read.
remove_foreign_links() {
  me=$(id -un)
  for link in "$1"/bazel-*; do
    [ -L "$link" ] || continue
    owner=$(stat -c %U "$link")
    if [ "$owner" = "$me" ] || rm -f "$link" 2>/dev/null; then continue; fi
    fail "$link belongs to $owner and is in the way: sudo rm '$1'/bazel-*"
  done
}

# Prints those of the packages that are not installed, a space before each.
missing_of() {
  installed=$(dpkg-query -W -f='${Package} ${db:Status-Status}\n' "$@" 2>/dev/null || true)
  for package in "$@"; do
    case "
$installed
" in
      *"
$package installed
"*) ;;
      *) printf ' %s' "$package" ;;
    esac
  done
}

apt() {
  as_root env DEBIAN_FRONTEND=noninteractive \
    apt-get -qq -o DPkg::Lock::Timeout=300 -o Dpkg::Use-Pty=0 "$@"
}

# Says what it does, and what apt says only when that went wrong.
quietly() {
  what=$1
  shift
  if [ "$(id -u)" -ne 0 ] && ! command -v sudo >/dev/null; then
    fail "$what needs root, and there is no sudo"
  fi
  echo "tools/setup.sh: $what" >&2
  log=$(mktemp)
  if ! "$@" >"$log" 2>&1; then
    cat "$log" >&2
    rm -f "$log"
    fail "failed: $what"
  fi
  rm -f "$log"
}

install() {
  apt update || echo "no fresh package lists"
  apt install -y --no-install-recommends "$@"
}

remove_foreign_links "$(dirname "$(dirname "$(readlink -f "$0")")")"

case "$(bazel --version 2>/dev/null || true)" in
  "bazel "[7-9].* | "bazel "[1-9][0-9].*) ;;  # that one fetches its libraries
  *) packages="$packages bazel-bootstrap $libraries" ;;
esac
wants_lists=
for option in "$@"; do
  case $option in
    --lab)
      packages="$packages $lab_packages"
      wants_lists=yes
      ;;
    --ci) packages="$packages $ci_packages" ;;
    --test) packages="$packages $test_packages" ;;
    --bench) packages="$packages $bench_packages" ;;
    --gate) packages="$packages $gate_packages" ;;
    --mutate) packages="$packages $mutate_packages" ;;
    *) fail "no such option: $option (see the top of this file)" ;;
  esac
done

if ! command -v apt-get >/dev/null; then
  # shellcheck disable=SC2086
  echo "tools/setup.sh: not a Debian; needed are packages like:" $packages >&2
  exit 0
fi

# shellcheck disable=SC2086
missing=$(missing_of $packages)
# shellcheck disable=SC2086
[ -z "$missing" ] || quietly "installing$missing" install $missing
if [ -n "$wants_lists" ] && ! ls /var/lib/apt/lists/*_Packages* >/dev/null 2>&1; then
  quietly "fetching the lists of packages" apt update
fi
