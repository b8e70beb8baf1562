#!/bin/sh
# Brings the network back to the baseline of its topology and prints the facts that make it up, in
# a text that is the same whenever the baseline is. Run it between sequences, when the processes of
# the last one are gone. What it cannot mend shows in the text; then restore the snapshot.
#
# The first run, before the snapshot, saves the text as /lab/baseline. Later runs compare first and
# mend only what differs from it.
set -eu
read -r topology </lab/topology
read -r driver </etc/rdma_driver
case $topology in
  pair) active=veth0 ;;
  bond) active=bond0 ;;
esac
passive=veth1

# `rdma link del` goes on until the last process that uses the device has ended.
await_removals() {
  for _ in 1 2 3 4 5 6 7 8 9 10; do
    pending=
    for comm in /proc/[0-9]*/comm; do
      read -r name 2>/dev/null <"$comm" || continue
      case $name in rdma | ip) pending=yes ;; esac
    done
    [ -n "$pending" ] || return 0
    sleep 0.2
  done
}

# Interface and device numbers and the order of creation are left out: they change when a device
# is made again. So are the neighbours that are not permanent, which come and go by themselves.
facts() {
  {
    echo "topology $topology"
    # Counts what the rules of all tables use, and costs no process.
    read -r references </sys/module/nf_tables/refcnt
    echo "nftables references $references"
    if [ "$topology" = bond ]; then
      read -r slave </sys/class/net/bond0/bonding/active_slave
      echo "active slave $slave"
    fi
    printf 'link\nresource\n' | rdma -b -
    ip -br -batch - <<'END'
neigh flush all
link show
address show
neigh show nud permanent
route show table all
rule show
END
    tc qdisc show
    cmfault show
  } 2>&1 | sed 's/^[0-9]*: //; s/@[^ ]*//; s/ *$//' | sort
}

# A bond whose slaves came up counts as down until it has looked at them.
await_link() {
  for _ in 1 2 3 4 5 6 7 8 9 10; do
    read -r state <"/sys/class/net/$1/operstate"
    [ "$state" != up ] || return 0
    sleep 0.1
  done
}

mend() {
  cmfault clear
  nft flush ruleset
  for link in "$active" "$passive" ifb0; do
    [ -e "/sys/class/net/$link" ] || { sh "/lab/net_$topology.sh" && break; }
  done
  printf 'qdisc del dev %s root\n' "$active" "$passive" | tc -force -batch - 2>/dev/null || true
  {
    printf 'link set %s up\n' "$active" "$passive"
    echo "link set $passive address 02:00:00:00:00:02"
    case $topology in
      pair) echo "link set $active address 02:00:00:00:00:01" ;;
      bond) printf 'link set %s up\n' b0 b1 ;;
    esac
  } | ip -batch -
  await_link "$active"
  await_link "$passive"
  [ "$topology" != bond ] || sh /lab/net_failover.sh b0 keep-neighbours
  sh /lab/net_routes.sh
  [ -e /sys/class/infiniband/rxe0 ] || rdma link add rxe0 type "$driver" netdev "$active"
  [ -e /sys/class/infiniband/rxe1 ] || rdma link add rxe1 type "$driver" netdev "$passive"
}

await_removals
if [ ! -e /lab/baseline ]; then
  mend
  # What the kernel does by itself to a new link is done by then.
  sleep 3
  facts >/lab/baseline
fi
found=$(facts)
if [ "$found" != "$(cat /lab/baseline)" ]; then
  mend
  found=$(facts)
fi
echo "$found"
