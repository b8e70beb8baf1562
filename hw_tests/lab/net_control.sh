#!/bin/sh
# Makes a node a host that is reached by ssh: over eth1, which leads to the machine that runs the
# guest, as root.
#
#   net_control.sh KEY     the public key that is let in
set -eu
# No router of it: what no route leads to stays so.
sysctl -qw net.ipv6.conf.eth1.accept_ra=0
ip addr add 198.18.0.15/24 dev eth1
ip link set eth1 up
mkdir -p /etc/dropbear
mkdir -pm 700 "$HOME/.ssh"
echo "$1" >"$HOME/.ssh/authorized_keys"
# It makes its own key with the first connection; no password, nothing is forwarded.
exec dropbear -R -s -j -k -m
