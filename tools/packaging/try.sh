#!/bin/sh
# Tries the packages of `tools/package` in fresh Debian systems, by hand: needs root, debootstrap and
# Debian's archive; a minute and 300 MB for each release, which are gone at the end.
#
# usage: try.sh FOLDER RELEASE...
#   tools/packaging/try.sh /tmp/out bullseye bookworm trixie
# TRY_ROOTS names a folder where systems are kept, and taken from the next time.
# Exit code: 0 all went well, 1 not, 2 it cannot be tried.
me=try.sh
# shellcheck source=tools/packaging/common.sh
. "$(dirname "$(readlink -f "$0")")/common.sh"

[ $# -ge 2 ] || fail "usage: try.sh FOLDER RELEASE..."
needs_root
needs debootstrap
packages=$(readlink -f "$1")
shift
deb=$(only "$packages"/cmcheck_*.deb)
tarball=$(only "$packages"/cmcheck-*.tar.gz)

kept=${TRY_ROOTS:-}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
trap 'exit 130' HUP INT TERM
failed=0

# Says whether a command did what it should: its output has to have the text.
try() {
  what=$1 text=$2
  shift 2
  if "$@" >"$work/log" 2>&1 && grep -qF -- "$text" "$work/log"; then
    echo "  well: $what"
  else
    echo "  FAILED: $what"
    tail -n 5 "$work/log" | sed 's/^/    /'
    failed=1
  fi
}

mkdir "$work/here"
tar -xzf "$tarball" -C "$work/here" --strip-components=1
cmcheck=$work/here/cmcheck
"$cmcheck" run --sequences 100 --report "$work/report" 2>/dev/null | grep '^digest' >"$work/digest" ||
  fail "$cmcheck does not run here"

for release in "$@"; do
  system=${kept:-$work}/$release
  if [ ! -e "$system/etc/os-release" ]; then
    library=librdmacm1
    case $release in
      bullseye | bookworm) ;;
      *) library=librdmacm1t64 ;;
    esac
    debootstrap --variant=minbase --include="$library,ibverbs-providers" "$release" "$system" \
      >"$work/log" 2>&1 || fail "$release: $(tail -n 1 "$work/log")"
  fi
  echo "$release: glibc $(chroot "$system" ldd --version | sed -n '1s/.* //p')"
  cp "$deb" "$system/tmp/cmcheck.deb"
  mkdir -p "$system/opt/cmcheck"
  tar -xzf "$tarball" -C "$system/opt/cmcheck" --strip-components=1
  try "the package is installed" "Setting up cmcheck" chroot "$system" dpkg -i /tmp/cmcheck.deb
  try "the program of the tarball runs" "driver-check" chroot "$system" /opt/cmcheck/cmcheck --help
  try "100 sequences with its agent are those of here" "$(cat "$work/digest")" \
    "$cmcheck" run --impl "exec:chroot $system cmcheck agent --impl sim" --sequences 100 \
    --report "$work/report"
  try "its agent keeps the driver protocol" "16 ok, 0 failed" \
    "$cmcheck" driver-check "chroot $system cmcheck agent --impl sim"
  try "it loads the librdmacm of the release" '"librdmacm":"/usr/lib' \
    chroot "$system" cmcheck site facts
  try "a site is found, as far as there are devices" "passive: b: Linux" sh -c \
    'rm -f "$1/site.json"
     "$0" site discover "$1/site.json" --active a --passive b --launcher "chroot $2 {command}" ||
       [ $? -eq 4 ]' "$cmcheck" "$work" "$system"
  chroot "$system" dpkg -P cmcheck >/dev/null 2>&1
  rm -rf "$system/opt/cmcheck" "$system/tmp/cmcheck.deb"
  [ -n "$kept" ] || rm -rf "$system"
done
exit "$failed"
