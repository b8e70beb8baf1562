#!/bin/sh
# Tries the package of `tools/package` on two nodes behind real launchers, by hand: needs root,
# debootstrap and Debian's archive; four minutes and 1 GB, which are gone at the end.
#
#   ssh    two fresh Debian 12 systems, each with the package and an sshd
#   srun   Slurm of Debian 12: a controller, and two slurmd that are two nodes
#
# No node has an RDMA device, so the agents share a simulator. What comes of the same seed without a
# launcher has to come of it here. Then agents and connections are killed, each run at another moment
# that the seed 1 draws: no sequence may be lost or fail, and no process be left.
#
# usage: try_launchers.sh FOLDER
# TRY_ROOTS names a folder where the systems are kept, and taken from the next time: half a minute.
# TRY_MOMENTS is how many moments, 10 by default, half of them behind each launcher: 3 s each.
# Exit code: 0 all went well, 1 not, 2 it cannot be tried.
me="try_launchers.sh: unsupported here"
# shellcheck source=tools/packaging/common.sh
. "$(dirname "$(readlink -f "$0")")/common.sh"
tree=$(dirname "$(dirname "$(dirname "$(readlink -f "$0")")")")
sequences=100
moments=${TRY_MOMENTS:-10}

[ $# -ge 1 ] || fail "usage: try_launchers.sh FOLDER"
needs_root
needs debootstrap unshare ssh ssh-keygen python3
packages=$(readlink -f "$1")
deb=$(only "$packages"/cmcheck_*.deb)

# Outside: the systems are made, and what is mounted and started inside is gone with its name spaces.
if [ "${2:-}" != inside ]; then
  roots=${TRY_ROOTS:-$(mktemp -d)}
  [ -n "${TRY_ROOTS:-}" ] || trap 'rm -rf --one-file-system "$roots"' EXIT
  trap 'exit 130' HUP INT TERM
  mkdir -p "$roots"
  if [ ! -e "$roots/node1/etc/os-release" ]; then
    included=librdmacm1,ibverbs-providers,openssh-server,python3,slurmctld,slurmd,slurm-client,munge
    debootstrap --variant=minbase --include=$included bookworm "$roots/node1" >"$roots/log" 2>&1 ||
      fail "debootstrap: $(tail -n 1 "$roots/log")"
  fi
  [ -e "$roots/node2/etc/os-release" ] || cp -a "$roots/node1" "$roots/node2"
  TRY_ROOTS=$roots unshare --mount --pid --uts --net --fork --kill-child "$0" "$packages" inside
  exit
fi

roots=$TRY_ROOTS
work=$(mktemp -d /tmp/try.XXXXXX) # short: a socket's path
trap 'rm -rf --one-file-system "$work"' EXIT
failed=0
mount --make-rprivate /
mount -t proc proc /proc
ip link set lo up
# With the loopback interface alone Slurm finds no address.
ip link add v0 type veth peer name v1
ip address add 10.98.0.1/24 dev v0
ip link set v0 up
ip link set v1 up
hostname control

# The agent of a node without a device: one that comes first starts the simulator. The file kill.SIDE
# says once at which request the agent or its connection, which is the launcher here, is killed.
mkdir "$work/shared"
cp "$tree/conformance/adapters/exec/shared_world.py" "$work/shared/"
cat >"$work/shared/agent" <<'END'
#!/bin/sh
cd /tmp/shared
side=$1
shift
echo "${SLURMD_NODENAME:-${SSH_CONNECTION##* }}" >>started
echo $$ >>pids
number=0
if [ -e "kill.$side" ]; then
  read -r number what <"kill.$side"
  rm "kill.$side"
fi
while IFS= read -r line; do
  number=$((number - 1))
  if [ "$number" = 0 ]; then
    read -r victim <"$what.$side"
    echo "$what" >>killed
    kill -9 "$victim"
    [ "$what" = connection ] || exit
  fi
  printf '%s\n' "$line"
done | {
  sh -c 'echo $$ >"agent.$1"; exec python3 shared_world.py . "cmcheck agent --impl sim $2"' \
    sh "$side" "$*"
  kill 0
}
END
chmod +x "$work/shared/agent"
for node in node1 node2; do
  root=$roots/$node
  mount -t proc proc "$root/proc"
  mount -t sysfs sysfs "$root/sys"
  mount --rbind /dev "$root/dev"
  mkdir -p "$root/tmp/shared" "$root/run/sshd"
  mount --bind "$work/shared" "$root/tmp/shared"
  cp "$deb" "$root/tmp/cmcheck.deb"
  chroot "$root" dpkg -i /tmp/cmcheck.deb >"$work/log" 2>&1 || fail "dpkg: $(tail -n 1 "$work/log")"
done

# Runs the suite through a launcher, and keeps its digest.
run() {
  cat >"$work/shared/site.json" <<END
{"name": "there", "agent": " ",
 "launcher": "echo \$\$ >/tmp/shared/connection.{side}; exec $1 /tmp/shared/agent {side} {command}",
 "active": {"host": "node1", "v4": "192.168.7.1", "v6": "fd07::1"},
 "passive": {"host": "node2", "v4": "192.168.8.2", "v6": "fd08::2"}}
END
  rm -f "$work/shared/started"
  chroot "$roots/node1" cmcheck run --impl nodes --site /tmp/shared/site.json \
    --sequences $sequences --max-inconclusive 100 --report /tmp/report >"$work/log" 2>&1 </dev/null || true
  grep '^digest' "$work/log" >"$work/digest.$2" || true
}
# try LAUNCHER NAME PLACES: each agent has to be where it belongs.
try() {
  run "$1" "$2"
  if [ -s "$work/digest.$2" ] && cmp -s "$work/digest.$2" "$work/digest.plain" &&
    [ "$(sort "$work/shared/started" | tr '\n' ' ')" = "$3 " ]; then
    echo "  well: $2: $(sed -n 's/^sequences *//p' "$work/log")"
  else
    echo "  FAILED: $2"
    tail -n 60 "$work/log" | sed 's/^/    /' # what stopped it stands before the table
    failed=1
  fi
}

# kill_at_moments LAUNCHER NAME SEED: runs of 20 sequences, in each of which one is killed.
kill_at_moments() {
  launcher=$1 name=$2 seed=$3
  sequences=20 all=$((moments / 2)) went=0 passed=0 inconclusive=0
  : >"$work/shared/killed"
  awk -v n="$all" -v seed="$seed" 'BEGIN { srand(seed); for (i = 0; i < n; ++i)
    print 1 + int(600 * rand()), rand() < 0.5 ? "agent" : "connection",
      rand() < 0.5 ? "active" : "passive" }' >"$work/drawn"
  while read -r at what side; do
    rm -f "$work/shared/kill."*
    echo "$at $what" >"$work/shared/kill.$side"
    : >"$work/shared/pids"
    run "$launcher" killed
    # What the table says: passed, failed, inconclusive.
    # shellcheck disable=SC2046
    set -- $(sed -n 's/^sequences *//p' "$work/log" | tr -cd '0-9 ')
    if [ $((${1:-0} + ${3:-0})) -eq 20 ] && [ "${2:-1}" -eq 0 ] && none_is_left; then
      went=$((went + 1)) passed=$((passed + $1)) inconclusive=$((inconclusive + $3))
    else
      echo "  FAILED: $name: $what of $side killed at request $at"
      tail -n 60 "$work/log" | sed 's/^/    /'
      failed=1
    fi
  done <"$work/drawn"
  echo "  $name: $(wc -l <"$work/shared/killed") killed in $all runs of 20 sequences: $went went on," \
    "$passed passed, $inconclusive inconclusive"
  sequences=100
}
# Within ten seconds.
none_is_left() {
  for _ in 1 2 3 4 5 6 7 8 9 10; do
    left=0
    while read -r pid; do
      [ ! -s "/proc/$pid/cmdline" ] || [ -z "$(tr -d '\0' <"/proc/$pid/cmdline")" ] || left=1
    done <"$work/shared/pids"
    [ $left -eq 1 ] || return 0
    sleep 1
  done
  return 1
}

run '' plain
[ -s "$work/digest.plain" ] || fail "without a launcher: $(tail -n 3 "$work/log")"

# Each system has an sshd, and the suite is on the first of them.
ssh-keygen -q -t ed25519 -N '' -f "$work/key"
mkdir -p "$roots/node1/root"/.ssh
cp "$work/key" "$roots/node1/root"/.ssh/id_ed25519
: >"$roots/node1/root"/.ssh/config
port=2201
for node in node1 node2; do
  root=$roots/$node
  mkdir -p "$root/root"/.ssh
  cp "$work/key.pub" "$root/root"/.ssh/authorized_keys
  printf 'Host %s\nHostName 127.0.0.1\nPort %s\nLogLevel ERROR\nStrictHostKeyChecking no\nUserKnownHostsFile /dev/null\n' \
    $node $port >>"$roots/node1/root"/.ssh/config
  chroot "$root" /usr/sbin/sshd -p $port -o ListenAddress=127.0.0.1 -o UsePAM=no -o PidFile=none \
    -o PermitRootLogin=prohibit-password
  port=$((port + 1))
done
try 'ssh {host}' ssh '2201 2202'
kill_at_moments 'ssh {host}' ssh 1

# Both nodes of Slurm are on the first system, and differ in their ports.
root=$roots/node1
mkdir -p "$root/etc/slurm" "$root/run/munge"
cat >"$root/etc/slurm/slurm.conf" <<'END'
ClusterName=there
SlurmctldHost=control(10.98.0.1)
SlurmUser=root
AuthType=auth/munge
StateSaveLocation=/tmp/slurm
SlurmdSpoolDir=/tmp/slurm.%n
SlurmdPidFile=/tmp/slurmd.%n.pid
SlurmctldPidFile=/tmp/slurmctld.pid
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SelectType=select/linear
ReturnToService=2
MpiDefault=none
NodeName=node1 NodeHostname=control NodeAddr=10.98.0.1 Port=17001
NodeName=node2 NodeHostname=control NodeAddr=10.98.0.1 Port=17002
PartitionName=all Nodes=node1,node2 Default=YES MaxTime=INFINITE State=UP
END
# No resources are limited here: of the control groups nothing is used.
echo CgroupPlugin=cgroup/v1 >"$root/etc/slurm/cgroup.conf"
echo '10.98.0.1 control' >"$root/etc/hosts"
rm -rf "$root/tmp/slurm"*
chown munge:munge "$root/run/munge" 2>/dev/null || chroot "$root" chown munge:munge /run/munge
chroot "$root" munged --force >/dev/null 2>&1 || fail "munged does not start"
chroot "$root" slurmctld >"$work/slurm" 2>&1 || fail "slurmctld: $(tail -n 1 "$work/slurm")"
for node in node1 node2; do
  chroot "$root" slurmd -N $node >"$work/slurm" 2>&1 || fail "slurmd: $(tail -n 1 "$work/slurm")"
done
# Its first step waits until the nodes have registered.
chroot "$root" timeout 60 srun -w node1,node2 -N 2 true >"$work/slurm" 2>&1 ||
  fail "srun: $(tail -n 1 "$work/slurm")"
try 'srun -w {host}' srun 'node1 node2'
# An srun that is killed leaves its allocation behind: steps of one allocation do not wait for it.
chroot "$root" salloc --no-shell -N 2 -w node1,node2 >"$work/slurm" 2>&1 ||
  fail "salloc: $(tail -n 1 "$work/slurm")"
job=$(sed -n 's/.*Granted job allocation //p' "$work/slurm")
kill_at_moments "srun --jobid=$job --overlap -N 1 -n 1 -w {host}" srun 2
exit "$failed"
