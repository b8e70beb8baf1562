// Programs of the distribution on simulated hosts, and what docs/programs.md says of them.
#ifndef TOOLS_APP_STOCK_PROGRAMS_H_
#define TOOLS_APP_STOCK_PROGRAMS_H_

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "model/base/duration.h"

namespace cm::app {

// Two programs, or one; PASSIVE and ACTIVE are the addresses of the hosts.
struct StockProgram {
  std::string_view name;     // unique; its first word is a program
  std::string_view package;  // of Debian 12
  std::string_view passive;  // empty: none
  std::string_view active;
  bool stays = false;          // the passive program serves for ever
  std::string_view once = {};  // why it is run once, and without faults
  std::string_view why = {};   // it does not work: the cause, by looking
  // What the commands use besides the programs that they begin with: programs, and files by their
  // paths; a space between them.
  std::string_view needs = {};
  Duration limit = Duration::Seconds(60);  // in virtual time; less where it polls without end
};

const std::vector<StockProgram>& StockPrograms();

// Whether the programs can be run.
bool IsInstalled(const StockProgram& program);

// What comes of the program, by running it: its line of the page. Empty and a reason on failure.
std::string MeasuredLine(const StockProgram& program, std::string* problem);

// The page, of the lines that `line` returns.
std::string ProgramsPage(const std::function<std::string(const StockProgram&)>& line);

// The line of a program in a page; nothing when there is none.
std::optional<std::string> LineIn(std::string_view page, const StockProgram& program);

}  // namespace cm::app

#endif  // TOOLS_APP_STOCK_PROGRAMS_H_
