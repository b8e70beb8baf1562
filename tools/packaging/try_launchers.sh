#!/bin/sh
# Tries the package of `tools/package` on two nodes behind real launchers, by hand: needs root,
# debootstrap and Debian's archive; three minutes and 1 GB, which are gone at the end.
#
#   ssh    two fresh Debian 12 systems, each with the package and an sshd
#   srun   Slurm of Debian 12: a controller, and two slurmd that are two nodes
#
# No node has an RDMA device, so the agents share a simulator. What comes of the same seed without a
# launcher has to come of it here.
#
# usage: try_launchers.sh FOLDER
# TRY_ROOTS names a folder where the systems are kept, and taken from the next time: half a minute.
# Exit code: 0 all went well, 1 not, 2 it cannot be tried.
set -eu
export LC_ALL=C PATH="$PATH:/usr/sbin:/sbin"
tree=$(dirname "$(dirname "$(dirname "$(readlink -f "$0")")")")
sequences=100

fail() {
  echo "try_launchers.sh: unsupported here: $*" >&2
  exit 2
}

[ $# -ge 1 ] || fail "usage: try_launchers.sh FOLDER"
[ "$(id -u)" -eq 0 ] || fail "needs root"
for tool in debootstrap unshare ssh ssh-keygen python3; do
  command -v $tool >/dev/null || fail "there is no $tool"
done
packages=$(readlink -f "$1")
deb=$(ls "$packages"/cmcheck_*.deb 2>/dev/null) || fail "no cmcheck_*.deb in $packages"
[ "$(echo "$deb" | wc -l)" -eq 1 ] || fail "more than one cmcheck_*.deb in $packages"

# Outside: the systems are made, and what is mounted and started inside is gone with its name spaces.
if [ "${2:-}" != inside ]; then
  roots=${TRY_ROOTS:-$(mktemp -d)}
  [ -n "${TRY_ROOTS:-}" ] || trap 'rm -rf --one-file-system "$roots"' EXIT
  trap 'exit 130' HUP INT TERM
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

# The agent of a node without a device: one that comes first starts the simulator.
mkdir "$work/shared"
cp "$tree/conformance/adapters/exec/shared_world.py" "$work/shared/"
cat >"$work/shared/agent" <<'END'
#!/bin/sh
echo "${SLURMD_NODENAME:-${SSH_CONNECTION##* }}" >>/tmp/shared/started
exec python3 /tmp/shared/shared_world.py /tmp/shared "cmcheck agent --impl sim $*"
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
{"name": "there", "launcher": "$1", "agent": "/tmp/shared/agent",
 "active": {"host": "node1", "v4": "192.168.7.1", "v6": "fd07::1"},
 "passive": {"host": "node2", "v4": "192.168.8.2", "v6": "fd08::2"}}
END
  rm -f "$work/shared/started"
  chroot "$roots/node1" cmcheck run --impl nodes --site /tmp/shared/site.json \
    --sequences $sequences --report /tmp/report >"$work/log" 2>&1 || true
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
    tail -n 8 "$work/log" | sed 's/^/    /'
    failed=1
  fi
}

run '{command}' plain
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
try 'ssh {host} {command}' ssh '2201 2202'

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
try 'srun -w {host} {command}' srun 'node1 node2'
exit "$failed"
