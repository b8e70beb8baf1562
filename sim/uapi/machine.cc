#include "sim/uapi/machine.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "model/base/check.h"
#include "sim/fabric/names.h"
#include "sim/uapi/bytes.h"
#include "sim/uapi/refusals.h"
#include "sim/uapi/verbs_end_parts.h"

namespace cm::sim::uapi {

Machine::Machine(World* world, Memory* memory)
    : world_(world),
      device_file_(world),
      device_events_(world),
      verbs_end_(world, &device_file_, &device_events_) {
  world_->LendMemory(memory);
}

Machine::~Machine() { world_->LendMemory(nullptr); }

uint32_t Machine::AddProcess(uint8_t side) {
  sides_.push_back(side);
  return static_cast<uint32_t>(sides_.size() - 1);
}

uint8_t Machine::KernelOf(uint32_t process) const {
  return world_->topology().KernelOf(sides_[process]);
}

void Machine::RemoveProcess(uint32_t process) {
  std::erase_if(waiting_, [=](const auto& waiting) { return waiting.first.process == process; });
  for (const auto& [file, open] : files_)
    if (open.process == process && IsOpen(file)) CloseFile(Kernel(), FileIndex(file));
  std::erase_if(files_, [=](const auto& file) { return file.second.process == process; });
  device_file_.Forget(process);
  verbs_end_.Forget(process);
  device_events_.Forget(process);
}

// A file that is not open, or one of another process: a process that got it by fork or over a
// socket has other credentials. source: linux 6.1 ucma.c ucma_write, ib_safe_file_access
Errno Machine::Refuses(uint32_t process, uint32_t file) const {
  const auto open = files_.find(file);
  if (open == files_.end() || !open->second.named || !IsOpen(file)) return Errno::kBadF;
  return open->second.process == process ? Errno::kNone : Errno::kAcces;
}

Answer Machine::Ask(Asker asker, const Request& request) {
  CM_CHECK(!waiting_.contains(asker) && asker.process < sides_.size());
  Outcome outcome = Carry(asker, request);
  if (outcome.answer.waits) waiting_[asker] = {.request = request, .outcome = outcome, .done = {}};
  return std::move(outcome.answer);
}

bool Machine::IsReadable(Asker asker, const Request& readable) {
  if (readable.op != Op::kPollFile) return Carry(asker, readable).answer.value == 1;
  const auto open = files_.find(readable.on);
  return open != files_.end() && open->second.named && IsOpen(readable.on) &&
         Kernel().cma->files.Readable(FileIndex(readable.on));
}

Answer Machine::Continue(Asker asker) {
  const auto found = waiting_.find(asker);
  CM_CHECK(found != waiting_.end());
  std::optional<Answer> done = found->second.done;
  if (!done) done = Finished(asker, found->second);
  if (!done) return {.waits = true};
  return Return(asker, *done);
}

std::vector<Foreseen> Machine::Foresee(Asker asker, const NextRequest& next) {
  const std::optional<response::QpAttr> kept = device_file_.LastAttributes(asker);
  std::optional<QpState> state;  // that a queue pair has come to
  std::vector<Foreseen> all;
  while (std::optional<Request> request = next(all)) {
    Answer answer;
    if (request->op == Op::kModifyQp) {
      if (!verbs_end_.WouldMove(asker, *request, state)) break;
      state = static_cast<QpState>(As<ModifyRecord>(request->bytes).state);
    } else if (request->op == Op::kDestroyCq) {
      if (!verbs_end_.WouldDestroyCq(asker.process, request->on)) break;
    } else {
      answer = Ask(asker, *request);
      if (answer.value < 0) break;
    }
    all.push_back({.request = std::move(*request), .answer = std::move(answer)});
  }
  device_file_.SetLastAttributes(asker, kept);
  return all;
}

// The wait is over. Who waited in a file that has lost its descriptor meanwhile, as the last one,
// closes it before its call returns. source: linux 6.1 read_write.c ksys_write, fdput; file_table.c
// fput
Answer Machine::Return(Asker asker, const Answer& answer) {
  const auto node = waiting_.extract(asker);
  const Waiting& waiting = node.mapped();
  const uint32_t file = waiting.request.on;
  if (waiting.request.op != Op::kWrite || waiting.outcome.what == Awaited::kClosed) return answer;
  const auto open = files_.find(file);
  if (open == files_.end() || open->second.named || IsWaitedIn(file) || Release(file))
    return answer;
  Waiting closes = {.request = waiting.request,
                    .outcome = {.what = Awaited::kClosed, .on = file},
                    .done = {},
                    .closed = answer};
  waiting_[asker] = std::move(closes);
  return {.waits = true};
}

bool Machine::IsWaitedIn(uint32_t file) const {
  return std::ranges::any_of(waiting_, [file](const auto& one) {
    const auto& [request, outcome, done, closed] = one.second;
    return request.op == Op::kWrite && request.on == file && outcome.what != Awaited::kClosed;
  });
}

// False when it is not closed yet.
bool Machine::Release(uint32_t file) {
  files_.erase(file);
  return CloseFile(Kernel(), FileIndex(file));
}

bool Machine::MayContinue(Asker asker) const {
  const auto found = waiting_.find(asker);
  CM_CHECK(found != waiting_.end());
  const auto& [request, outcome, done, closed] = found->second;
  if (done) return true;
  if (outcome.what == Awaited::kInstant)
    return world_->Now().nanoseconds() >= static_cast<int64_t>(request.more);
  if (outcome.what != Awaited::kEvent || request.op != Op::kWrite || !IsOpen(request.on))
    return true;
  return Kernel().cma->files.Readable(FileIndex(request.on));
}

// These waits cannot be interrupted by signals.
// source: linux 6.1 ucma.c ucma_get_event, ucma_destroy_id; iwcm.c iw_cm_disconnect, wait_event
Answer Machine::Interrupt(Asker asker) {
  const auto found = waiting_.find(asker);
  CM_CHECK(found != waiting_.end());
  const Awaited what = found->second.outcome.what;
  const bool interruptible =
      what != Awaited::kDestroyed && what != Awaited::kClosed && what != Awaited::kReply;
  if (!interruptible) return {.waits = true};
  return Return(asker, Refused(Errno::kIntr).answer);
}

// Empty while the request waits.
std::optional<Answer> Machine::Finished(Asker asker, const Waiting& waiting) {
  switch (waiting.outcome.what) {
    case Awaited::kDestroyed:
      return device_file_.Destroyed(waiting.outcome.ticket, waiting.request.bytes.size());
    case Awaited::kClosed:
      if (IsOpen(waiting.outcome.on)) return std::nullopt;
      return waiting.closed;
    case Awaited::kEvent:
    case Awaited::kReply:
    case Awaited::kCompletion:
    case Awaited::kDeviceEvent:
    case Awaited::kInstant:
      break;
  }
  const Request& request = waiting.request;
  const Outcome again =
      request.op == Op::kWrite ? CarryWrite(asker, request) : Carry(asker, request);
  if (again.answer.waits) return std::nullopt;
  return again.answer;
}

// The number of a closed file may be reused.
void Machine::NoteClosed() {
  for (auto& [asker, waiting] : waiting_)
    if (waiting.outcome.what == Awaited::kClosed && !IsOpen(waiting.outcome.on))
      waiting.done = waiting.closed;
}

Outcome Machine::Carry(Asker asker, const Request& request) {
  using enum Op;
  const Op op = request.op;
  if (IsOneOf(op, kOpen, kClose, kWrite, kPollFile)) return CarryFile(asker, request);
  if (IsOneOf(op, kDevices, kPort, kGid)) return CarryDevice(asker, request);
  if (IsOneOf(op, kOpenEvents, kCloseEvents, kTakeEventOfDevice, kPollEventsOfDevice)) {
    verbs_end_.TellNews();
    return device_events_.Carry(asker.process, KernelOf(asker.process), request);
  }
  const int64_t now = world_->Now().nanoseconds();
  const bool reached = now >= static_cast<int64_t>(request.more);
  if (op == kNow) return Value(now);
  if (op == kPollTime) return Value(reached ? 1 : 0);
  if (op == kSleep && reached) return Value(0);
  if (op == kSleep) return {.answer = {.waits = true}, .what = Awaited::kInstant};
  return verbs_end_.Carry(asker, KernelOf(asker.process), request);
}

Outcome Machine::CarryFile(Asker asker, const Request& request) {
  const uint32_t file = request.on;
  if (request.op == Op::kOpen) {
    NoteClosed();
    const uint32_t opened = Kernel().cma->files.Open(KernelOf(asker.process)).value();
    files_[opened] = {.process = asker.process};
    return Value(opened);
  }
  const Errno refused = Refuses(asker.process, file);
  if (request.op == Op::kWrite) {
    if (refused != Errno::kNone) return Refused(refused);
    return CarryWrite(asker, request);
  }
  if (refused == Errno::kBadF) return Refused(refused);
  if (request.op == Op::kPollFile)
    return Value(Kernel().cma->files.Readable(FileIndex(file)) ? 1 : 0);
  files_.find(file)->second.named = false;
  if (IsWaitedIn(file) || Release(file)) return Value(0);
  return {.answer = {.waits = true}, .what = Awaited::kClosed, .on = file};
}

Outcome Machine::CarryWrite(Asker asker, const Request& request) {
  return device_file_.Write(asker, request.on, request.more != 0, request.bytes);
}

Outcome Machine::CarryDevice(Asker asker, const Request& request) {
  const Topology& topology = world_->topology();
  const Profile& profile = world_->profile();
  const std::vector<uint8_t> devices = DevicesOf(topology, KernelOf(asker.process));
  if (request.op == Op::kDevices) {
    Outcome outcome;
    const DeviceBits registered = RegisteredDevices(Kernel(), KernelOf(asker.process));
    for (const uint8_t device : devices) {
      DeviceRecord record;
      const std::string& name = topology.devices[device].name;
      std::memcpy(record.name.data(), name.data(), std::min(name.size(), record.name.size() - 1));
      record.guid = GuidOf(topology, device);
      record.index = IndexOf(topology, device);
      record.iwarp = profile.transport == Transport::kIwarp ? 1 : 0;
      record.infiniband = profile.transport == Transport::kInfiniband ? 1 : 0;
      record.registered = (registered >> device) & 1;
      record.max_depth = profile.limits.max_depth;
      record.max_inline = record.iwarp != 0 ? SiwLimits::kInlined : DeviceLimits::kInlined;
      record.ports = topology.PortsOf(device);
      record.old_provider = HasWindows(profile) || record.iwarp != 0 ? 0 : 1;
      record.max_windows = HasWindows(profile) ? DeviceLimits::kWindows : 0;
      const std::span<const uint8_t> bytes = BytesOf(record);
      outcome.answer.bytes.insert(outcome.answer.bytes.end(), bytes.begin(), bytes.end());
    }
    return outcome;
  }
  if (request.on >= devices.size()) return Refused(Errno::kNoDev);
  const uint64_t number = request.op == Op::kGid ? request.more >> 32 : request.more;
  const uint8_t first = devices[request.on];
  if (number == 0 || number > topology.PortsOf(first)) return Refused(Errno::kInval);
  const auto device = static_cast<uint8_t>(first + number - 1);
  const std::vector<Gid> gids = ShownGids(topology, device, profile.transport);
  if (request.op == Op::kGid) {
    const auto index = static_cast<uint32_t>(request.more);
    return index < gids.size() ? Record(0, gids[index]) : Refused(Errno::kInval);
  }
  const bool infiniband = profile.transport == Transport::kInfiniband;
  PortRecord record;
  record.active = world_->Context().fabric->device(device).up ? 1 : 0;
  record.infiniband = infiniband ? 1 : 0;
  record.lid = static_cast<uint16_t>(infiniband ? device + 1 : 0);
  record.gids = static_cast<uint32_t>(gids.size());
  return Record(0, record);
}

std::string Machine::WaitsFor(Asker asker) const {
  const auto found = waiting_.find(asker);
  if (found == waiting_.end()) return "nothing";
  const Outcome& outcome = found->second.outcome;
  const auto open = files_.find(outcome.on);
  const bool is_closed = open != files_.end() && !open->second.named;
  const std::string file = "rdma_cm file " + std::to_string(outcome.on) +
                           (is_closed ? ", which has been closed: " : ": ");
  switch (outcome.what) {
    case Awaited::kEvent:
      return file + "an event";
    case Awaited::kClosed:
      return file + "that it is closed";
    case Awaited::kDestroyed:
      return "rdma_cm id " + std::to_string(outcome.on) + ": that it is destroyed";
    case Awaited::kReply:
      return "rdma_cm id " + std::to_string(outcome.on) + ": a reply of its peer";
    case Awaited::kCompletion:
      return "completion queue " + std::to_string(outcome.on) + ": a completion";
    case Awaited::kDeviceEvent:
      return "events " + std::to_string(outcome.on) + " of a device: one";
    case Awaited::kInstant:
      return "a later time";
  }
  return "nothing";
}

}  // namespace cm::sim::uapi
