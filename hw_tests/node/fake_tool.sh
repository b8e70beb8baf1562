#!/bin/sh
# Stands for ip, rdma, nft, devlink, the shell that writes to /sys, and a program of the site, by its
# name. The real ip is run; devices and tables are files, and each change is one rename. Before the
# command with the number in `kill_at` the process in `victim` is killed: an agent, or for `guardian`
# the one that runs the command.
set -eu
folder=${0%/*}/..
read -r number <"$folder/count"
read -r kill_at victim <"$folder/kill_at"
number=$((number + 1))
echo $number >"$folder/count"
if [ "$number" -ge "$kill_at" ]; then
  read -r parent <"/proc/$PPID/comm"
  if [ "$victim" != guardian ]; then
    kill -9 "$victim" 2>/dev/null || true
  elif [ "$parent" = cmcheck-guard ]; then
    echo 1000000 0 >"$folder/kill_at"
    kill -9 $PPID
  fi
fi
tool=${0##*/}
case "$tool $1${2:+ $2}" in
  ip*)
    read -r real <"$folder/real_ip"
    exec "$real" "$@"
    ;;
  "site do "*) : >"$folder/site" ;;
  "site undo "*) rm -f "$folder/site" ;;
  *-V) ;;
  # An adapter and its driver, whose folder has a link to what it has bound.
  'sh -c echo "$1" >"$2/unbind"') mv "$folder/devices/hw0" "$folder/away" ;;
  'sh -c [ -e "$2/$1" ] || echo "$1" >"$2/bind"')
    [ -e "$5/$4" ] || mv -T "$folder/away" "$folder/devices/hw0"
    ;;
  "sh -c "*) exec /bin/sh "$@" ;;
  "devlink dev param")
    [ -e "$folder/rdma_enabled" ]
    [ "$3" = show ] || echo "$8" >"$folder/rdma_enabled"
    ;;
  "devlink dev reload")
    read -r enabled <"$folder/rdma_enabled"
    case $enabled in
      false) mv "$folder/devices/hw0" "$folder/away" ;;
      *) [ -e "$folder/devices/hw0" ] || mv -T "$folder/away" "$folder/devices/hw0" ;;
    esac
    ;;
  "rdma link show")
    for device in "$folder"/devices/*; do
      [ -e "$device" ] || continue
      if [ -e "$device/parent" ]; then read -r netdev <"$device/parent"; else netdev=v0; fi
      echo "link ${device##*/}/1 state ACTIVE physical_state LINK_UP netdev $netdev"
    done
    ;;
  "rdma link add") # NAME type rxe netdev INTERFACE
    mkdir "$folder/fresh.$$"
    echo "$7" >"$folder/fresh.$$/parent"
    mv -T "$folder/fresh.$$" "$folder/devices/$3"
    ;;
  "rdma link del")
    mv "$folder/devices/$3" "$folder/trash.$$"
    ;;
  "nft list tables")
    for table in "$folder"/tables/*; do
      [ ! -e "$table" ] || echo "table inet ${table##*/}"
    done
    ;;
  "nft delete table") rm "$folder/tables/$4" ;;
  "nft add table inet "*)
    table=${1#add table inet }
    : >"$folder/tables/${table%%;*}"
    ;;
  *)
    echo "unknown: $tool $*"
    exit 1
    ;;
esac
