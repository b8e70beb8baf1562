#include "tools/app/runs.h"

#include <unistd.h>

#include <cstdlib>
#include <iomanip>
#include <sstream>
#include <utility>
#include <variant>

#include "model/vocabulary/profile.h"
#include "model/vocabulary/topology.h"
#include "tools/app/script.h"

namespace cm::app {

bool IsInstalled(const std::string& program) {
  const char* const path = std::getenv("PATH");
  if (path == nullptr) return false;
  std::istringstream folders(path);
  for (std::string folder; std::getline(folders, folder, ':');)
    if (access(folder.append("/").append(program).c_str(), X_OK) == 0) return true;
  return false;
}

ProgramToRun Words(uint8_t side, std::string_view text) {
  ProgramToRun program{.side = side, .words = {}};
  std::istringstream words{std::string(text)};
  for (std::string word; words >> std::quoted(word, '\'', '\0');) {
    for (const auto& [name, host] :
         {std::pair<std::string_view, const char*>{"PASSIVE", kPassiveHost},
          {"ACTIVE", kActiveHost}})
      for (size_t at = word.find(name); at != std::string::npos; at = word.find(name))
        word.replace(at, name.size(), host);
    program.words.push_back(word);
  }
  return program;
}

Ran RunPrograms(std::vector<ProgramToRun> programs, const RunOptions& options) {
  Ran ran;
  Setting setting{.topology = FindTopology(options.topology),
                  .profile = *FindProfile("6.1-rxe"),
                  .seed = options.seed,
                  .programs = std::move(programs),
                  .staying_sides = options.staying,
                  .own_tmp = options.own_tmp,
                  .script = {},
                  .limit = options.limit,
                  .patience = options.patience,
                  .bandwidth = options.bandwidth};
  setting.costs.instructions = options.instructions;
  setting.object = options.object;
  auto happenings = ReadScript(options.script, setting.topology);
  if (auto* problem = std::get_if<std::string>(&happenings)) {
    ran.problem = std::move(*problem);
    return ran;
  }
  setting.script = std::get<std::vector<Happening>>(std::move(happenings));
  setting.hears = [&ran](std::string_view who, std::string_view line) {
    ran.output.push_back(std::string(who) + "| " + std::string(line));
  };
  setting.traces = [&ran](std::string_view line) { ran.trace.emplace_back(line); };
  auto report = Run(setting);
  if (auto* problem = std::get_if<std::string>(&report))
    ran.problem = std::move(*problem);
  else
    ran.report = std::get<Report>(std::move(report));
  return ran;
}

}  // namespace cm::app
