# shellcheck shell=sh
# What the topologies have in common. Both nodes live in one network namespace, because the rxe
# driver up to Linux 6.12 sends and receives in the first namespace only.

# Two addresses of one namespace would talk over the loopback. These rules make them cross the
# links: what arrives on a link is local, what leaves for the other node takes a table of its own,
# and only what neither concerns asks the local table.
add_rules() {
  [ -z "$(ip rule show pref 10)" ] || return 0
  for family in -4 -6; do
    ip "$family" rule add pref 10 iif "$1" lookup local
    ip "$family" rule add pref 11 iif "$2" lookup local
  done
  ip rule add pref 20 from 10.0.0.1 to 10.0.1.0/24 lookup 100
  ip rule add pref 21 from 10.0.1.1 to 10.0.0.0/24 lookup 101
  ip -6 rule add pref 20 from fd00::1 to fd00:1::/64 lookup 100
  ip -6 rule add pref 21 from fd00:1::1 to fd00::/64 lookup 101
  for family in -4 -6; do
    ip "$family" rule add pref 100 lookup local
    ip "$family" rule del pref 0
  done
}

# Puts the packet filter of cmfault at the ingress of a link. It must be the receiving side's: a
# drop on the sending side is a failed send to the driver, which repeats it for ever.
attach_filter() {
  tc qdisc add dev "$1" clsact
  tc filter add dev "$1" ingress pref 1 bpf direct-action object-pinned "/sys/fs/bpf/cm_to_$2"
  # Only what shall be delayed gets as far as this. The redirection must be tc's own: up to 6.8 an
  # ifb device drops what a BPF program sends to it.
  tc filter add dev "$1" ingress pref 2 matchall action mirred egress redirect dev ifb0
}

# Configures the active side's link $1 and the passive side's link $2, which exist.
make_nodes() {
  sysctl -qw net.ipv4.conf.all.rp_filter=0 net.ipv4.conf.default.rp_filter=0
  for link in "$1" "$2"; do
    # An IPv6 address would otherwise go when its link goes down, and not come back.
    sysctl -qw "net.ipv4.conf.$link.accept_local=1" "net.ipv4.conf.$link.rp_filter=0" \
      "net.ipv4.conf.$link.arp_ignore=1" "net.ipv4.conf.$link.arp_announce=2" \
      "net.ipv6.conf.$link.accept_dad=0" "net.ipv6.conf.$link.accept_ra=0" \
      "net.ipv6.conf.$link.keep_addr_on_down=1"
  done
  ip addr add 10.0.0.1/24 dev "$1"
  ip addr add 10.0.1.1/24 dev "$2"
  ip addr add fd00::1/64 dev "$1" nodad
  ip addr add fd00:1::1/64 dev "$2" nodad
  add_rules "$1" "$2"
  # Delayed messages wait here; cmfault says for how long.
  ip link add ifb0 address 02:00:00:00:00:0f type ifb
  sysctl -qw net.ipv6.conf.ifb0.disable_ipv6=1
  ip link set ifb0 up
  cmfault install
  tc qdisc add dev ifb0 root handle 1: fq horizon 3600s
  tc qdisc add dev ifb0 clsact
  tc filter add dev ifb0 egress bpf direct-action object-pinned /sys/fs/bpf/cm_delay
  attach_filter "$1" active
  attach_filter "$2" passive
}
