#!/bin/sh
# Whether a program runs on a host that has no more than glibc 2.28. Prints what it needs beyond
# that, a line each; the exit code is then 1.
#
# usage: check.sh PROGRAM
set -eu
export LC_ALL=C

newest=2.28
libraries="libc.so.6 libm.so.6 libdl.so.2 libpthread.so.0 librt.so.1 ld-linux-x86-64.so.2
  ld-linux-aarch64.so.1"

headers=$(objdump -p "$1") || exit 2
symbols=$(objdump -T "$1") || exit 2
{
  for library in $(printf '%s\n' "$headers" | sed -n 's/^ *NEEDED *//p'); do
    case " $(echo $libraries) " in
      *" $library "*) ;;
      *) echo "it needs the library $library" ;;
    esac
  done
  printf '%s\n' "$symbols" | sed -n 's/^.*[ (]GLIBC_\([0-9.]*\))\{0,1\} *\([^ ]*\)$/\1 \2/p' |
    sort -u | awk -v newest="$newest" '
      BEGIN { split(newest, most, ".") }
      { split($1, has, ".") }
      has[1] > most[1] || (has[1] == most[1] && has[2] > most[2]) {
        print "it needs " $2 " of glibc " $1
      }'
  # GLIBC_ABI_DT_RELR, and whatever else is no number.
  printf '%s\n' "$headers" | sed -n 's/^.* \(GLIBC_[^0-9].*\)$/it needs \1/p'
} | {
  ! grep .
}
