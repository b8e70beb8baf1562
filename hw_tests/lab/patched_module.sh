#!/bin/sh
# Builds a module of the guest's kernel from the distribution's source with patches of one's own.
#
#   patched_module.sh [--kernel] FOLDER MODULE OUTPUT PATCH…
#
#   hw_tests/lab/patched_module.sh drivers/infiniband/core ib_cm /tmp/drep-once \
#     hw_tests/lab/patches/drep_once.patch
#
# FOLDER is that of the module in the source. The new folder OUTPUT gets MODULE.ko, and with --kernel
# also vmlinuz and lib/modules of the whole kernel, in which the module is the built one. Without a
# PATCH it is the module of the distribution. Everything happens in a new folder beside OUTPUT,
# which is gone at the end; nothing is installed and root is not needed. Source, headers and compiler
# are those of this machine's release, 150 MB to download.
set -eu
export LC_ALL=C

work=

fail() {
  echo "patched_module.sh: $*" >&2
  exit 1
}

# The kernel that linux-image-amd64 stands for, which build_image.sh takes as well.
find_packages() {
  image=$(apt-cache depends --important linux-image-amd64 2>/dev/null |
    sed -n 's/^ *Depends: \(linux-image-[0-9].*\)$/\1/p' | head -n 1)
  [ -n "$image" ] || fail "apt has no package lists: run 'apt-get update' first"
  release=${image#linux-image-}
  headers=linux-headers-$release
  source=$(echo "$image" | sed 's/^linux-image-\([0-9]*\.[0-9]*\).*/linux-source-\1/')
  version=$(apt-cache show --no-all-versions "$image" | sed -n 's/^Version: //p')
  packages="$source $headers $(apt-cache depends --important "$headers" 2>/dev/null |
    sed -n 's/^ *Depends: \(linux-headers-.*\|linux-kbuild-.*\)$/\1/p')"
  [ "$kernel" = no ] || packages="$packages $image"
  # The archive offers the source of a newer kernel before its image, and both versions for a while.
  # The tools of kbuild go with headers that are older.
  exact=
  for package in $packages; do
    offered=$(apt-cache show "$package" 2>/dev/null | sed -n 's/^Version: //p' | paste -sd ' ')
    [ -n "$offered" ] || fail "apt offers no package $package"
    case $package in linux-kbuild-*) exact="$exact $package" && continue ;; esac
    case " $offered " in
    *" $version "*) exact="$exact $package=$version" ;;
    *) fail "$package is of version $offered, and $image of $version: run 'apt-get update'" ;;
    esac
  done
}

download() {
  mkdir "$work/debs"
  # shellcheck disable=SC2086  # A list of words.
  (cd "$work/debs" && apt-get -qq -o APT::Sandbox::User="$(id -un)" download $exact) \
    >"$work/log" 2>&1 ||
    fail "download failed: $(grep -m 1 '^E:' "$work/log" || tail -n 1 "$work/log")"
  for package in "$work"/debs/*.deb; do
    dpkg-deb --fsys-tarfile "$package" >"$work/package.tar"
    tar -xf "$work/package.tar" -C "$work/tree" --no-same-owner
    rm "$package"
  done
  rm "$work/package.tar"
}

# Only the module's folder: everything else is in the headers.
take_source() {
  tar -xf "$work"/tree/usr/src/linux-source-*.tar.xz -C "$work/source" --strip-components=1 \
    --wildcards "*/$folder/*" 2>"$work/log" || fail "$source has no folder $folder"
  grep -qrE "^(obj-.*[[:space:]]|$module-.*:?=)" "$work/source/$folder/Makefile" &&
    grep -qw "$module.o" "$work/source/$folder/Makefile" ||
    fail "$folder of $source makes no module $module"
  for patch in "$@"; do
    patch -d "$work/source" -p1 --forward --fuzz=0 --no-backup-if-mismatch <"$patch" >"$work/log" 2>&1 ||
      fail "$patch does not apply to $source $version: $(grep -m 1 -iE 'fail|can.t find' "$work/log" || tail -n 1 "$work/log")"
  done
}

build() {
  # Headers of trace points are looked for from include/trace on.
  mkdir -p "$work/source/include/trace"
  cat >"$work/source/$folder/Kbuild" <<END
include \$(src)/Makefile
obj-y :=
obj-m := $module.o
ccflags-y += -I$work/source/include/trace
END
  tree_headers=$work/tree/usr/src/$headers
  sed -i "s|/usr/src/|$work/tree/usr/src/|" "$tree_headers/Makefile"
  make -C "$tree_headers" M="$work/source/$folder" modules >"$work/log" 2>&1 ||
    fail "building $module failed: $(grep -m 1 'error:' "$work/log" || tail -n 1 "$work/log")"
  strip -g "$work/source/$folder/$module.ko"
  grep -aq "^vermagic=$release " "$work/source/$folder/$module.ko" ||
    tr '\0' '\n' <"$work/source/$folder/$module.ko" | grep -aq "^vermagic=$release " ||
    fail "$module.ko is not of Linux $release"
  mkdir "$work/out"
  cp "$work/source/$folder/$module.ko" "$work/out/"
}

take_kernel() {
  mkdir "$work/out/lib"
  mv "$work/tree/lib/modules" "$work/out/lib/"
  mv "$work/tree/boot/vmlinuz-$release" "$work/out/vmlinuz"
  modules=$work/out/lib/modules/$release
  [ -f "$modules/kernel/$folder/$module.ko" ] || fail "$image has no $folder/$module.ko"
  cp "$work/out/$module.ko" "$modules/kernel/$folder/"
}

kernel=no
[ "${1-}" != --kernel ] || { kernel=yes && shift; }
[ $# -ge 3 ] || fail "usage: patched_module.sh [--kernel] FOLDER MODULE OUTPUT PATCH…"
folder=$1 module=$2 output=$3
shift 3
for tool in apt-get apt-cache dpkg-deb gcc make patch strip tar xz; do
  command -v "$tool" >/dev/null || fail "$tool is needed"
done
for patch in "$@"; do
  [ -r "$patch" ] || fail "$patch cannot be read"
done
[ ! -e "$output" ] || fail "$output exists"
parent=$(dirname "$output")
[ -d "$parent" ] || fail "$parent is no folder"
find_packages
case $(readlink -f "$parent") in
*[!A-Za-z0-9_./+-]*) fail "$parent: make cannot build in a path with such characters" ;;
esac
work=$(mktemp -d "$(readlink -f "$parent")/.patched_module.XXXXXX")
trap 'rm -rf "$work"' EXIT
trap 'exit 143' HUP INT TERM
mkdir -p "$work/tree" "$work/source"
download
take_source "$@"
build
[ "$kernel" = no ] || take_kernel
mv "$work/out" "$output"
echo "$output/$module.ko of Linux $release ($version)"
