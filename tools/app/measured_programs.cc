// Runs programs and says what came of them.
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "model/base/duration.h"
#include "tools/app/beside.h"
#include "tools/app/broker.h"
#include "tools/app/runs.h"
#include "tools/app/stock_programs.h"

namespace cm::app {
namespace {

// None of them does nothing for so long and goes on.
constexpr Duration kPatience = Duration::Seconds(10);

Ran RunIt(const StockProgram& program, const std::string& script) {
  std::vector<ProgramToRun> programs;
  if (!program.passive.empty()) programs.push_back(Words(kPassiveSide, program.passive));
  programs.push_back(Words(kActiveSide, program.active));
  RunOptions options{.script = script, .limit = program.limit, .patience = kPatience};
  if (program.stays) options.staying = {kPassiveSide};
  return RunPrograms(std::move(programs), options);
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

// CPU times are the system's, and so is the memory that a memory file system has left: fio has a
// line of the first, ucx_info of the second.
std::vector<std::string> OfItsOwn(std::vector<std::string> output) {
  std::erase_if(output, [](const std::string& line) {
    return line.find("  cpu  ") != std::string::npos ||
           line.find("allocate: <=") != std::string::npos;
  });
  return output;
}

std::string SameAgain(const StockProgram& program, const Ran& first) {
  bool prints_the_same = true;
  for (int again = 0; again < 2; ++again) {
    const Ran ran = RunIt(program, "");
    if (ran.report.digest != first.report.digest) return "no";
    prints_the_same = prints_the_same && OfItsOwn(ran.output) == OfItsOwn(first.output);
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
  return words.empty() || IsInstalled(words[0]);
}

}  // namespace

bool IsInstalled(const StockProgram& program) {
  std::istringstream needs{std::string(program.needs)};
  for (std::string need; needs >> need;)
    if (need.front() == '/' ? access(need.c_str(), F_OK) != 0 : !IsInstalled(need)) return false;
  return IsInstalledAs(program.name) && IsInstalledAs(program.passive) &&
         IsInstalledAs(program.active);
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
  cells.push_back(ComparisonCell(program));
  return LineOf(program, cells, Remark(program, first.report));
}

}  // namespace cm::app
