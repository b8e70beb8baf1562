#include "tools/app/stock_programs.h"

#include <fmt/format.h>

#include <string>
#include <string_view>
#include <vector>

namespace cm::app {
namespace {

constexpr std::string_view kHead =
    R"(# Programs of the distribution on simulated hosts

Written by `bazel run //tools/app:programs_page`, and compared with what the programs of Debian 12 do here by
`//tools/app:stock_programs_test`. Each program is run under `cmcheck app` as the next table says, unmodified, with the profile `6.1-rxe`.

| column | says |
|---|---|
| works | all programs that are to end did so with 0 |
| the same | three runs with one seed: `yes`, the same conversation, and the same output but for CPU times and free memory; `digest`, the same conversation, and output that differs; `no` |
| real kernel | what comes of it beside Linux 6.1 with Soft-RoCE, in [the lab](../hw_tests/lab/README.md), as `//tools/app:beside_kernel_test` sees it: the same lines, but for figures of time and rate and numbers that are drawn; the same events of its kernel in the same order; the same exit code |
| REP lost | ends of the passive and the active program when the first REP is lost |
| removed | the same when the active host's device is removed in the middle of the messages |
| remark | what the program leaves behind by itself; or why it does not work |

Ends are exit codes, or `waits`: the program was ended after it had waited for what cannot happen any more, or for a minute (one that polls for ten seconds, or for a tenth of one), or had done nothing for ten seconds;
`serves`: it serves for ever. `-`: not run, or the fault has no effect.

Debian 12 has no SPDK. The hosts of NVMe over fabrics and NFS, and the usual initiators of iSER, are parts of a kernel: programs have
the rdma_cm and the verbs of a simulated one, and nothing else.

| program | package | works | the same | REP lost | removed | real kernel | remark |
|---|---|---|---|---|---|---|---|
)";

constexpr std::string_view kCommands = R"(
## Commands

| program | passive | active |
|---|---|---|
)";

constexpr std::string_view kRdmacm = "rdmacm-utils";
constexpr std::string_view kIbverbs = "ibverbs-utils";
constexpr std::string_view kPerftest = "perftest";
constexpr std::string_view kQperf = "qperf";
constexpr std::string_view kFabric = "libfabric-bin";
constexpr std::string_view kUcx = "ucx-utils";
constexpr std::string_view kDapl = "dapl2-utils";
constexpr std::string_view kMpi = "openmpi-bin, python3-mpi4py";

// Each poll takes a few microseconds here, and longer in the system's time.
constexpr Duration kOfPolls = Duration::Milliseconds(100);
constexpr Duration kOfRepetitions = Duration::Seconds(10);

constexpr std::string_view kSpins = "waits for memory: run once, in part in the system's time";
constexpr std::string_view kOrder = "run once: its programs print at the same time";
constexpr std::string_view kCounter =
    "run once: where the processor's counter cannot be made virtual, its runs differ in when "
    "receives are posted";
constexpr std::string_view kFutex =
    "run once: its threads wake each other by futex calls of their own";
constexpr std::string_view kEndless =
    "run once: after a fault it polls without end, in the system's time";
constexpr std::string_view kSlow = "run once, to save time";

constexpr std::string_view kNoGrh =
    "addresses its peer by a LID, which RoCE refuses (linux 6.1 verbs.c rdma_check_ah_attr)";

std::vector<StockProgram> OfRdmacm() {
  return {
      {"rping", kRdmacm, "rping -s -a PASSIVE -C 3 -v", "rping -c -a PASSIVE -C 3 -v"},
      {"ucmatose", kRdmacm, "ucmatose", "ucmatose -s PASSIVE"},
      {"udaddy", kRdmacm, "udaddy", "udaddy -s PASSIVE"},
      {"mckey", kRdmacm, "mckey -m 239.1.1.1 -b PASSIVE", "mckey -s -m 239.1.1.1 -b ACTIVE"},
      {"cmtime", kRdmacm, "cmtime -b PASSIVE -c 5", "cmtime -b ACTIVE -s PASSIVE -c 5", true},
      {"rdma_client", kRdmacm, "rdma_server", "rdma_client -s PASSIVE"},
      {"rdma_xclient", kRdmacm, "rdma_xserver", "rdma_xclient -s PASSIVE"},
      {"rdma_xclient -c x", kRdmacm, "rdma_xserver -c x", "rdma_xclient -c x -s PASSIVE"},
      {"rcopy", kRdmacm, "rcopy", "rcopy /etc/hostname PASSIVE:/tmp/rcopied", true, kOrder},
      {.name = "rstream",
       .package = kRdmacm,
       .passive = "rstream -I 5 -C 5 -S 1024",
       .active = "rstream -s PASSIVE -I 5 -C 5 -S 1024",
       .limit = kOfRepetitions},
      {.name = "udpong",
       .package = kRdmacm,
       .passive = "udpong",
       .active = "udpong -s PASSIVE -C 5 -S 64",
       .stays = true,
       .why = kNoGrh},
      {"riostream", kRdmacm, "riostream -I 1 -C 1 -S 64", "riostream -s PASSIVE -I 1 -C 1 -S 64",
       false, kSpins},
      {"rping over IPv6", kRdmacm, "rping -s -a fd00:1::1 -C 3 -v",
       "rping -c -a fd00:1::1 -C 3 -v"},
      {"rstream -T async", kRdmacm, "rstream -T async -I 5 -C 5 -S 1024",
       "rstream -T async -s PASSIVE -I 5 -C 5 -S 1024", false, kEndless},
  };
}

std::vector<StockProgram> OfIbverbs() {
  return {
      {"ibv_devices", kIbverbs, "", "ibv_devices"},
      {"ibv_devinfo", kIbverbs, "", "ibv_devinfo -v"},
      {"ibv_rc_pingpong", kIbverbs, "ibv_rc_pingpong -n 5 -g 0",
       "ibv_rc_pingpong -n 5 -g 0 PASSIVE"},
      {"ibv_uc_pingpong", kIbverbs, "ibv_uc_pingpong -n 5 -g 0",
       "ibv_uc_pingpong -n 5 -g 0 PASSIVE"},
      {"ibv_ud_pingpong", kIbverbs, "ibv_ud_pingpong -n 5 -g 0",
       "ibv_ud_pingpong -n 5 -g 0 PASSIVE"},
      {"ibv_srq_pingpong", kIbverbs, "ibv_srq_pingpong -n 5 -g 0 -q 2",
       "ibv_srq_pingpong -n 5 -g 0 -q 2 PASSIVE"},
      {"ibv_xsrq_pingpong", kIbverbs, "ibv_xsrq_pingpong -n 5 -g 0",
       "ibv_xsrq_pingpong -n 5 -g 0 PASSIVE"},
  };
}

std::vector<StockProgram> OfPerftest() {
  return {
      {"ib_send_bw", kPerftest, "ib_send_bw -R -n 5", "ib_send_bw -R -n 5 PASSIVE"},
      {"ib_send_lat", kPerftest, "ib_send_lat -R -n 5", "ib_send_lat -R -n 5 PASSIVE"},
      {"ib_write_bw", kPerftest, "ib_write_bw -R -n 5", "ib_write_bw -R -n 5 PASSIVE"},
      {"ib_write_lat", kPerftest, "ib_write_lat -R -n 5", "ib_write_lat -R -n 5 PASSIVE", false,
       kSpins},
      {"ib_read_bw", kPerftest, "ib_read_bw -R -n 5", "ib_read_bw -R -n 5 PASSIVE"},
      {"ib_read_lat", kPerftest, "ib_read_lat -R -n 5", "ib_read_lat -R -n 5 PASSIVE"},
      {"ib_atomic_bw", kPerftest, "ib_atomic_bw -R -n 5", "ib_atomic_bw -R -n 5 PASSIVE"},
      {"ib_atomic_lat", kPerftest, "ib_atomic_lat -R -n 5", "ib_atomic_lat -R -n 5 PASSIVE"},
      {"ib_send_bw -c UD", kPerftest, "ib_send_bw -R -c UD -n 5",
       "ib_send_bw -R -c UD -n 5 PASSIVE"},
      {"ib_send_lat -c UD", kPerftest, "ib_send_lat -R -c UD -n 5",
       "ib_send_lat -R -c UD -n 5 PASSIVE"},
      {"ib_send_bw -e", kPerftest, "ib_send_bw -R -e -n 5", "ib_send_bw -R -e -n 5 PASSIVE"},
      {"ib_write_bw -b", kPerftest, "ib_write_bw -R -b -n 5", "ib_write_bw -R -b -n 5 PASSIVE"},
  };
}

std::vector<StockProgram> OfQperf() {
  return {
      {.name = "qperf rc_lat",
       .package = kQperf,
       .passive = "qperf",
       .active = "qperf -t 1 PASSIVE rc_lat",
       .stays = true,
       .why = kNoGrh},
      {.name = "qperf ud_lat",
       .package = kQperf,
       .passive = "qperf",
       .active = "qperf -t 1 PASSIVE ud_lat",
       .stays = true,
       .why = kNoGrh},
      {.name = "qperf rc_bw",
       .package = kQperf,
       .passive = "qperf",
       .active = "qperf -t 1 PASSIVE rc_bw",
       .stays = true,
       .why = kNoGrh},
      {"qperf conf", kQperf, "qperf", "qperf PASSIVE conf", true},
      {"qperf tcp_bw", kQperf, "qperf", "qperf -t 1 PASSIVE tcp_bw", true, kSlow},
  };
}

// Each begins with a fifth of a second in which libpsm2 compares the counter with the clock.
std::vector<StockProgram> OfFabric() {
  return {
      {"fi_info", kFabric, "", "fi_info -p verbs"},
      {"fi_pingpong verbs msg", kFabric, "fi_pingpong -p verbs -e msg -I 5 -S 64",
       "fi_pingpong -p verbs -e msg -I 5 -S 64 PASSIVE"},
      {"fi_pingpong verbs dgram", kFabric, "fi_pingpong -p verbs -e dgram -I 5 -S 64",
       "fi_pingpong -p verbs -e dgram -I 5 -S 64 PASSIVE"},
      {"fi_pingpong verbs;ofi_rxd", kFabric, "fi_pingpong -p verbs;ofi_rxd -e rdm -I 5 -S 64",
       "fi_pingpong -p verbs;ofi_rxd -e rdm -I 5 -S 64 PASSIVE"},
      {"fi_pingpong verbs;ofi_rxm", kFabric,
       "env FI_UNIVERSE_SIZE=8 fi_pingpong -p verbs;ofi_rxm -e rdm -I 5 -S 64",
       "env FI_UNIVERSE_SIZE=8 fi_pingpong -p verbs;ofi_rxm -e rdm -I 5 -S 64 PASSIVE", false,
       kSlow},
      {"fi_pingpong tcp", kFabric, "fi_pingpong -p tcp -e msg -I 5 -S 64",
       "fi_pingpong -p tcp -e msg -I 5 -S 64 PASSIVE"},
  };
}

std::vector<StockProgram> OfOthers() {
  return {
      {"ucx_info", kUcx, "", "ucx_info -d"},
      {"ucx_perftest ud", kUcx, "env UCX_TLS=ud_verbs,self ucx_perftest -n 5 -w 1",
       "env UCX_TLS=ud_verbs,self ucx_perftest PASSIVE -t tag_lat -n 5 -w 1", false, kCounter},
      {"ucx_perftest rc", kUcx, "env UCX_TLS=rc,self ucx_perftest -n 5 -w 1",
       "env UCX_TLS=rc,self ucx_perftest PASSIVE -t tag_lat -n 5 -w 1", false, kCounter},
      {.name = "io_demo",
       .package = kUcx,
       .passive = "env UCX_TLS=rc,self io_demo",
       .active = "env UCX_TLS=rc,self io_demo -i 3 PASSIVE",
       .stays = true,
       .once = kSpins,
       .limit = kOfPolls},
      {"iperf over librspreload", "iperf",
       "env LD_PRELOAD=/usr/lib/x86_64-linux-gnu/rsocket/librspreload.so iperf -s -P 1",
       "env LD_PRELOAD=/usr/lib/x86_64-linux-gnu/rsocket/librspreload.so iperf -c PASSIVE -n 4096"},
      {.name = "iperf3 over librspreload",
       .package = "iperf3",
       .passive = "env LD_PRELOAD=/usr/lib/x86_64-linux-gnu/rsocket/librspreload.so iperf3 -s -1",
       .active = "env LD_PRELOAD=/usr/lib/x86_64-linux-gnu/rsocket/librspreload.so iperf3 -c "
                 "PASSIVE -n 4096",
       .why = "its server reads what select says to be there, and librspreload names another "
              "descriptor (rdma-core 44 preload.c rpoll_to_select)",
       .limit = kOfPolls},
      {.name = "curl over librspreload",
       .package = "curl, netcat-openbsd",
       .passive = "env LD_PRELOAD=/usr/lib/x86_64-linux-gnu/rsocket/librspreload.so nc -l 8080",
       .active = "env LD_PRELOAD=/usr/lib/x86_64-linux-gnu/rsocket/librspreload.so curl -s "
                 "PASSIVE:8080",
       .why = "nc accepts with accept4, which librspreload does not take the place of (rdma-core "
              "44 preload.c)"},
  };
}

// Each rank sends its number to the other one, and both add 21. mpirun starts the other with ssh.
std::vector<StockProgram> OfMpi() {
  constexpr std::string_view kModule = "/usr/lib/python3/dist-packages/mpi4py";
  return {
      {"mpirun over UCX", kMpi, "",
       "mpirun --allow-run-as-root --host active,passive --mca pml ucx -x UCX_TLS=rc,self "
       R"(/usr/bin/python3 -c 'from mpi4py.MPI import COMM_WORLD as w; )"
       R"(print(w.rank, w.sendrecv(w.rank, 1 - w.rank), w.allreduce(21))')",
       false, kCounter, "", kModule},
      {"mpirun over libfabric", kMpi, "",
       "mpirun --allow-run-as-root --host active,passive --mca pml cm --mca mtl ofi "
       "--mca mtl_ofi_provider_include verbs;ofi_rxm -x FI_UNIVERSE_SIZE=8 "
       R"(/usr/bin/python3 -c 'from mpi4py.MPI import COMM_WORLD as w; )"
       R"(print(w.rank, w.sendrecv(w.rank, 1 - w.rank), w.allreduce(21))')",
       false, "", "", kModule},
  };
}

// Its jobs are processes, which wait for each other by conditions in shared memory. A target posts
// a receive for each message that comes: its client asks for no repetition of one that comes too
// early.
std::vector<StockProgram> OfFio() {
  constexpr std::string_view kTarget =
      "fio --name=target --ioengine=rdma --port=7777 --rw=read --bs=4k --size=16k";
  return {
      {"fio send", "fio",
       "fio --name=target --ioengine=rdma --port=7777 --rw=read --bs=4k --size=16k --iodepth=4",
       "fio --name=client --ioengine=rdma --hostname=PASSIVE --port=7777 --verb=send --rw=write "
       "--bs=4k --size=16k"},
      {"fio write", "fio", kTarget,
       "fio --name=client --ioengine=rdma --hostname=PASSIVE --port=7777 --verb=write --rw=write "
       "--bs=4k --size=16k"},
      {"fio read", "fio", kTarget,
       "fio --name=client --ioengine=rdma --hostname=PASSIVE --port=7777 --verb=read --rw=write "
       "--bs=4k --size=16k"},
      {"fio --thread", "fio",
       "fio --thread --name=target --ioengine=rdma --port=7777 --rw=read --bs=4k --size=16k "
       "--iodepth=4",
       "fio --thread --name=client --ioengine=rdma --hostname=PASSIVE --port=7777 --verb=send "
       "--rw=write --bs=4k --size=16k"},
  };
}

// Their files are in the folder of the host.
std::vector<StockProgram> OfDapl() {
  return {
      {"dtest", kDapl,
       R"(sh -c 'cd $CMSIM_HOST; echo "ia u2.0 nonthreadsafe default libdaplofa.so.2 dapl.2.0 )"
       R"(\"PASSIVE 0\" \"\"" >dat; DAT_OVERRIDE=dat dtest -P ia -b 4096 -B 5')",
       R"(sh -c 'cd $CMSIM_HOST; echo "ia u2.0 nonthreadsafe default libdaplofa.so.2 dapl.2.0 )"
       R"(\"ACTIVE 0\" \"\"" >dat; sleep 1; DAT_OVERRIDE=dat dtest -P ia -h PASSIVE -b 4096 -B 5')",
       false, kEndless},
      {"dapltest", kDapl,
       R"(sh -c 'cd $CMSIM_HOST; echo "ia u2.0 nonthreadsafe default libdaplofa.so.2 dapl.2.0 )"
       R"(\"PASSIVE 0\" \"\"" >dat; DAT_OVERRIDE=dat dapltest -T S -D ia')",
       R"(sh -c 'cd $CMSIM_HOST; echo "ia u2.0 nonthreadsafe default libdaplofa.so.2 dapl.2.0 )"
       R"(\"ACTIVE 0\" \"\"" >dat; sleep 1; DAT_OVERRIDE=dat dapltest -T T -D ia -s PASSIVE -i 2 )"
       R"(-t 1 -w 1 client SR 256 1 server SR 256 1 | grep -E "completed successfully|Total WQE"')",
       true, kSlow},
  };
}

// An iSER target, and the answer of its disk to an initiator in user space.
std::vector<StockProgram> OfTgt() {
  return {
      {"tgtd iSER", "tgt, libiscsi-bin",
       "sh -c 'export TGT_IPC_SOCKET=$CMSIM_HOST/tgt; tgtd -f -t 1 --iscsi portal=PASSIVE:3261 "
       "--iser pool_sz_mb=64 & "
       "sleep 1; set -- tgtadm --lld iser --mode; "
       "$@ target --op new --tid 1 --targetname iqn.t; "
       "$@ logicalunit --op new --tid 1 --lun 1 --bstype null --backing-store none; "
       "$@ target --op bind --tid 1 -I ALL; $@ target --op bind --tid 1 -Q iqn.i; wait'",
       "sh -c 'sleep 3; iscsi-inq -i iqn.i iser://PASSIVE/iqn.t/1'", true, "", "",
       "tgtadm iscsi-inq"},
  };
}

std::vector<StockProgram> OfQemu() {
  return {
      {"qemu-system-x86_64 migration", "qemu-system-x86",
       "sh -c '(sleep 6; echo info status; echo quit) | qemu-system-x86_64 -M none -m 1 "
       "-display none -monitor stdio -incoming rdma:PASSIVE:4444 | grep -c \"status: running\"'",
       "sh -c '(sleep 1; echo migrate -d rdma:PASSIVE:4444; sleep 5; echo info migrate; "
       "echo quit) | qemu-system-x86_64 -M none -m 1 -display none -monitor stdio | "
       "grep -c \"status: completed\"'",
       false, kFutex},
  };
}

// A cell of a table.
std::string Command(std::string_view text) {
  std::string cell;
  for (const char c : text) cell += c == '|' ? "\\|" : std::string(1, c);
  return cell.empty() ? cell : fmt::format("`{}`", cell);
}

}  // namespace

const std::vector<StockProgram>& StockPrograms() {
  static const auto* const kAll = [] {
    auto* const all = new std::vector<StockProgram>;
    for (const auto& some : {OfRdmacm(), OfIbverbs(), OfPerftest(), OfQperf(), OfFabric(),
                             OfOthers(), OfMpi(), OfFio(), OfDapl(), OfTgt(), OfQemu()})
      all->insert(all->end(), some.begin(), some.end());
    return all;
  }();
  return *kAll;
}

std::string ProgramsPage(const std::function<std::string(const StockProgram&)>& line) {
  std::string page(kHead);
  for (const StockProgram& program : StockPrograms()) page += line(program);
  page += kCommands;
  for (const StockProgram& program : StockPrograms())
    page += fmt::format("| {} | {} | {} |\n", program.name, Command(program.passive),
                        Command(program.active));
  return page;
}

std::optional<std::string> LineIn(std::string_view page, const StockProgram& program) {
  const std::string begin = fmt::format("\n| {} | {} |", program.name, program.package);
  const size_t at = page.find(begin);
  if (at == std::string_view::npos) return std::nullopt;
  return std::string(page.substr(at + 1, page.find('\n', at + 1) - at));
}

}  // namespace cm::app
