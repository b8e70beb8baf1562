#include "hw_tests/node/tools.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <signal.h>

#include <algorithm>
#include <optional>
#include <utility>
#include <variant>

#include "conformance/process/real_time.h"

namespace node {
namespace {

constexpr cm::Duration kToolPatience = cm::Duration::Seconds(60);
// A removal that cannot begin has failed by then.
constexpr cm::Duration kBegins = cm::Duration::Milliseconds(200);

std::optional<cm::Process> Started(const Words& words, const cm::Descriptor& printed, Ran* ran) {
  auto started = cm::Process::Start(
      {.arguments = words,
       .environment = {"PATH=" + cm::SearchPath() + ":/usr/local/sbin:/usr/sbin:/sbin"},
       .output = printed.get()});
  if (auto* problem = std::get_if<std::string>(&started)) {
    *ran = {127, std::move(*problem)};
    return std::nullopt;
  }
  return std::get<cm::Process>(std::move(started));
}

}  // namespace

// What the kernel holds back is not waited for.
Tools::~Tools() {
  for (Behind& one : behind_) {
    one.process.Signal(SIGKILL);
    one.process.Release();
  }
}

Ran Tools::Run(const Words& words) {
  const cm::Descriptor printed = cm::MemoryFile("");
  Ran ran;
  std::optional<cm::Process> process = Started(words, printed, &ran);
  if (!process) return ran;
  const std::optional<int> status = process->Wait(kToolPatience);
  if (status) return {cm::ExitCodeOf(*status), cm::ReadFromStart(printed)};
  process->Signal(SIGKILL);
  process->Release();
  return {124, "it does not end"};
}

Ran Tools::Begin(const Words& words) {
  const cm::Descriptor printed = cm::MemoryFile("");
  Ran ran;
  std::optional<cm::Process> process = Started(words, printed, &ran);
  if (!process) return ran;
  const std::optional<int> status = process->Wait(kBegins);
  if (status) return {cm::ExitCodeOf(*status), cm::ReadFromStart(printed)};
  behind_.push_back({words, *std::move(process)});
  return {};
}

std::string Tools::AwaitAll(cm::Duration within) {
  const cm::Instant until = cm::RealNow() + within;
  behind_.remove_if([&](Behind& one) {
    return one.process.Wait(std::max(until - cm::RealNow(), cm::Duration())).has_value();
  });
  if (behind_.empty()) return {};
  return fmt::format("'{}' does not end", fmt::join(behind_.front().words, " "));
}

}  // namespace node
