// Runs programs and says what came of them.
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <sstream>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "model/base/duration.h"
#include "model/vocabulary/profile.h"
#include "model/vocabulary/topology.h"
#include "tools/app/broker.h"
#include "tools/app/script.h"
#include "tools/app/stock_programs.h"

namespace cm::app {
namespace {

constexpr const char* kPassiveHost = "10.0.1.1";
constexpr const char* kActiveHost = "10.0.0.1";
constexpr Duration kLimit = Duration::Seconds(60);

struct Ran {
  Report report;
  std::vector<std::string> output;
  std::vector<std::string> trace;
  std::string problem;
};

ProgramToRun Words(uint8_t side, std::string_view text) {
  ProgramToRun program{.side = side, .words = {}};
  std::istringstream words{std::string(text)};
  for (std::string word; words >> word;) {
    if (word.starts_with("PASSIVE")) word.replace(0, 7, kPassiveHost);
    if (word.starts_with("ACTIVE")) word.replace(0, 6, kActiveHost);
    program.words.push_back(word);
  }
  return program;
}

Ran RunIt(const StockProgram& program, const std::string& script) {
  Ran ran;
  Setting setting{.topology = FindTopology("two-kernels"),
                  .profile = *FindProfile("6.1-rxe"),
                  .programs = {},
                  .staying_sides = {},
                  .script = {},
                  .limit = kLimit};
  if (program.stays) setting.staying_sides = {kPassiveSide};
  if (!program.passive.empty()) setting.programs.push_back(Words(kPassiveSide, program.passive));
  setting.programs.push_back(Words(kActiveSide, program.active));
  auto happenings = ReadScript(script, setting.topology);
  if (auto* problem = std::get_if<std::string>(&happenings)) {
    ran.problem = *problem;
    return ran;
  }
  setting.script = std::get<std::vector<Happening>>(std::move(happenings));
  setting.hears = [&ran](std::string_view who, std::string_view line) {
    ran.output.push_back(std::string(who) + "| " + std::string(line));
  };
  setting.traces = [&ran](std::string_view line) { ran.trace.emplace_back(line); };
  auto report = Run(setting);
  if (auto* problem = std::get_if<std::string>(&report))
    ran.problem = *problem;
  else
    ran.report = std::get<Report>(std::move(report));
  return ran;
}

// The programs that are to end have ended, and with 0.
bool Succeeded(const Report& report) {
  return std::ranges::all_of(report.programs, [](const EndOfProgram& program) {
    return program.stays || (program.ended && program.status == 0);
  });
}

std::string EndOf(const EndOfProgram& program) {
  if (program.ended)
    return WIFEXITED(program.status) ? fmt::format("{}", WEXITSTATUS(program.status))
                                     : HowItEnded(program.status);
  return program.stays ? "serves" : "waits";
}

std::string Ends(const Report& report) {
  std::vector<std::string> ends;
  for (const EndOfProgram& program : report.programs) ends.push_back(EndOf(program));
  return fmt::format("{}", fmt::join(ends, ", "));
}

bool Names(const std::vector<std::string>& trace, std::string_view what) {
  return std::ranges::any_of(
      trace, [&](const std::string& line) { return line.find(what) != std::string::npos; });
}

// The instant of a line of the conversation, as `pass` takes it.
std::string InstantOf(const std::string& line) {
  std::string instant;
  std::istringstream(line) >> instant;
  return instant;
}

// In the middle of the messages; empty when the program sends none.
std::string MiddleOf(const std::vector<std::string>& trace) {
  std::vector<std::string> posted;
  std::ranges::copy_if(trace, std::back_inserter(posted), [](const std::string& line) {
    return line.find(" ibv_post_send ") != std::string::npos;
  });
  return posted.empty() ? std::string() : InstantOf(posted[posted.size() / 2]);
}

std::string SameAgain(const StockProgram& program, const Ran& first) {
  bool prints_the_same = true;
  for (int again = 0; again < 2; ++again) {
    const Ran ran = RunIt(program, "");
    if (ran.report.digest != first.report.digest) return "no";
    prints_the_same = prints_the_same && ran.output == first.output;
  }
  return prints_the_same ? "yes" : "digest";
}

std::string UnderFault(const StockProgram& program, const std::string& script) {
  const Ran ran = RunIt(program, script);
  if (!ran.problem.empty()) return ran.problem;
  if (!ran.report.idle.empty()) return "-";
  return Ends(ran.report);
}

std::string LineOf(const StockProgram& program, const std::vector<std::string>& cells,
                   const std::string& remark) {
  return fmt::format("| {} | {} | {} | {} |\n", program.name, program.package,
                     fmt::join(cells, " | "), remark);
}

std::string Remark(const StockProgram& program, const Report& report) {
  std::vector<std::string> remarks;
  if (!program.why.empty()) remarks.emplace_back(program.why);
  if (program.why.empty()) remarks = report.misbehaviour;
  if (!program.once.empty()) remarks.emplace_back(program.once);
  return fmt::format("{}", fmt::join(remarks, "; "));
}

bool IsInstalledAs(std::string_view text) {
  std::vector<std::string> words = Words(kActiveSide, text).words;
  // Of `env NAME=VALUE PROGRAM`, the program.
  std::erase_if(words, [](const std::string& word) {
    return word == "env" || word.find('=') != std::string::npos;
  });
  const char* const path = std::getenv("PATH");
  if (words.empty() || path == nullptr) return words.empty();
  std::istringstream folders(path);
  for (std::string folder; std::getline(folders, folder, ':');)
    if (access(folder.append("/").append(words[0]).c_str(), X_OK) == 0) return true;
  return false;
}

}  // namespace

bool IsInstalled(const StockProgram& program) {
  return IsInstalledAs(program.passive) && IsInstalledAs(program.active);
}

std::string MeasuredLine(const StockProgram& program, std::string* problem) {
  const Ran first = RunIt(program, "");
  *problem = first.problem;
  if (!problem->empty()) return {};
  std::vector<std::string> cells = {Succeeded(first.report) ? "yes" : "no", "-", "-", "-"};
  const std::string middle = MiddleOf(first.trace);
  if (Succeeded(first.report) && program.once.empty()) {
    cells[1] = SameAgain(program, first);
    if (Names(first.trace, "rdma_accept"))
      cells[2] = UnderFault(program, "fault drop REP from=passive nth=1");
    if (!middle.empty())
      cells[3] = UnderFault(program, "pass " + middle + "\nfault remove-device side=active");
  }
  return LineOf(program, cells, Remark(program, first.report));
}

}  // namespace cm::app
