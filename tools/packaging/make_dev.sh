#!/bin/sh
# Makes the packages of the simulator as a library. `tools/package` calls it.
#
# usage: make_dev.sh CMCHECK ARCHIVE HEADERS EXAMPLES VERSION FOLDER
# Writes rdma-cm-sim-VERSION-ARCHITECTURE.tar.gz, to be unpacked below any prefix, and
# rdma-cm-sim-dev_VERSION_ARCHITECTURE.deb into the folder.
me=tools/package
# shellcheck source=tools/packaging/common.sh
. "$(dirname "$(readlink -f "$0")")/common.sh"
umask 022

[ $# -eq 6 ] || fail "usage: make_dev.sh CMCHECK ARCHIVE HEADERS EXAMPLES VERSION FOLDER"
cmcheck=$1 archive=$2 headers=$3 examples=$4 version=$5 output=$6
needs dpkg dpkg-deb gzip strip tar
for file in "$cmcheck" "$archive" "$headers" "$examples/echo/echo.h"; do
  [ -r "$file" ] || fail "$file cannot be read"
done
architecture=$(dpkg --print-architecture)
name=rdma-cm-sim-$version-$architecture
export SOURCE_DATE_EPOCH="${SOURCE_DATE_EPOCH:-0}"

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
trap 'exit 130' HUP INT TERM
usr=$work/$name
doc=$usr/share/doc/rdma-cm-sim-dev
mkdir -p "$output" "$usr/bin" "$usr/include/rdma_cm_sim" "$usr/lib/pkgconfig" \
  "$usr/lib/cmake/rdma_cm_sim" "$doc/examples" "$work/deb/DEBIAN"

strip -o "$usr/bin/cmcheck" "$cmcheck"
strip --strip-debug -o "$usr/lib/librdma_cm_sim.a" "$archive"
tar -xf "$headers" -C "$usr/include/rdma_cm_sim"
cp -RL "$examples/README.md" "$examples/echo" "$examples/outside" "$doc/examples/"
find "$doc" -name BUILD -path '*/echo/*' -delete

# Both are found by where they are, so that the folder may be anywhere.
cat >"$usr/lib/pkgconfig/rdma_cm_sim.pc" <<END
prefix=\${pcfiledir}/../..
Name: rdma_cm_sim
Description: librdmacm on a simulated kernel, in tests of programs that use it
Version: $version
Requires: librdmacm libibverbs
Cflags: -I\${prefix}/include/rdma_cm_sim
Libs: -Wl,--whole-archive \${prefix}/lib/librdma_cm_sim.a -Wl,--no-whole-archive -ldl -pthread
END
cat >"$usr/lib/cmake/rdma_cm_sim/rdma_cm_simConfig.cmake" <<'END'
# find_package(rdma_cm_sim REQUIRED)
# target_link_libraries(my_test PRIVATE rdma_cm_sim::harness)
get_filename_component(_rdma_cm_sim "${CMAKE_CURRENT_LIST_DIR}/../../.." ABSOLUTE)
if(NOT TARGET rdma_cm_sim::harness)
  add_library(rdma_cm_sim::harness INTERFACE IMPORTED)
  target_compile_features(rdma_cm_sim::harness INTERFACE cxx_std_20)
  target_include_directories(rdma_cm_sim::harness
    INTERFACE "${_rdma_cm_sim}/include/rdma_cm_sim")
  # librdmacm looks up what the archive defines in the program; no code there calls it.
  target_link_libraries(rdma_cm_sim::harness INTERFACE
    "-Wl,--whole-archive,${_rdma_cm_sim}/lib/librdma_cm_sim.a,--no-whole-archive"
    rdmacm ibverbs dl pthread)
endif()
set(rdma_cm_sim_CMCHECK "${_rdma_cm_sim}/bin/cmcheck")
unset(_rdma_cm_sim)
END
cat >"$usr/lib/cmake/rdma_cm_sim/rdma_cm_simConfigVersion.cmake" <<END
set(PACKAGE_VERSION "$version")
if(PACKAGE_VERSION VERSION_LESS PACKAGE_FIND_VERSION)
  set(PACKAGE_VERSION_COMPATIBLE FALSE)
else()
  set(PACKAGE_VERSION_COMPATIBLE TRUE)
endif()
END
chmod -R u=rwX,go=rX "$usr"

tar -C "$work" --sort=name --mtime="@$SOURCE_DATE_EPOCH" --owner=0 --group=0 --numeric-owner \
  -cf "$work/tar" "$name"
gzip -nc "$work/tar" >"$output/$name.tar.gz"
mv "$usr" "$work/deb/usr"
cat >"$work/deb/DEBIAN/control" <<END
Package: rdma-cm-sim-dev
Version: $version
Architecture: $architecture
Maintainer: rdma_cm_sim <root@localhost>
Section: libdevel
Priority: optional
Depends: librdmacm-dev, libibverbs-dev, libstdc++6, rdmacm-utils
Recommends: iproute2
Conflicts: cmcheck
Installed-Size: $(du -k -s "$work/deb/usr" | cut -f 1)
Description: RDMA connection management on a simulated kernel
 A library for tests of programs that use librdmacm, and cmcheck, which runs
 unmodified programs on simulated hosts (cmcheck app).
END
dpkg-deb --root-owner-group -Zgzip --build "$work/deb" \
  "$output/rdma-cm-sim-dev_${version}_$architecture.deb" >"$work/log" || fail "$(cat "$work/log")"
echo "$output/$name.tar.gz"
echo "$output/rdma-cm-sim-dev_${version}_$architecture.deb"
