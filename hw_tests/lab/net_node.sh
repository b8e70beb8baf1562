#!/bin/sh
# Makes this guest one of two nodes that a wire joins, each with a kernel of its own.
#
#   net_node.sh active    eth0  02:00:00:00:00:01  10.0.0.1  fd00::1    rxe0
#   net_node.sh passive   eth0  02:00:00:00:00:02  10.0.1.1  fd00:1::1  rxe1
set -eu
read -r driver </etc/rdma_driver
case $1 in
  active) here=0 there=1 v6=fd00:: v6_there=fd00:1:: ;;
  passive) here=1 there=0 v6=fd00:1:: v6_there=fd00:: ;;
  *) echo "net_node.sh: '$1' is neither active nor passive" >&2 && exit 2 ;;
esac
echo node >/lab/topology
ip link set eth0 down
ip link set eth0 address "02:00:00:00:00:0$((here + 1))"
sysctl -qw net.ipv6.conf.eth0.accept_dad=0 net.ipv6.conf.eth0.accept_ra=0 \
  net.ipv6.conf.eth0.keep_addr_on_down=1
ip addr add "10.0.$here.1/24" dev eth0
ip addr add "${v6}1/64" dev eth0 nodad
ip link set eth0 up
ip route add "10.0.$there.0/24" dev eth0 src "10.0.$here.1"
ip route add "$v6_there/64" dev eth0 src "${v6}1"
# Permanent: who is asked for the first time may be late on a busy host.
ip neigh replace "10.0.$there.1" lladdr "02:00:00:00:00:0$((there + 1))" dev eth0 nud permanent
ip neigh replace "${v6_there}1" lladdr "02:00:00:00:00:0$((there + 1))" dev eth0 nud permanent
rdma link add "rxe$here" type "$driver" netdev eth0
