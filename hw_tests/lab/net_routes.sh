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
read -r address <"/sys/class/net/$active/address"
ip -batch - <<END
route replace 10.0.1.0/24 dev $active src 10.0.0.1 table 100
route replace 10.0.0.0/24 dev veth1 src 10.0.1.1 table 101
route replace fd00:1::/64 dev $active src fd00::1 table 100
route replace fd00::/64 dev veth1 src fd00:1::1 table 101
neigh replace 10.0.1.1 lladdr 02:00:00:00:00:02 dev $active nud permanent
neigh replace fd00:1::1 lladdr 02:00:00:00:00:02 dev $active nud permanent
neigh replace 10.0.0.1 lladdr $address dev veth1 nud permanent
neigh replace fd00::1 lladdr $address dev veth1 nud permanent
END
