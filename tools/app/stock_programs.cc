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
| the same | three runs with one seed: `yes`, the same output and conversation; `digest`, the same conversation, and output that differs (by process ids); `no` |
| REP lost | ends of the passive and the active program when the first REP is lost |
| removed | the same when the active host's device is removed in the middle of the messages |
| remark | what the program leaves behind by itself; or why it does not work |

Ends are exit codes, or `waits`: the program was ended after it had waited for what cannot happen any more, or for a minute;
`serves`: it serves for ever. `-`: not run, or the fault has no effect.

| program | package | works | the same | REP lost | removed | remark |
|---|---|---|---|---|---|---|
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

constexpr std::string_view kSpins = "waits for memory: run once, in part in the system's time";
constexpr std::string_view kOrder = "run once: its programs print at the same time";
constexpr std::string_view kDiffers =
    "run once: runs with one seed differ in when receives are posted; the cause is not known";
constexpr std::string_view kSlow = "run once, to save time";

std::vector<StockProgram> OfRdmacm() {
  return {
      {"rping", kRdmacm, "rping -s -a PASSIVE -C 3 -v", "rping -c -a PASSIVE -C 3 -v"},
      {"ucmatose", kRdmacm, "ucmatose", "ucmatose -s PASSIVE"},
      {"udaddy", kRdmacm, "udaddy", "udaddy -s PASSIVE"},
      {"mckey", kRdmacm, "mckey -m 239.1.1.1 -b PASSIVE", "mckey -s -m 239.1.1.1 -b ACTIVE"},
      {"cmtime", kRdmacm, "cmtime -b PASSIVE -c 5", "cmtime -b ACTIVE -s PASSIVE -c 5", true},
      {"rdma_client", kRdmacm, "rdma_server", "rdma_client -s PASSIVE"},
      {"rdma_xclient", kRdmacm, "rdma_xserver", "rdma_xclient -s PASSIVE"},
      {"rcopy", kRdmacm, "rcopy", "rcopy /etc/hostname PASSIVE:/tmp/rcopied", true, kOrder},
      {"rstream", kRdmacm, "rstream -I 5 -C 5 -S 1024", "rstream -s PASSIVE -I 5 -C 5 -S 1024"},
      {"riostream", kRdmacm, "riostream -I 1 -C 1 -S 64", "riostream -s PASSIVE -I 1 -C 1 -S 64",
       false, kSpins},
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
      {.name = "ibv_xsrq_pingpong",
       .package = kIbverbs,
       .passive = "ibv_xsrq_pingpong -n 5 -g 0",
       .active = "ibv_xsrq_pingpong -n 5 -g 0 PASSIVE",
       .why = "no XRC: ibv_open_xrcd is refused with EOPNOTSUPP"},
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
  };
}

constexpr std::string_view kNoGrh =
    "addresses its peer by a LID, which RoCE refuses (linux 6.1 verbs.c rdma_check_ah_attr)";

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
      {"fi_info", kFabric, "", "fi_info -p verbs", false, kSlow},
      {"fi_pingpong verbs msg", kFabric, "fi_pingpong -p verbs -e msg -I 5 -S 64",
       "fi_pingpong -p verbs -e msg -I 5 -S 64 PASSIVE"},
      {"fi_pingpong verbs dgram", kFabric, "fi_pingpong -p verbs -e dgram -I 5 -S 64",
       "fi_pingpong -p verbs -e dgram -I 5 -S 64 PASSIVE", false, kSlow},
      {"fi_pingpong verbs;ofi_rxd", kFabric, "fi_pingpong -p verbs;ofi_rxd -e rdm -I 5 -S 64",
       "fi_pingpong -p verbs;ofi_rxd -e rdm -I 5 -S 64 PASSIVE", false, kSlow},
      {"fi_pingpong verbs;ofi_rxm", kFabric,
       "env FI_UNIVERSE_SIZE=8 fi_pingpong -p verbs;ofi_rxm -e rdm -I 5 -S 64",
       "env FI_UNIVERSE_SIZE=8 fi_pingpong -p verbs;ofi_rxm -e rdm -I 5 -S 64 PASSIVE", false,
       kSlow},
      {"fi_pingpong tcp", kFabric, "fi_pingpong -p tcp -e msg -I 5 -S 64",
       "fi_pingpong -p tcp -e msg -I 5 -S 64 PASSIVE", false, kSlow},
  };
}

std::vector<StockProgram> OfOthers() {
  return {
      {"ucx_info", kUcx, "", "ucx_info -d"},
      {"ucx_perftest ud", kUcx, "env UCX_TLS=ud_verbs,self ucx_perftest -n 5 -w 1",
       "env UCX_TLS=ud_verbs,self ucx_perftest PASSIVE -t tag_lat -n 5 -w 1", false, kDiffers},
      {"ucx_perftest rc", kUcx, "env UCX_TLS=rc,self ucx_perftest -n 5 -w 1",
       "env UCX_TLS=rc,self ucx_perftest PASSIVE -t tag_lat -n 5 -w 1", false, kSpins},
      {"iperf over librspreload", "iperf",
       "env LD_PRELOAD=/usr/lib/x86_64-linux-gnu/rsocket/librspreload.so iperf -s -P 1",
       "env LD_PRELOAD=/usr/lib/x86_64-linux-gnu/rsocket/librspreload.so iperf -c PASSIVE -n 4096"},
  };
}

}  // namespace

const std::vector<StockProgram>& StockPrograms() {
  static const auto* const kAll = [] {
    auto* const all = new std::vector<StockProgram>;
    for (const auto& some :
         {OfRdmacm(), OfIbverbs(), OfPerftest(), OfQperf(), OfFabric(), OfOthers()})
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
    page += fmt::format("| {} | {} | {} |\n", program.name,
                        program.passive.empty() ? "" : fmt::format("`{}`", program.passive),
                        fmt::format("`{}`", program.active));
  return page;
}

std::optional<std::string> LineIn(std::string_view page, const StockProgram& program) {
  const std::string begin = fmt::format("\n| {} | {} |", program.name, program.package);
  const size_t at = page.find(begin);
  if (at == std::string_view::npos) return std::nullopt;
  return std::string(page.substr(at + 1, page.find('\n', at + 1) - at));
}

}  // namespace cm::app
