#!/bin/sh
# Puts routes and neighbours right: the kernel drops them when a link goes down, and the bond's
# neighbours also when its hardware address changes. To be run after a link was raised again.
#
# Every neighbour is permanent. With a cold one on a veth pair the answer comes before the kernel
# has queued the question, the wake-up is lost, and ADDR_RESOLVED comes when the time is over.
set -eu
read -r topology </lab/topology
case $topology in
  pair) active=veth0 ;;
  bond) active=bond0 ;;
esac
passive=veth1
read -r address <"/sys/class/net/$active/address"

is_up() {
  read -r flags <"/sys/class/net/$1/flags"
  [ "$((flags & 1))" -eq 1 ]
}

# A link that is down takes no routes. Its turn comes when it is raised.
{
  if is_up "$active"; then
    cat <<END
route replace 10.0.1.0/24 dev $active src 10.0.0.1 table 100
route replace fd00:1::/64 dev $active src fd00::1 table 100
neigh replace 10.0.1.1 lladdr 02:00:00:00:00:02 dev $active nud permanent
neigh replace fd00:1::1 lladdr 02:00:00:00:00:02 dev $active nud permanent
END
  fi
  if is_up "$passive"; then
    cat <<END
route replace 10.0.0.0/24 dev $passive src 10.0.1.1 table 101
route replace fd00::/64 dev $passive src fd00:1::1 table 101
neigh replace 10.0.0.1 lladdr $address dev $passive nud permanent
neigh replace fd00::1 lladdr $address dev $passive nud permanent
END
  fi
} | ip -batch -
