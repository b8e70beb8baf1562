#!/bin/sh
# Builds the guest's kernel and root file system out of the distribution's packages.
#
#   build_image.sh [WHICH] --versions             prints the packages, one "NAME VERSION" a line
#   build_image.sh [WHICH] --agent FILE OUTPUT    makes the folder OUTPUT: vmlinux, initrd, versions
#
# WHICH is any of
#   --suite NAME FOLDER    packages of that release of Debian, whose lists are fetched once and kept
#                          in FOLDER; without it those of this machine. Of one that is older than
#                          bookworm kernel, librdmacm and libibverbs alone: programs that are built
#                          here do not start with its C library, and those run with bookworm's
#   --siw                  Soft-iWARP in place of Soft-RoCE: the distribution's kernels have none, so
#                          it is built from their source
#
# Nothing is installed and root is not needed. Everything happens in OUTPUT.part, which is renamed
# to OUTPUT at the end and is gone after a failure. A second builder waits for the first.
set -eu
export LC_ALL=C
PATH=$PATH:/usr/sbin:/sbin

# What the guest's commands and the suite need; the libraries are found by asking the loader.
# librdmacm comes with what needs it: its package is not called the same everywhere.
roots="busybox-static cpio dash dropbear-bin ethtool ibverbs-providers iproute2 kmod libgcc-s1
  libstdc++6 nftables rdmacm-utils strace tcpdump"
programs="dash dropbear kmod ip bridge tc ss rdma ethtool nft cmtime mckey rdma_client rdma_server
  rdma_xclient rdma_xserver rping ucmatose udaddy strace tcpdump"
# The last are empty in newer releases, and wanted by what was built on older ones.
libraries="libgcc_s.so.1 libibverbs.so.1 librdmacm.so.1 libstdc++.so.6 libm.so.6 libdl.so.2
  libpthread.so.0 librt.so.1"
providers="rxe siw"
modules="virtio_pci virtio_console virtio_net 9p 9pnet_virtio crc32_generic crc32c_generic libcrc32c ib_uverbs
  DRIVER rdma_ucm veth dummy ifb bonding bridge vrf sch_netem sch_prio sch_fq sch_ingress
  cls_u32 cls_bpf cls_flower cls_matchall act_gact act_mirred nf_tables nft_numgen nft_limit
  x_tables"
space_needed_mb=900

# Of an older release: packages that are taken from it.
older_packages="linux-image-* librdmacm1 libibverbs1 ibverbs-providers rdmacm-utils"

# By which the network scripts make devices, and the module that has it.
driver=rxe
driver_module=rdma_rxe

work=
child=

fail() {
  echo "build_image.sh: $*" >&2
  exit 1
}

# Waits for what was just started in such a way that a signal is answered at once.
wait_for_child() {
  child=$!
  wait "$child" || return
  child=
}

clean_up() {
  trap '' HUP INT TERM
  # It may be about to make a file where everything is removed. A signal that comes before it is a
  # program of its own is lost.
  while [ -n "$child" ] && kill "$child" 2>/dev/null; do sleep 0.1; done
  [ -z "$work" ] || rm -rf "$work"
}

need_programs() {
  for program in apt-cache apt-get dpkg dpkg-deb flock xz zstd; do
    command -v "$program" >/dev/null || fail "$program is needed (tools/setup.sh --lab installs it)"
  done
  if [ "$driver" = siw ]; then
    for program in make gcc strip; do
      command -v "$program" >/dev/null || fail "$program is needed to build Soft-iWARP"
    done
  fi
  architecture=$(dpkg --print-architecture)
  [ "$architecture" = amd64 ] || fail "the lab is made for amd64, this is $architecture"
}

# Makes apt take of bullseye what is named above, and anything else of bookworm.
add_newer_release() {
  {
    echo "deb [signed-by=$keys] http://deb.debian.org/debian-security bullseye-security main"
    echo "deb [signed-by=$keys] http://deb.debian.org/debian bookworm main"
  } >>"$state/sources.list"
  for release in bullseye bullseye-security; do
    printf 'Package: %s\nPin: release n=%s\nPin-Priority: 900\n\n' "$older_packages" "$release"
  done >"$state/preferences"
  printf 'Package: *\nPin: release n=bookworm\nPin-Priority: 800\n' >>"$state/preferences"
}

# Makes apt use the release $1, whose lists are kept in the folder $2. One at a time: apt refuses to
# fetch what another fetches.
use_suite() {
  state=$2
  mkdir -p "$state/lists/partial" "$state/cache/archives/partial"
  exec 9<"$state"
  flock 9
  : >"$state/status"
  keys=/usr/share/keyrings/debian-archive-keyring.gpg
  echo "deb [signed-by=$keys] http://deb.debian.org/debian $1 main" >"$state/sources.list"
  : >"$state/preferences"
  [ "$1" != bullseye ] || add_newer_release
  cat >"$state/apt.conf" <<END
Dir::Etc::SourceList "$state/sources.list";
Dir::Etc::SourceParts "/dev/null";
Dir::Etc::Preferences "$state/preferences";
Dir::Etc::PreferencesParts "/dev/null";
Dir::State::Lists "$state/lists";
Dir::State::status "$state/status";
Dir::Cache "$state/cache";
END
  export APT_CONFIG="$state/apt.conf"
  set -- "$state"/lists/*_Packages*
  [ -e "$1" ] || apt-get -qq -o APT::Sandbox::User="$(id -un)" update >&2 ||
    fail "the package lists of another release cannot be fetched"
  exec 9<&-
}

# Prints the packages of the kernel $1 besides itself: some releases split it, and building a module
# takes its headers and its source.
parts_of_kernel() {
  apt-cache depends --important "$1" |
    sed -n 's/^ *Depends: \(linux-base-[0-9].*\|linux-binary-.*\|linux-modules-.*\)$/\1/p'
  [ "$driver" = siw ] || return 0
  headers=linux-headers-${1#linux-image-}
  echo "$headers"
  apt-cache depends --important "$headers" |
    sed -n 's/^ *Depends: \(linux-headers-.*\|linux-kbuild-.*\)$/\1/p'
  echo "$1" | sed 's/^linux-image-\([0-9]*\.[0-9]*\).*/linux-source-\1/'
}

# Prints the names: the kernel that linux-image-amd64 stands for, the roots, their libraries.
packages() {
  kernel=$(apt-cache depends --important linux-image-amd64 2>/dev/null |
    sed -n 's/^ *Depends: \(linux-image-[0-9].*\)$/\1/p' | head -n 1)
  [ -n "$kernel" ] || fail "apt has no package lists: run 'apt-get update' first"
  # shellcheck disable=SC2086  # A list of words.
  needed=$(apt-cache depends --recurse --no-recommends --no-suggests --no-conflicts --no-breaks \
    --no-replaces --no-enhances $roots | grep '^lib')
  # shellcheck disable=SC2046,SC2086
  printf '%s\n' "$kernel" $(parts_of_kernel "$kernel") $roots $needed | sort -u
}

# Prints "NAME VERSION" for every package, as the archive offers them now.
versions() {
  names=$(packages) || exit
  # shellcheck disable=SC2086
  apt-cache show --no-all-versions $names |
    sed -n 's/^Package: //p; s/^Version: //p' | paste -d ' ' - - | sort -u
}

check_space() {
  free_kb=$(df -Pk "$1" | awk 'NR == 2 { print $4 }')
  [ "$free_kb" -ge $((space_needed_mb * 1024)) ] ||
    fail "$1 has $((free_kb / 1024)) MB free, $space_needed_mb MB are needed"
}

download() {
  mkdir "$work/debs"
  # shellcheck disable=SC2046  # A list of words.
  set -- $(tr ' ' '=' <"$work/out/versions")
  echo "downloading $# packages"
  # As root, apt would complain that its own user cannot write here.
  (cd "$work/debs" && exec apt-get -qq -o APT::Sandbox::User="$(id -un)" download "$@") \
    >"$work/log" 2>&1 &
  wait_for_child || fail "download failed: $(grep -m 1 '^E:' "$work/log" || tail -n 1 "$work/log")"
}

# Unpacks every package into one tree, with /usr merged as an installed system has it.
unpack() {
  echo "unpacking"
  tree=$work/tree
  for folder in bin lib lib64 sbin; do
    mkdir -p "$tree/usr/$folder"
    ln -s "usr/$folder" "$tree/$folder"
  done
  for package in "$work"/debs/*.deb; do
    dpkg-deb --fsys-tarfile "$package" >"$work/package.tar"
    tar -xf "$work/package.tar" -C "$tree" --no-same-owner --keep-directory-symlink
    rm "$package"
  done
  rm "$work/package.tar"
  release=$(cd "$tree/lib/modules" && echo *)
  library_path=$tree/lib/x86_64-linux-gnu
}

# Builds the module with this machine's compiler, and puts it beside those that the kernel has.
build_siw() {
  echo "building Soft-iWARP"
  siw=drivers/infiniband/sw/siw
  mkdir "$work/siw"
  tar -xf "$tree"/usr/src/linux-source-*.tar.xz -C "$work/siw" --strip-components=5 \
    --wildcards "*/$siw/*.[ch]"
  echo 'obj-m := siw.o' >"$work/siw/Kbuild"
  echo 'siw-y := siw_cm.o siw_cq.o siw_main.o siw_mem.o siw_qp.o siw_qp_tx.o siw_qp_rx.o' \
    'siw_verbs.o' >>"$work/siw/Kbuild"
  headers=$tree/usr/src/linux-headers-$release
  sed -i "s|/usr/src/|$tree/usr/src/|" "$headers/Makefile"
  make -C "$headers" M="$work/siw" modules >"$work/log" 2>&1 &
  wait_for_child || fail "building Soft-iWARP failed: $(tail -n 1 "$work/log")"
  strip -g "$work/siw/siw.ko"
  mkdir -p "$tree/lib/modules/$release/extra"
  mv "$work/siw/siw.ko" "$tree/lib/modules/$release/extra/"
}

# Runs a program of the tree with the tree's own libraries; $1 is the name it is called by.
in_tree() {
  name=$1 program=$2
  shift 2
  "$library_path/ld-linux-x86-64.so.2" --library-path "$library_path" --argv0 "$name" \
    "$program" "$@"
}

# Copies the shared libraries that a file of the tree needs.
copy_needed() {
  in_tree list --list "$1" >"$work/needed" || fail "the loader cannot list what $1 needs"
  ! grep 'not found' "$work/needed" >&2 || fail "a library of $1 is in none of the packages"
  sed -n 's/^.* => \([^ ]*\) (.*$/\1/p' "$work/needed" |
    while read -r library; do
      [ -e "$root/usr/lib/x86_64-linux-gnu/${library##*/}" ] ||
        cp -L "$library" "$root/usr/lib/x86_64-linux-gnu/"
    done
}

copy_programs() {
  for program in $programs; do
    found=
    for folder in usr/bin usr/sbin; do
      # A link may be absolute and would then lead out of the tree.
      if [ -f "$tree/$folder/$program" ] && [ ! -h "$tree/$folder/$program" ]; then
        found=$folder/$program
      fi
    done
    [ -n "$found" ] || fail "$program is in none of the packages"
    cp "$tree/$found" "$root/$found"
    copy_needed "$tree/$found"
  done
  for library in $libraries; do
    cp -L "$library_path/$library" "$root/usr/lib/x86_64-linux-gnu/"
    copy_needed "$library_path/$library"
  done
  for provider in $providers; do
    cp -L "$library_path"/libibverbs/lib"$provider"-rdmav*.so \
      "$root/usr/lib/x86_64-linux-gnu/libibverbs/"
    cp "$tree/etc/libibverbs.d/$provider.driver" "$root/etc/libibverbs.d/"
  done
  cp -L "$library_path/ld-linux-x86-64.so.2" "$root/usr/lib/x86_64-linux-gnu/"
  ln -s ../lib/x86_64-linux-gnu/ld-linux-x86-64.so.2 "$root/usr/lib64/ld-linux-x86-64.so.2"
  ln -s dash "$root/usr/bin/sh"
  for name in modprobe insmod rmmod lsmod depmod modinfo; do
    ln -s ../bin/kmod "$root/usr/sbin/$name"
  done
  # The applets stand last in PATH: the ip and tc of busybox can do next to nothing.
  cp "$tree/bin/busybox" "$root/usr/bin/"
  "$tree/bin/busybox" --list | while read -r applet; do
    ln -s ../../bin/busybox "$root/usr/lib/busybox/$applet"
  done
}

# Copies the modules with what they depend on. One that this kernel has built in, or does not
# know, is left out: init says which of those it cannot do without.
copy_modules() {
  in_tree depmod "$tree/bin/kmod" -b "$tree" "$release" >/dev/null 2>&1
  kernel_modules=$tree/lib/modules/$release
  for module in $modules; do
    pattern=$(echo "$module" | sed 's/[-_]/[-_]/g')
    grep -E "/$pattern\.ko(\.xz|\.zst)?:" "$kernel_modules/modules.dep" || true
  done | tr -d : | tr ' ' '\n' | grep . | sort -u |
    while read -r file; do
      copy=$root/usr/lib/modules/$release/$file
      mkdir -p "${copy%/*}"
      case $file in
        *.xz) xz -dc "$kernel_modules/$file" >"${copy%.xz}" ;;
        *.zst) zstd -qdc "$kernel_modules/$file" >"${copy%.zst}" ;;
        *) cp "$kernel_modules/$file" "$copy" ;;
      esac
    done
  cp "$kernel_modules"/modules.builtin* "$kernel_modules/modules.order" \
    "$root/usr/lib/modules/$release/"
  in_tree depmod "$tree/bin/kmod" -b "$root" "$release"
}

# The kernel as a plain ELF file: QEMU enters it directly, which saves the guest six seconds of
# unpacking. The offsets are those of the boot protocol's header.
extract_kernel() {
  image=$tree/boot/vmlinuz-$release
  [ -e "$image" ] || image=$tree/lib/modules/$release/vmlinuz
  setup_sectors=$(od -An -tu1 -j 497 -N 1 "$image" | tr -d ' ')
  offset=$(od -An -tu4 -j 584 -N 4 "$image" | tr -d ' ')
  length=$(od -An -tu4 -j 588 -N 4 "$image" | tr -d ' ')
  tail -c +$(((setup_sectors + 1) * 512 + offset + 1)) "$image" |
    head -c "$length" >"$work/payload" || true
  case $(od -An -tx1 -N 4 "$work/payload" | tr -d ' ') in
    fd377a58) xz -dc --single-stream "$work/payload" >"$work/out/vmlinux" ;;
    # The kernel's build puts the unpacked length, four bytes, behind the compressed stream.
    28b52ffd) head -c $((length - 4)) "$work/payload" | zstd -qdc >"$work/out/vmlinux" ;;
    *) fail "$image is packed in an unknown way" ;;
  esac
}

write_etc() {
  echo "$driver" >"$root/etc/rdma_driver"
  echo 'root:x:0:0:root:/root:/bin/sh' >"$root/etc/passwd"
  echo 'root:x:0:' >"$root/etc/group"
  printf '%s: files\n' passwd group hosts services protocols >"$root/etc/nsswitch.conf"
  printf '127.0.0.1 localhost\n' >"$root/etc/hosts"
  printf 'icmp 1 ICMP\ntcp 6 TCP\nudp 17 UDP\nipv6-icmp 58 IPv6-ICMP\n' >"$root/etc/protocols"
  printf 'domain 53/udp\n' >"$root/etc/services"
  for folder in etc/iproute2 usr/share/iproute2; do
    [ ! -d "$tree/$folder" ] || cp -R "$tree/$folder" "$root/${folder%/*}/"
  done
}

write_init() {
  {
    echo '#!/bin/sh'
    echo "modules='$(echo "$modules" | tr -s '\n ' ' ')'"
    cat <<'END'
export PATH=/usr/sbin:/usr/bin:/usr/lib/busybox HOME=/root
mount -t proc proc /proc
mount -t sysfs sysfs /sys
mount -t devtmpfs devtmpfs /dev
mount -t tmpfs tmpfs /tmp
mount -t tmpfs tmpfs /run
mount -t bpf bpf /sys/fs/bpf
ln -s /proc/self/fd /dev/fd
ln -s fd/0 /dev/stdin
ln -s fd/1 /dev/stdout
ln -s fd/2 /dev/stderr
# The order of the list matters. ib_uverbs comes before rdma_cm: when a device is removed the
# kernel tells its users in reverse order, ib_uverbs waits until every process has closed the
# device, and an rdma_cm that comes after it would never hear of the removal.
for module in $modules; do
  case $module in
    bonding) modprobe bonding max_bonds=0 ;;
    dummy) modprobe dummy numdummies=0 ;;
    ifb) modprobe ifb numifbs=0 ;;
    *) modprobe "$module" ;;
  esac
done
# Work that a long wait would otherwise repeat over and over again.
sysctl -qw vm.stat_interval=3600 vm.dirty_writeback_centisecs=0 kernel.printk='4 4 1 7'
ip link set lo up
until [ -e /dev/vport0p1 ]; do usleep 10000; done
exec agent /dev/vport0p1
END
  } >"$root/init"
  chmod 755 "$root/init"
}

make_root() {
  root=$work/root
  for folder in bin lib lib64 sbin; do
    mkdir -p "$root/usr/$folder"
    ln -s "usr/$folder" "$root/$folder"
  done
  (cd "$root" && mkdir -p dev etc/libibverbs.d host proc root run sys tmp usr/lib/busybox \
    usr/lib/x86_64-linux-gnu/libibverbs usr/share)
  copy_programs
  copy_modules
  write_etc
  write_init
  cp "$agent" "$root/usr/sbin/agent"
  chmod 755 "$root/usr/sbin/agent"
  ln -s agent "$root/usr/sbin/cmfault"
  # The same packages give the same bytes.
  find "$root" -exec touch -h -d @0 {} +
  (cd "$root" && find . | sort |
    in_tree cpio "$tree/bin/cpio" -o -H newc -R 0:0 --reproducible --quiet) >"$work/out/initrd"
}

build() {
  output=$1
  parent=$(dirname "$output")
  mkdir -p "$parent"
  # The lock belongs to the folder, so no file is left behind, and ends with the last process.
  exec 9<"$parent"
  flock -n 9 || { echo "waiting for another build" && flock 9; }
  [ ! -e "$output" ] || exit 0
  check_space "$parent"
  work=$output.part
  rm -rf "$work"
  mkdir -p "$work/out"
  versions >"$work/out/versions"
  download
  unpack
  [ "$driver" = rxe ] || build_siw
  echo "making the root file system"
  make_root
  extract_kernel
  echo "$release" >"$work/out/release"
  chmod -R a+rX "$work/out"
  mv "$work/out" "$output"
}

agent=
trap clean_up EXIT
trap 'exit 129' HUP
trap 'exit 130' INT
trap 'exit 143' TERM
state=
while :; do
  case ${1-} in
    --suite) suite=$2 state=$3 && shift 3 ;;
    --siw) driver=siw driver_module=siw && shift ;;
    *) break ;;
  esac
done
modules=$(echo "$modules" | sed "s/DRIVER/$driver_module/")
need_programs
[ -z "$state" ] || use_suite "$suite" "$state"
if [ "$#" -eq 1 ] && [ "$1" = --versions ]; then
  versions
elif [ "$#" -eq 3 ] && [ "$1" = --agent ]; then
  agent=$2
  [ -r "$agent" ] || fail "cannot read $agent"
  build "$3"
else
  fail "usage: build_image.sh [WHICH] --versions | --agent FILE OUTPUT"
fi
