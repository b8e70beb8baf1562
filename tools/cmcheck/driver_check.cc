#include <fmt/format.h>

#include <cstdio>
#include <memory>
#include <string>

#include "conformance/adapters/exec/check.h"
#include "tools/cmcheck/command.h"
#include "tools/cmcheck/verbs.h"

namespace cm {
namespace {

struct DriverCheckOptions {
  std::string command;
  uint64_t answers_within = 10;
};

int DriverCheck(const DriverCheckOptions& options) {
  const DriverPlace place{
      .command = options.command,
      .answers_within = Duration::Seconds(static_cast<int64_t>(options.answers_within)),
      .interrupted = &Interrupted()};
  int failed = 0;
  int kept = 0;
  CheckDriver(place, [&](const Tried& tried) {
    const bool ok = tried.problem.empty();
    // What an interrupt has cut short says nothing of the driver.
    if (Interrupted() && !ok) return false;
    kept += ok ? 1 : 0;
    failed += ok || tried.left_out ? 0 : 1;
    fmt::print("{:<10}{}{}{}\n",
               ok               ? "ok"
               : tried.left_out ? "left out"
                                : "FAILED",
               tried.name, ok ? "" : ": ", tried.problem);
    std::fflush(stdout);
    return !Interrupted();
  });
  fmt::print("{} ok, {} failed\n", kept, failed);
  if (Interrupted()) return kExitInterrupted;
  return failed == 0 ? kExitClean : kExitFound;
}

}  // namespace

void AddDriverCheck(Verb cmcheck) {
  Verb verb = cmcheck.Add("driver-check", "Try whether a driver keeps the driver protocol", R"(
Starts the command anew for each try, by the shell, and speaks the driver protocol with it. Whether
what it does is right is another matter, of `cmcheck run --impl exec:COMMAND`. Exit code 1 when a
try fails.
Examples:
  cmcheck driver-check ./mydriver
  cmcheck driver-check 'python3 mydriver.py --device rxe0' --answers-within 60)");
  auto options = std::make_shared<DriverCheckOptions>();
  verb.Argument("command", &options->command, "The driver, as the shell takes it");
  verb.Number("--answers-within", &options->answers_within, 1, 3600,
              "Seconds of this machine's clock that it may take beyond what is asked, and to end");
  verb.Does([options] { return DriverCheck(*options); });
}

}  // namespace cm
