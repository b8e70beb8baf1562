#!/bin/sh
# Makes the packages of a cmcheck that is built. `tools/package` calls it.
#
# usage: make.sh PROGRAM VERSION FOLDER
# Writes cmcheck-VERSION-ARCHITECTURE.tar.gz and cmcheck_VERSION_ARCHITECTURE.deb into the folder.
me=tools/package here=$(dirname "$(readlink -f "$0")")
# shellcheck source=tools/packaging/common.sh
. "$here/common.sh"
umask 022

[ $# -eq 3 ] || fail "usage: make.sh PROGRAM VERSION FOLDER"
program=$1 version=$2 output=$3
needs dpkg dpkg-deb gzip objdump strip tar
[ -r "$program" ] || fail "$program cannot be read"
code=0
lacking=$("$here/check.sh" "$program") || code=$?
[ $code -ne 1 ] || fail "$program is for newer hosts: $lacking"
[ $code -eq 0 ] || fail "$program is no program"
case $version in
  [0-9]*) ;;
  *) fail "the version '$version' does not begin with a digit" ;;
esac
architecture=$(dpkg --print-architecture)
name=cmcheck-$version-$architecture
export SOURCE_DATE_EPOCH="${SOURCE_DATE_EPOCH:-0}"

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
trap 'exit 130' HUP INT TERM
mkdir -p "$output" "$work/$name" "$work/deb/DEBIAN" "$work/deb/usr/bin" \
  "$work/deb/usr/share/doc/cmcheck"

strip -o "$work/$name/cmcheck" "$program"
cp "$here/NODE.md" "$work/$name/README.md"
chmod 755 "$work/$name/cmcheck"
chmod 644 "$work/$name/README.md"
tar -C "$work" --sort=name --mtime="@$SOURCE_DATE_EPOCH" --owner=0 --group=0 --numeric-owner \
  -cf "$work/tar" "$name"
gzip -nc "$work/tar" >"$output/$name.tar.gz"

cp "$work/$name/cmcheck" "$work/deb/usr/bin/"
cp "$work/$name/README.md" "$work/deb/usr/share/doc/cmcheck/"
cat >"$work/deb/DEBIAN/control" <<END
Package: cmcheck
Version: $version
Architecture: $architecture
Maintainer: rdma_cm_sim <root@localhost>
Section: net
Priority: optional
Depends: libc6 (>= 2.28), librdmacm1 | librdmacm1t64
Recommends: ibverbs-providers, iproute2
Installed-Size: $(du -k -s "$work/deb/usr" | cut -f 1)
Description: conformance of RDMA connection management
 Runs one side of the suite on a host with an RDMA device (cmcheck agent), says
 what the host has (cmcheck site facts), and judges captures.
END
dpkg-deb --root-owner-group -Zgzip --build "$work/deb" \
  "$output/cmcheck_${version}_$architecture.deb" >"$work/log" || fail "$(cat "$work/log")"
echo "$output/$name.tar.gz"
echo "$output/cmcheck_${version}_$architecture.deb"
