#!/bin/sh
# Unpacks the librdmacm of a release of Debian, with the C library and the libnl of that release.
#
# usage: unpack_release.sh SUITE FOLDER     e.g. unpack_release.sh trixie /tmp/trixie
#
# Prints the path of the library, for `cmcheck run --impl lib:PATH`. The folder must not be there,
# and appears whole or not at all. Nothing is installed and root is not needed. apt fetches the
# suite's index of packages and sees to signatures and digests; MIRROR is where from.
# Exit code: 0, or 1 with one line on stderr when the packages cannot be had.
set -eu
export LC_ALL=C

mirror=${MIRROR:-http://deb.debian.org/debian}
folder_of_libraries=usr/lib/x86_64-linux-gnu

fail() {
  echo "unpack_release.sh: $*" >&2
  exit 1
}

[ "$#" -eq 2 ] || fail "usage: unpack_release.sh SUITE FOLDER"
suite=$1
output=$(readlink -m "$2")
for program in apt-cache apt-get dpkg-deb; do
  command -v "$program" >/dev/null || fail "$program is needed"
done
[ ! -e "$output" ] || fail "$output is there already"
mkdir -p "${output%/*}"
work=$(mktemp -d -p "${output%/*}")
trap 'rm -rf "$work"' EXIT
trap 'exit 130' HUP INT TERM

# apt with lists, an archive and a status of its own: what is installed here does not matter.
apt() {
  command=$1
  shift
  "$command" -qq -o Dir::State="$work/state" -o Dir::State::status="$work/status" \
    -o Dir::Cache="$work/cache" -o Dir::Etc::SourceList="$work/sources.list" \
    -o Dir::Etc::SourceParts=/dev/null -o APT::Sandbox::User="$(id -un)" \
    -o APT::Architecture=amd64 -o APT::Architectures::=amd64 -o APT::Update::Error-Mode=any \
    -o Acquire::Languages=none -o Acquire::Retries=2 -o Acquire::http::Timeout=20 "$@"
}

# Runs apt, and ends with what it complained of.
fetch() {
  apt "$@" >"$work/log" 2>&1 ||
    fail "$suite cannot be had from $mirror: $(grep -m 1 '^E:' "$work/log" || tail -n 1 "$work/log")"
}

mkdir -p "$work/state/lists/partial" "$work/cache/archives/partial" "$work/debs"
: >"$work/status"
echo "deb $mirror $suite main" >"$work/sources.list"
fetch apt-get update
# Named librdmacm1t64 from trixie on.
library=$(apt apt-cache search --names-only '^librdmacm1(t64)?$' | cut -d ' ' -f 1)
[ -n "$library" ] || fail "$suite has no package of librdmacm"
cd "$work/debs"
fetch apt-get download "$library" libnl-3-200 libc6

# Into one tree, with /usr merged as an installed system has it: all libraries are in one folder.
tree=$work/tree
for part in lib lib64; do
  mkdir -p "$tree/usr/$part"
  ln -s "usr/$part" "$tree/$part"
done
for package in *.deb; do
  dpkg-deb --fsys-tarfile "$package" |
    tar -xf - -C "$tree" --no-same-owner --keep-directory-symlink
done
chmod -R u+w,a+rX "$tree"
mv "$tree" "$output"
echo "$output/$folder_of_libraries/librdmacm.so.1"
