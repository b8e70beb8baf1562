#!/bin/sh
# Makes the topology "bond": the active side on an active-backup bond of two links, the passive
# side on a link of its own, all three joined by a bridge.
#
#   active   bond0  10.0.0.1  fd00::1    rxe0   slaves b0 02:00:00:00:00:10 and b1 ...:11
#   passive  veth1  10.0.1.1  fd00:1::1  rxe1   02:00:00:00:00:02
#
# The bond has the hardware address of its active slave (fail_over_mac active): only a changed
# address makes the kernel report RDMA_CM_EVENT_ADDR_CHANGE. The bridge lives in a namespace of
# its own, out of reach of the nodes' ARP and routes. To fail over: /lab/net_failover.sh b1
set -eu
# shellcheck source-path=SCRIPTDIR source=net_common.sh
. /lab/net_common.sh

echo bond >/lab/topology
for link in bond0 b0 b1 veth1 ifb0; do
  [ ! -e "/sys/class/net/$link" ] || ip link del "$link"
done
[ ! -e /run/netns/switch ] || ip netns del switch
ip netns add switch
ip -n switch link add br0 type bridge stp_state 0 forward_delay 0 mcast_snooping 0
ip -n switch link set br0 up
ip link add b0 address 02:00:00:00:00:10 type veth peer name p0 netns switch
ip link add b1 address 02:00:00:00:00:11 type veth peer name p1 netns switch
ip link add veth1 address 02:00:00:00:00:02 type veth peer name p2 netns switch
for port in p0 p1 p2; do
  ip -n switch link set "$port" master br0 up
done
ip link add bond0 type bond mode active-backup fail_over_mac active miimon 100
for slave in b0 b1; do
  sysctl -qw "net.ipv6.conf.$slave.disable_ipv6=1"
  ip link set "$slave" master bond0
done
make_nodes bond0 veth1
