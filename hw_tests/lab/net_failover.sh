#!/bin/sh
# Topology "bond": makes the slave $1 (b0 or b1) the active one, as a fail-over would.
#
# The bond's hardware address changes with its active slave. The kernel then forgets every
# neighbour on the bond, permanent ones too, and the peer's entry for the bond is wrong; with
# "keep-neighbours" as $2 both stay as the kernel left them, else they are put right.
set -eu
# A slave that has just come up is refused until the bond has looked at it.
for _ in 1 2 3 4 5 6 7 8 9 10; do
  read -r status <"/sys/class/net/$1/bonding_slave/mii_status"
  [ "$status" != up ] || break
  sleep 0.1
done
echo "$1" >/sys/class/net/bond0/bonding/active_slave
[ "${2-}" = keep-neighbours ] || sh /lab/net_routes.sh
