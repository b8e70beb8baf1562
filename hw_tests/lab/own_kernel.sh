#!/bin/sh
# Makes the image of a guest with a kernel of the user's own out of another image.
#
#   own_kernel.sh IMAGE KERNEL MODULES OUTPUT
#
# KERNEL is a bzImage, a vmlinux, or a Debian package that holds one with its modules; MODULES is the
# folder of `make modules_install INSTALL_MOD_PATH=…`, or one of lib/modules in it, or empty with a
# package. The folder OUTPUT exists; it gets vmlinux, initrd, release and versions. The guest's
# programs stay those of IMAGE, whose modules are of no use to the other kernel, but stay as well.
set -eu
export LC_ALL=C

fail() {
  echo "own_kernel.sh: $*" >&2
  exit 1
}

# Runs a program of the image with the image's own libraries; $1 is the name it is called by.
in_root() {
  name=$1 program=$2
  shift 2
  libraries=$root/usr/lib/x86_64-linux-gnu
  "$libraries/ld-linux-x86-64.so.2" --library-path "$libraries" --argv0 "$name" "$program" "$@"
}

take_package() {
  command -v dpkg-deb >/dev/null || fail "dpkg-deb is needed for a package"
  mkdir "$work/deb"
  dpkg-deb --fsys-tarfile "$kernel" >"$work/deb.tar" 2>"$work/log" ||
    fail "$kernel: $(tail -n 1 "$work/log")"
  tar -xf "$work/deb.tar" -C "$work/deb" --no-same-owner
  rm "$work/deb.tar"
  [ -n "$modules" ] || modules=$work/deb
  package=$kernel
  kernel=
  for file in "$work"/deb/boot/vmlinuz-* "$work"/deb/usr/lib/modules/*/vmlinuz \
    "$work"/deb/lib/modules/*/vmlinuz; do
    [ ! -f "$file" ] || kernel=$file
  done
  [ -n "$kernel" ] || fail "$package holds no kernel (/boot/vmlinuz-…); is it of linux-image?"
}

# Sets modules to the folder of one release.
find_release() {
  found=
  for folder in "$modules" "$modules"/lib/modules/* "$modules"/usr/lib/modules/*; do
    [ -d "$folder/kernel" ] || continue
    folder=$(readlink -f "$folder") # lib may be usr/lib
    [ -z "$found" ] || [ "$found" = "$folder" ] || fail "$modules has modules of more than one kernel: name one of lib/modules"
    found=$folder
  done
  [ -n "$found" ] || fail "$modules has no modules: no folder lib/modules/RELEASE/kernel"
  modules=$found
  release=$(basename "$modules")
}

# What a bzImage says of itself, by the boot protocol's header; a vmlinux says nothing here.
check_kernel() {
  case $(od -An -tx1 -N 4 "$kernel" | tr -d ' ') in
    7f454c46) return 0 ;;
  esac
  [ "$(tail -c +515 "$kernel" | head -c 4)" = HdrS ] ||
    fail "$kernel is neither a bzImage nor a vmlinux of x86"
  at=$(od -An -tu2 -j 526 -N 2 "$kernel" | tr -d ' ')
  says=$(tail -c +$((at + 512 + 1)) "$kernel" | head -c 200 | tr '\0' '\n' | head -n 1)
  says=${says%% *}
  [ "$says" = "$release" ] || fail "$kernel is Linux $says, and the modules are of $release"
}

# A package has no modules.dep: it is made where it is installed. The folder is not ours to write to.
list_modules() {
  mkdir -p "$work/listed/usr/lib/modules"
  ln -s usr/lib "$work/listed/lib"
  cp -rs "$modules" "$work/listed/lib/modules/"
  in_root depmod "$root/usr/bin/kmod" -b "$work/listed" "$release"
  modules=$work/listed/lib/modules/$release
}

# Whether the kernel has it, as a module or built in.
has_module() {
  pattern=$(echo "$1" | sed 's/[-_]/[-_]/g')
  grep -qE "/$pattern\.ko(\.xz|\.zst|\.gz)?:" "$modules/modules.dep" ||
    grep -qE "/$pattern\.ko" "$modules/modules.builtin" 2>/dev/null
}

copy_modules() {
  copies=$work/over/usr/lib/modules/$release
  for module in $wanted; do
    pattern=$(echo "$module" | sed 's/[-_]/[-_]/g')
    grep -E "/$pattern\.ko(\.xz|\.zst|\.gz)?:" "$modules/modules.dep" || true
  done | tr -d : | tr ' ' '\n' | grep . | sort -u >"$work/list"
  while read -r file; do
    copy=$copies/$file
    mkdir -p "${copy%/*}"
    case $file in
      *.xz) xz -dc "$modules/$file" >"${copy%.xz}" ;;
      *.zst) zstd -qdc "$modules/$file" >"${copy%.zst}" ;;
      *.gz) gzip -dc "$modules/$file" >"${copy%.gz}" ;;
      *) cp "$modules/$file" "$copy" ;;
    esac
  done <"$work/list"
  mkdir -p "$copies"
  for file in "$modules"/modules.builtin* "$modules/modules.order"; do
    [ ! -f "$file" ] || cp "$file" "$copies/"
  done
  ln -s usr/lib "$work/over/lib"
  in_root depmod "$root/usr/bin/kmod" -b "$work/over" "$release"
}

[ $# -eq 4 ] || fail "usage: own_kernel.sh IMAGE KERNEL MODULES OUTPUT"
image=$1 kernel=$2 modules=$3 output=$4
for tool in cpio gzip sha256sum tar xz zstd; do
  command -v "$tool" >/dev/null || fail "$tool is needed (tools/setup.sh --lab installs it)"
done
[ -r "$kernel" ] || fail "$kernel cannot be read"
[ -z "$modules" ] || [ -d "$modules" ] || fail "$modules is no folder"

work=$(readlink -f "$(mktemp -d "$output/work.XXXXXX")")
trap 'rm -rf "$work"' EXIT
trap 'exit 143' HUP INT TERM
root=$work/root
mkdir "$root"
(cd "$root" && cpio -idm --quiet --no-absolute-filenames <"$image/initrd") ||
  fail "$image/initrd cannot be unpacked"
wanted=$(sed -n "s/^modules='\(.*\)'$/\1/p" "$root/init")
[ -n "$wanted" ] || fail "$image/initrd is no root file system of the lab"

if [ "$(head -c 7 "$kernel")" = '!<arch>' ]; then
  take_package
elif [ -z "$modules" ]; then
  fail "$kernel is no package: the folder of its modules is needed as well"
fi
find_release
check_kernel
[ -s "$modules/modules.dep" ] || list_modules
driver=rdma_rxe
[ "$(cat "$root/etc/rdma_driver")" != siw ] || driver=siw
for module in virtio_pci virtio_console 9p 9pnet_virtio ib_uverbs rdma_ucm "$driver" veth; do
  has_module "$module" || fail "Linux $release has no $module, neither built in nor as a module"
done
copy_modules

find "$work/over" -exec touch -h -d @0 {} +
(cd "$work/over" && find usr | sort | cpio -o -H newc -R 0:0 --reproducible --quiet) >"$work/cpio"
digest=$(cat "$kernel" "$work/cpio" | sha256sum | cut -c 1-12)
cat "$image/initrd" "$work/cpio" >"$output/initrd"
cp "$kernel" "$output/vmlinux"
echo "$release" >"$output/release"
{
  echo "linux-image-$release own-$digest"
  grep -v '^linux-image-' "$image/versions"
} >"$output/versions"
