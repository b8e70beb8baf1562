// Passes on what programs print, line by line.
#ifndef TOOLS_APP_OUTPUT_H_
#define TOOLS_APP_OUTPUT_H_

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>
#include <utility>

#include "tools/app/endless_runs.h"
#include "tools/app/process.h"

namespace cm::app {

class Output {
 public:
  // A line that a program prints, and the program's name.
  using Hears = std::function<void(std::string_view who, std::string_view line)>;

  // `endless` must outlive this object.
  Output(Hears hears, EndlessRuns* endless) : hears_(std::move(hears)), endless_(endless) {}

  // Some programs print without end: what has been printed, up to some bytes.
  void PassSomeOn(Process* process) const { PassOn(process, kAtOnce); }
  // All that a pipe holds.
  void PassAllOn(Process* process) const { PassOn(process, kWhole); }

 private:
  // At most about this many bytes of a program are passed on before another one is served.
  static constexpr size_t kAtOnce = size_t{1} << 16;
  // The largest size of a pipe. source: linux 6.1 fs/pipe.c pipe_max_size
  static constexpr size_t kWhole = size_t{1} << 20;

  void PassOn(Process* process, size_t most) const {
    if (!process->program) return;
    for (const std::string& line : process->program->TakeLines(most)) {
      endless_->HasPrinted(line.size());
      hears_(process->name, line);
    }
  }

  Hears hears_;
  EndlessRuns* endless_;
};

}  // namespace cm::app

#endif  // TOOLS_APP_OUTPUT_H_
