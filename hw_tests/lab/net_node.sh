#!/bin/sh
# Makes this guest one of two nodes that a wire joins, each with a kernel of its own.
#
#   net_node.sh NUMBER V4 V6 V4_THERE V6_THERE
#
#   0, the active side    eth0  02:00:00:00:00:01  rxe0
#   1, the passive side   eth0  02:00:00:00:00:02  rxe1
#
# Each has the first 24 or 64 bits of its addresses as its subnet. V4 may be `none`, for both.
set -eu
number=$1 v4=$2 v6=$3 v4_there=$4 v6_there=$5
read -r driver </etc/rdma_driver
echo node >/lab/topology
there=02:00:00:00:00:0$((2 - number))
ip link set eth0 down
ip link set eth0 address "02:00:00:00:00:0$((number + 1))"
sysctl -qw net.ipv6.conf.eth0.accept_dad=0 net.ipv6.conf.eth0.accept_ra=0 \
  net.ipv6.conf.eth0.keep_addr_on_down=1
[ "$v4" = none ] || ip addr add "$v4/24" dev eth0
ip addr add "$v6/64" dev eth0 nodad
ip link set eth0 up
[ "$v4" = none ] || ip route replace "${v4_there%.*}.0/24" dev eth0 src "$v4"
ip route replace "$v6_there/64" dev eth0 src "$v6"
# Permanent: who is asked for the first time may be late on a busy host.
[ "$v4" = none ] || ip neigh replace "$v4_there" lladdr "$there" dev eth0 nud permanent
ip neigh replace "$v6_there" lladdr "$there" dev eth0 nud permanent
rdma link add "rxe$number" type "$driver" netdev eth0
