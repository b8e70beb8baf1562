#include "tools/app/beside.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <regex>

namespace cm::app {
namespace {

constexpr std::string_view kMachine = "it lists what the machine is made of";
constexpr std::string_view kDevices =
    "compared are its lines of the RDMA devices; others list what the machine is made of";
constexpr std::string_view kRace =
    "whether its thread of events hears the end of the connection before the program ends is a "
    "race";
constexpr std::string_view kNoXrc =
    "Soft-RoCE has no XRC, and its provider refuses it (rdma-core 44 rxe.c rxe_ctx_ops)";
constexpr std::string_view kHasXrc =
    "the table of GIDs ends with the last one, and the device has XRC";
constexpr std::string_view kDtest =
    "it prints process ids, keys and addresses of memory, and what it has read of a buffer that "
    "its peer fills meanwhile";
constexpr std::string_view kDapltest =
    "it took too little time here to print figures; which comes first, the end of a connection or "
    "the address for the next one, is a race of its threads";
constexpr std::string_view kFioFigures = "clat|lat \\(|th=\\[|cpu  |IOPS=|pid=|run=";
constexpr std::string_view kMpiFiles =
    "/usr/bin/orted /usr/lib/x86_64-linux-gnu/openmpi /usr/share/openmpi /etc/openmpi "
    "/usr/lib/x86_64-linux-gnu/pmix2 /usr/lib/x86_64-linux-gnu/ucx /usr/lib/python3.11 "
    "/usr/lib/python3/dist-packages/mpi4py";
constexpr std::string_view kOneHost =
    "in the lab mpirun takes both hosts for one, as their addresses are of one kernel, so events "
    "are not compared; here it warns that setpgid is refused, as a program that it starts has "
    "begun before";
constexpr std::string_view kQemuFiles = "/usr/lib/x86_64-linux-gnu/qemu/accel-tcg-x86_64.so";
constexpr std::string_view kOneKernel =
    "its sockets are of one kernel in the lab, and have the address that they go to; it prints "
    "rates "
    "without a fraction";

// A number with a fraction is a figure; dotted quads are none.
const std::regex& Drawn() {
  static const auto* const kDrawn = new std::regex(
      R"(0x[0-9a-fA-F]+|((^|[^0-9.])[0-9]+\.[0-9]+(?![0-9.]))|port [0-9]{5}\b|:[0-9]{5}\b)");
  return *kDrawn;
}

// Without blanks at the ends, and with one where there are several.
std::string Tight(const std::string& line) {
  std::string tight;
  for (const char c : line) {
    const bool blank = std::isspace(static_cast<unsigned char>(c)) != 0;
    if (!blank) tight += c;
    if (blank && !tight.empty() && tight.back() != ' ') tight += ' ';
  }
  if (tight.ends_with(' ')) tight.pop_back();
  return tight;
}

std::regex Regex(std::string_view text) { return std::regex(text.begin(), text.end()); }

// The part that is compared, and the end.
void KeepPart(std::vector<std::string>* lines, const Comparison& beside) {
  if (beside.from.empty()) return;
  bool inside = false;
  std::erase_if(*lines, [&, from = Regex(beside.from), to = Regex(beside.to)](const auto& line) {
    inside = inside || std::regex_search(line, from);
    const bool kept = inside || line.starts_with("exit ");
    inside = inside && !std::regex_search(line, to);
    return !kept;
  });
}

}  // namespace

const std::vector<Comparison>& Comparisons() {
  static const auto* const kAll = new std::vector<Comparison>{
      {.program = "rping", .why = kRace, .seed = 1},
      {.program = "rping over IPv6", .why = kRace, .seed = 1},
      {.program = "rcopy", .why = "the file has another length", .words = "[0-9]+ bytes"},
      {.program = "rstream", .why = kRace, .seed = 2},
      {.program = "riostream", .why = kRace, .unsteady = "DISCONNECTED", .seed = 2},
      {.program = "rstream -T async",
       .why = "who polls first decides how the active one ends: with other seeds it ends with 0",
       .seed = 2},
      {.program = "rdma_xclient -c x", .why = kNoXrc, .compared = false, .events = false},
      {.program = "ibv_devinfo", .why = kHasXrc, .lines = "gid_tbl_len|^\\s*XRC$"},
      {.program = "ibv_xsrq_pingpong", .why = kNoXrc, .compared = false, .events = false},
      {.program = "qperf conf", .why = kMachine, .words = "= .*"},
      {.program = "qperf tcp_bw", .why = "its figure has another unit", .words = "= .*"},
      {.program = "fi_info",
       .why =
           "in the lab interfaces have link-local addresses, too, for which it repeats its lines",
       .counted = false},
      {.program = "ucx_info",
       .why = kDevices,
       .from = "Memory domain: rxe0",
       .to = "Connection manager: rdmacm"},
      {.program = "ucx_perftest ud", .why = kOneKernel, .words = "Final:.*|Accepted connection.*"},
      {.program = "ucx_perftest rc", .why = kOneKernel, .words = "Final:.*|Accepted connection.*"},
      {.program = "io_demo",
       .why = "it prints its process id and a line each second",
       .lines = "active: [0-9]+/",
       .words = "pid [0-9]+|seed: [0-9]+"},
      {.program = "iperf over librspreload",
       .why = "its figures have other units",
       .words = "[0-9.]+ .?Bytes.*"},
      {.program = "iperf3 over librspreload",
       .why =
           "neither ends: both are killed 5.3 s after the start; later its server reports once a "
           "second, here as there, that librspreload refuses TCP_INFO (iperf 3.12 tcp_info.c "
           "save_tcpinfo, rdma-core 44 rsocket.c rgetsockopt); which descriptors select names "
           "wrongly depends on their numbers, which are others here, as each channel is a pipe",
       .words = R"(\[ *[0-9]+\])",
       .counted = false,
       .killed_after = Duration::Milliseconds(5300)},
      {.program = "mpirun over UCX",
       .why = kOneHost,
       .lines = "setpgid",
       .events = false,
       .one_kernel = false,
       .files = kMpiFiles},
      {.program = "mpirun over libfabric",
       .why = kOneHost,
       .lines = "setpgid",
       .events = false,
       .one_kernel = false,
       .files = kMpiFiles},
      {.program = "fio send", .why = "most lines are figures", .lines = kFioFigures},
      {.program = "fio --thread", .why = "most lines are figures", .lines = kFioFigures},
      {.program = "fio write", .why = "most lines are figures", .lines = kFioFigures},
      {.program = "fio read", .why = "most lines are figures", .lines = kFioFigures},
      {.program = "dtest",
       .why = kDtest,
       .lines = "read buffer contains",
       .words =
           "^ *[0-9]+|(r_key_ctx|va)=(0x)?[0-9a-f]+|port [0-9a-f]+|time= *[0-9.]+|Total= *[0-9.]+"},
      {.program = "dapltest",
       .why = kDapltest,
       .lines = "completed successfully|Total WQE",
       .seed = 2},
      {.program = "qemu-system-x86_64 migration", .files = kQemuFiles},
  };
  return *kAll;
}

Comparison ComparisonOf(const StockProgram& program) {
  const auto found = std::ranges::find(Comparisons(), program.name, &Comparison::program);
  return found == Comparisons().end() ? Comparison{.program = program.name, .why = ""} : *found;
}

std::string ComparisonCell(const StockProgram& program) {
  const Comparison beside = ComparisonOf(program);
  const std::string with = beside.seed == 0 ? "" : fmt::format(" with seed {}", beside.seed);
  if (beside.why.empty()) return "same" + with;
  if (!beside.compared) return fmt::format("not compared: {}", beside.why);
  return fmt::format("same{}, but: {}", with, beside.why);
}

std::vector<std::string> Settled(std::vector<std::string> lines, const Comparison& beside) {
  if (!beside.compared) return {};
  KeepPart(&lines, beside);
  const std::regex not_compared = Regex(beside.lines);
  const std::regex own = Regex(beside.words);
  std::vector<std::string> settled;
  for (std::string& line : lines) {
    if (!beside.lines.empty() && std::regex_search(line, not_compared)) continue;
    if (!beside.words.empty()) line = std::regex_replace(line, own, "#");
    line = Tight(std::regex_replace(line, Drawn(), "$2#"));
    if (!line.empty()) settled.push_back(line);
  }
  std::ranges::sort(settled);
  if (!beside.counted) settled.erase(std::unique(settled.begin(), settled.end()), settled.end());
  return settled;
}

}  // namespace cm::app
