#!/bin/sh
# Tries the package of `tools/package` on two hosts with a kernel and a device each: guests of the
# lab, which sshd is reached in, by hand. Needs QEMU, ssh and, the first time, Debian's archive.
#
# 1. `cmcheck run --impl nodes` through ssh has to come to the verdicts of `cmcheck lab nodes`, for the
#    same sequences. One that either leaves inconclusive says nothing.
# 2. An agent or a connection is killed, each run at another moment that the seed 1 draws, while
#    faults are injected. No sequence may fail or be lost, and the hosts have to be as they were before.
#
# usage: try_guests.sh FOLDER [ACTIVE PASSIVE]    two of 5.10-rxe, 6.1-rxe, 6.12-rxe, 7.2-rxe
# TRY_SEQUENCES is how many of 1., 100 by default: 3 s each, twice. TRY_MOMENTS is how many of 2., 10 by
# default: a minute each. The first TRY_FIRST of them are left out, where several share the work.
# TRY_PORT is the first of two free ports, 2201 by default.
# Exit code: 0 all went well, 1 not, 2 it cannot be tried.
me="try_guests.sh: unsupported here"
# shellcheck source=tools/packaging/common.sh
. "$(dirname "$(readlink -f "$0")")/common.sh"
sequences=${TRY_SEQUENCES:-100}
moments=${TRY_MOMENTS:-10}
first=${TRY_FIRST:-0}
port=${TRY_PORT:-2201}
faults=link,neighbour,address,device,loss

[ $# -ge 1 ] || fail "usage: try_guests.sh FOLDER [ACTIVE PASSIVE]"
active=${2:-6.1-rxe} passive=${3:-6.1-rxe}
needs qemu-system-x86_64 ssh ssh-keygen python3 tar
tarball=$(only "$(readlink -f "$1")"/cmcheck-*.tar.gz)

work=$(mktemp -d /tmp/try.XXXXXX) # short: a socket's path
hosts=
clean_up() {
  # shellcheck disable=SC2086  # A list of words.
  [ -z "$hosts" ] || kill $hosts 2>/dev/null || true
  wait
  rm -rf "$work"
}
trap clean_up EXIT
trap 'exit 130' HUP INT TERM
failed=0

tar -xzf "$tarball" -C "$work" --strip-components=1
cmcheck=$work/cmcheck
mkdir "$work/wire"
ssh-keygen -q -t ed25519 -N '' -f "$work/key"
cat >"$work/ssh" <<END
Host node1
Port $port
Host node2
Port $((port + 1))
Host *
HostName 127.0.0.1
User root
IdentityFile $work/key
IdentitiesOnly yes
BatchMode yes
LogLevel ERROR
StrictHostKeyChecking no
UserKnownHostsFile /dev/null
END
cat >"$work/site.json" <<END
{"name": "guests", "agent": "noted",
 "silent": "10.0.1.99,fd00:1::99", "unroutable": "192.168.55.1,fd55::1",
 "launcher": "echo \$\$ >$work/connection.{side}; exec ssh -F $work/ssh {host} {command}",
 "active": {"host": "node1", "v4": "10.0.0.1", "v6": "fd00::1", "allow": "$faults"},
 "passive": {"host": "node2", "v4": "10.0.1.1", "v6": "fd00:1::1", "allow": "$faults"}}
END
# The patience of `lab nodes`: the guests are slow.
for profile in "$active" "$passive"; do
  printf '{"name": "slow-%s", "base": "%s", "timing": {"late_ms": 5000}}' \
    "$profile" "$profile" >"$work/$profile.json"
done
profile=$work/$active.json
[ "$active" = "$passive" ] || profile=$profile+$work/$passive.json

on() { ssh -F "$work/ssh" "$@" </dev/null; }
# The host, beside the interface of its ssh.
state() {
  on "$1" 'for what in "-br link" "-br addr" "route" "-6 route" "neigh show nud permanent"; do
      case $what in *link | *addr) ip $what show eth0 ;; *route) ip $what show dev eth0 ;;
        *) ip $what dev eth0 ;; esac
    done; rdma link; nft list ruleset; tc qdisc show dev eth0
    for file in /run/cmcheck/*; do echo "$file"; done' 2>&1 | sort
}

# start SIDE PROFILE HOST PORT
start() {
  "$cmcheck" lab host --profile "$2" --side "$1" --wire "$work/wire" --port "$4" \
    --key "$work/key.pub" >"$work/$3" 2>&1 &
  hosts="$hosts $!"
  until grep -qs 'has an sshd' "$work/$3"; do
    kill -0 $! 2>/dev/null || fail "$(tail -n 1 "$work/$3")"
    sleep 1
  done
  # Its agent leaves behind which process it is.
  # shellcheck disable=SC2016  # For the shell there.
  on "$3" 'printf "%s\n" "#!/bin/sh" "echo \$\$ >/run/agent.pid" "exec cmcheck agent \"\$@\"" \
    >/usr/bin/noted; busybox chmod +x /usr/bin/noted' || fail "ssh to $3"
}
start active "$active" node1 "$port"
start passive "$passive" node2 $((port + 1))
before1=$(state node1) before2=$(state node2)

# run JOURNAL ARGUMENT…: the journal has a line for each sequence.
run() {
  journal=$1
  shift
  "$cmcheck" "$@" --journal "$journal" --report "$work/report" --max-inconclusive 100 \
    >"$work/log" 2>&1 </dev/null || true
}
compare() {
  python3 - "$@" <<'END'
import json
import sys


def verdicts(name):
    with open(name, encoding="utf-8") as journal:
        lines = [json.loads(line) for line in journal]
    return {line["i"]: line["verdict"] for line in lines if "i" in line}


first, second = map(verdicts, sys.argv[1:])
known = [i for i in first.keys() & second.keys() if "inconclusive" not in (first[i], second[i])]
differ = sorted(i for i in known if first[i] != second[i])
print(f"{len(known)} of {len(first.keys() | second.keys())} have a verdict in both,",
      f"and of {len(differ)} it is another one", *differ[:9])
sys.exit(bool(differ) or first.keys() != second.keys())
END
}
if [ "$sequences" -gt 0 ]; then
  run "$work/ssh.journal" run --impl nodes --site "$work/site.json" --profile "$profile" \
    --sequences "$sequences"
  echo "  ssh: $(sed -n 's/^sequences *//p' "$work/log")"
  run "$work/lab.journal" lab nodes --active "$active" --passive "$passive" -- \
    --sequences "$sequences"
  echo "  lab nodes: $(sed -n 's/^sequences *//p' "$work/log")"
  if compare "$work/ssh.journal" "$work/lab.journal" >"$work/said" 2>&1; then
    echo "  well: $(cat "$work/said")"
  else
    echo "  FAILED: $(cat "$work/said")"
    failed=1
  fi
fi

# Within ten minutes: a kernel may hold a process back.
as_before() {
  for _ in $(seq 300); do
    if [ "$(state node1)" = "$before1" ] && [ "$(state node2)" = "$before2" ]; then return 0; fi
    sleep 2
  done
  return 1
}
awk -v n="$moments" 'BEGIN { srand(1); for (i = 0; i < n; ++i)
  print i, int(20 * rand()), rand() < 0.5 ? "agent" : "connection",
    rand() < 0.5 ? "active" : "passive" }' | tail -n "+$((first + 1))" >"$work/drawn"
killed=0 went=0 said=0 passed=0 inconclusive=0
while read -r number at what side; do
  host=node1
  [ "$side" = active ] || host=node2
  rm -f "$work/killed.journal"
  run "$work/killed.journal" run --impl nodes --site "$work/site.json" --profile "$profile" \
    --allow "$faults" --seed 2 --first $((number * 4)) --sequences 4 &
  suite=$!
  sleep "$at"
  if [ "$what" = connection ]; then
    read -r victim <"$work/connection.$side" && kill -9 "$victim" 2>/dev/null &&
      killed=$((killed + 1))
  else
    # shellcheck disable=SC2016  # For the shell there.
    on "$host" 'read -r pid </run/agent.pid; kill -9 $pid' 2>/dev/null && killed=$((killed + 1))
  fi || true
  wait $suite
  # What the table says: passed, failed, inconclusive, unsupported.
  # shellcheck disable=SC2046
  set -- $(sed -n 's/^sequences *//p' "$work/log" | tr -cd '0-9 ')
  if [ $((${1:-0} + ${3:-0} + ${4:-0})) -eq 4 ] && [ "${2:-1}" -eq 0 ] && as_before; then
    went=$((went + 1)) passed=$((passed + $1)) inconclusive=$((inconclusive + $3))
  elif grep -q 'before the end of its greeting' "$work/log" && as_before; then
    said=$((said + 1)) # before the first sequence
  else
    echo "  FAILED: $what of $side killed after $at s, sequences from $((number * 4)) on"
    tail -n 40 "$work/log" | sed 's/^/    /' # findings: the first says most
    failed=1
  fi
done <"$work/drawn"
[ "$moments" -eq 0 ] ||
  echo "  $killed killed in $((moments - first)) runs of 4 sequences: $went went on, $said said why not" \
    "before the first sequence, and all left both hosts as before; $passed passed, $inconclusive inconclusive"
exit "$failed"
