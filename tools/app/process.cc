#include "tools/app/process.h"

#include <fmt/format.h>
#include <unistd.h>

namespace cm::app {

Process::~Process() {
  if (listening >= 0) close(listening);
}

std::string DecisionName(const Process& process, const Thread* thread) {
  return thread == nullptr ? fmt::format("{}", process.number)
                           : fmt::format("{}.{}", process.number, thread->asker.thread);
}

}  // namespace cm::app
