#!/bin/sh
# Makes the topology "pair": both nodes in one network namespace, joined by a veth pair.
#
#   active   veth0  02:00:00:00:00:01  10.0.0.1  fd00::1    rxe0
#   passive  veth1  02:00:00:00:00:02  10.0.1.1  fd00:1::1  rxe1
#
# 10.0.1.98, 10.0.1.99, fd00:1::98 and fd00:1::99 are on the active side's link; no host answers
# for them. Routes, neighbours, filters and RDMA devices are the work of net_reset.sh.
set -eu
# shellcheck source-path=SCRIPTDIR source=net_common.sh
. /lab/net_common.sh

echo pair >/lab/topology
for link in veth0 veth1 ifb0; do
  [ ! -e "/sys/class/net/$link" ] || ip link del "$link"
done
ip link add veth0 address 02:00:00:00:00:01 type veth \
  peer name veth1 address 02:00:00:00:00:02
make_nodes veth0 veth1
