// The harness while a program runs: its requests and waits.
#include <fcntl.h>
#include <fmt/format.h>
#include <rdma/rdma_user_cm.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "model/base/check.h"
#include "sim/fake_libibverbs/requests.h"
#include "sim/harness/harness.h"
#include "sim/uapi/bytes.h"
#include "sim/uapi/layout.h"
#include "sim/uapi/words.h"

namespace cm::sim {
namespace {

using uapi::Answer;
using uapi::Op;
using uapi::Request;

constexpr Duration kPause = Duration::Milliseconds(1);

// Replaces the index of a device in the record by `of` that index. False when that is none.
template <typename T, typename Of>
bool Replace(Request* request, uint32_t T::*field, Of of) {
  T record = uapi::As<T>(request->bytes);
  if (request->bytes.size() < sizeof record) return false;
  record.*field = of(record.*field);
  std::memcpy(request->bytes.data(), &record, sizeof record);
  return record.*field != UINT32_MAX;
}

// The wait of a library after the last request of the program.
std::string_view ForWhat(const Request& last) {
  if (last.op == Op::kDestroyCq) return "ibv_ack_cq_events";
  const auto command = uapi::CommandIn(last);
  if (!command) return {};
  if (command->number == RDMA_USER_CM_CMD_DESTROY_ID)
    return "acknowledgements, by rdma_ack_cm_event, of events of that id";
  if (command->number == RDMA_USER_CM_CMD_LEAVE_MCAST)
    return "acknowledgements of events of the group";
  if (command->number == RDMA_USER_CM_CMD_MIGRATE_ID) return "acknowledgements of events";
  return {};
}

std::string WordsForItself(const Request& last) {
  const std::string where = "inside a library, for another thread of its own: ";
  const std::string_view what = ForWhat(last);
  if (what.empty()) return where + "after " + InWords(last);
  return where + fmt::format("{} waits for {}", InWords(last), what);
}

// The one library of all programs opens each device once, in whichever world comes first, and its
// contexts outlive that world. So they get no asynchronous events.
std::optional<Answer> OfDeviceEvents(Op op) {
  if (op == Op::kTakeEventOfDevice) return Answer{.value = -EIO};
  if (op == Op::kOpenEvents || op == Op::kCloseEvents || op == Op::kPollEventsOfDevice)
    return Answer{};
  return std::nullopt;
}

}  // namespace

void Harness::Wait(Waits waits, Instant until) {
  Program* const program = running_;
  if (program->waits != waits) program->since = world_.Now();
  program->waits = waits;
  program->until = until;
  const int depth = fake_libibverbs::ExchangeDepth(0);
  Fiber::Yield();
  fake_libibverbs::ExchangeDepth(depth);
  program->until = Instant::Never();
}

void Harness::Pause() {
  const uint64_t before = steps_;
  const Instant until = world_.Now() + kPause;
  while (steps_ == before && world_.Now() < until) Wait(Waits::kPause, until);
}

void Harness::Yield() {
  CM_CHECK(running_ != nullptr) << "only programs wait";
  Wait(Waits::kItself);
}

Answer Harness::AllDevices() {
  Answer all;
  for (const uint32_t observer : observers_) {
    const Answer some = machine_.Ask({.process = observer}, {.op = Op::kDevices});
    all.bytes.insert(all.bytes.end(), some.bytes.begin(), some.bytes.end());
  }
  return all;
}

// Devices have an index in the list of all hosts; a machine knows its own. False when the device is
// not one of the program's host.
bool Harness::Localize(Request* request) const {
  const auto own = [this](uint32_t index) {
    const uint8_t kernel = world_.topology().KernelOf(running_->side);
    const bool here = index < places_.size() && places_[index].kernel == kernel;
    return here ? places_[index].device : UINT32_MAX;
  };
  const Op op = request->op;
  if (op == Op::kPort || op == Op::kGid) {
    request->on = own(request->on);
    return request->on != UINT32_MAX;
  }
  if (op == Op::kCreateQp) return Replace(request, &uapi::QpRecord::device, own);
  if (op == Op::kOpenXrcd) return Replace(request, &uapi::XrcdRecord::device, own);
  if (op == Op::kRegister) return Replace(request, &uapi::RegionRecord::device, own);
  if (op == Op::kAllocMw) return Replace(request, &uapi::WindowRecord::device, own);
  return true;
}

Answer Harness::Ask(const Request& request) {
  if (request.op == Op::kDevices) return AllDevices();
  if (const std::optional<Answer> answer = OfDeviceEvents(request.op)) return *answer;
  if (running_ == nullptr) return {.value = -ENODEV};
  Program* const program = running_;
  Request own = request;
  if (!Localize(&own)) return {.value = -ENODEV};
  Answer answer = machine_.Ask(Asker(), own);
  while (answer.waits) {
    program->last = own;
    Wait(Waits::kMachine, own.op == Op::kSleep
                              ? Instant::FromNanoseconds(static_cast<int64_t>(own.more))
                              : Instant::Never());
    answer = machine_.Continue(Asker());
  }
  program->waits = Waits::kNot;
  program->last = own;
  program->resources.Note(own, answer);
  if (IsAboutAGoneId(own, answer))
    outcome_.misuse.push_back(program->name + ": " + InWords(own, answer));
  const bool idle = NothingNew(own, answer);
  if (!idle || !program->idle) {
    ++requests_;
    const std::string words = InWords(own, answer);
    if (!words.empty()) Say(program->name, world_.Now(), words);
  }
  if (std::exchange(program->idle, idle) && idle) Pause();
  return answer;
}

void Harness::Watch(uint64_t name, int /*write_end*/, const Request& readable) {
  watched_[name] = readable;
}

void Harness::Unwatch(uint64_t name) { watched_.erase(name); }

// The request that tells whether it is readable; null for a descriptor that is not the simulator's.
const Request* Harness::Watched(const pollfd& descriptor) const {
  struct stat status {};
  if ((descriptor.events & POLLIN) == 0 || fstat(descriptor.fd, &status) != 0) return nullptr;
  const auto found = watched_.find(status.st_ino);
  return found == watched_.end() ? nullptr : &found->second;
}

// Other descriptors are polled without waiting.
int Harness::Poll(std::span<pollfd> descriptors, int timeout_ms) {
  Instant until = Instant::Never();
  if (timeout_ms >= 0) until = world_.Now() + Duration::Milliseconds(timeout_ms);
  while (true) {
    if (const int error = PollNow(descriptors); error < 0) return error;
    bool watches = false;
    for (pollfd& descriptor : descriptors) {
      const Request* readable = Watched(descriptor);
      if (readable == nullptr) continue;
      watches = true;
      if (machine_.Ask(Asker(), *readable).value == 1) descriptor.revents |= POLLIN;
    }
    const auto found = std::ranges::count_if(
        descriptors, [](const pollfd& descriptor) { return descriptor.revents != 0; });
    if (found > 0 || world_.Now() >= until) {
      if (found == 0 && timeout_ms == 0 && watches) Pause();
      running_->waits = Waits::kNot;
      return static_cast<int>(found);
    }
    Wait(Waits::kDescriptors, until);
  }
}

std::string Harness::Program::Holds() const {
  std::vector<std::string> all;
  if (std::string things = resources.Text(); !things.empty()) all.push_back(std::move(things));
  for (const auto& [event, words] : unacknowledged) all.push_back(words + " (not acknowledged)");
  return fmt::format("{}", fmt::join(all, ", "));
}

std::string Harness::WaitingOf(const Program& program) const {
  std::string what;
  switch (program.waits) {
    case Waits::kMachine:
      what = machine_.WaitsFor({.process = program.process});
      break;
    case Waits::kItself:
      what = WordsForItself(program.last);
      break;
    case Waits::kDescriptors:
      what = "in poll, for its descriptors";
      break;
    case Waits::kNot:
    case Waits::kPause:
      what = "it polls; last: " + InWords(program.last);
      break;
  }
  const bool certain = !world_.NextAt().has_value();
  std::string text =
      fmt::format("{} waits since {}: {}", program.name, ToString(program.since), what);
  if (!certain) text += " (given up at " + ToString(world_.Now()) + ")";
  if (const std::string holds = program.Holds(); !holds.empty()) text += "; it has " + holds;
  return text;
}

// Closes channels that were not destroyed. The fake libibverbs closes the other end of each with
// it.
void Harness::CloseDescriptors() {
  if (watched_.empty()) return;
  std::vector<int> open;
  for (const auto& entry : std::filesystem::directory_iterator("/proc/self/fd"))
    open.push_back(std::stoi(entry.path().filename()));
  for (const int descriptor : open) {
    struct stat status {};
    if (fstat(descriptor, &status) != 0 || !watched_.contains(status.st_ino)) continue;
    if ((fcntl(descriptor, F_GETFL) & O_ACCMODE) == O_RDONLY) close(descriptor);
  }
  watched_.clear();
}

}  // namespace cm::sim
