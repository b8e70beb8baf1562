# How the scripts of this folder begin: they set `me`, with which a message begins, and read this.
# shellcheck shell=sh
set -eu
export LC_ALL=C PATH="$PATH:/usr/sbin:/sbin"

fail() {
  echo "${me:?}: $*" >&2
  exit 2
}

needs() {
  for tool in "$@"; do
    command -v "$tool" >/dev/null || fail "$tool is needed"
  done
}

needs_root() {
  [ "$(id -u)" -eq 0 ] || fail "needs root"
}

# Prints the one file that a pattern matches; one that matches none comes as it is.
only() {
  [ -e "$1" ] || fail "no ${1##*/} in ${1%/*}"
  [ $# -eq 1 ] || fail "more than one in ${1%/*}: $*"
  echo "$1"
}
