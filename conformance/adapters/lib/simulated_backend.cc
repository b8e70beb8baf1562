#include "conformance/adapters/lib/simulated_backend.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <utility>

#include "conformance/adapters/sim/coins.h"

namespace cm {
namespace {

// Threads that wait for more than an event of their id's own channel are polled.
bool GoesOnUnasked(CallKind kind) {
  return !TraitsOf(kind).may_block || CompletesWithEvent(kind) || kind == CallKind::kGetRequest ||
         kind == CallKind::kCreateEp;
}

}  // namespace

SimulatedBackend::SimulatedBackend(const Conversation& conversation, const Profile* profile,
                                   const Libraries* libraries)
    : libraries_(*libraries),
      drawn_(conversation.origin.has_value()),
      world_(conversation.topology, profile, CoinsOf(conversation)),
      machine_(&world_, this),
      before_(world_.InUse()) {
  for (uint8_t side = 0; side < conversation.topology->sides.size(); ++side)
    process_of_.push_back(machine_.AddProcess(side));
  libraries_.attach(this);
  libraries_.reset();
}

SimulatedBackend::~SimulatedBackend() { libraries_.attach(nullptr); }

sim::uapi::Answer SimulatedBackend::Ask(const sim::uapi::Request& request) {
  sim::uapi::Answer answer = machine_.Ask(Asking(), request);
  while (answer.waits) {
    sim::Fiber::Yield();
    answer = machine_.Continue(Asking());
  }
  return answer;
}

bool SimulatedBackend::Read(uint32_t /*process*/, uint64_t address, std::span<uint8_t> bytes) {
  // NOLINTNEXTLINE(performance-no-int-to-ptr): a program's pointer, as verbs have it
  std::memcpy(bytes.data(), reinterpret_cast<const void*>(address), bytes.size());
  return true;
}

bool SimulatedBackend::Write(uint32_t /*process*/, uint64_t address,
                             std::span<const uint8_t> bytes) {
  // NOLINTNEXTLINE(performance-no-int-to-ptr)
  std::memcpy(reinterpret_cast<void*>(address), bytes.data(), bytes.size());
  return true;
}

bool SimulatedBackend::Resume(Pending* pending) {
  const Lane entered = std::exchange(lane_, pending->lane);
  const bool ended = pending->fiber->ended() || pending->fiber->Resume();
  lane_ = entered;
  return ended;
}

bool SimulatedBackend::Make(CallKind kind, std::function<void()> made) {
  Pending pending{.lane = lane_,
                  .eager = GoesOnUnasked(kind),
                  .fiber = std::make_unique<sim::Fiber>(std::move(made))};
  if (Resume(&pending)) return true;
  pending_.push_back(std::move(pending));
  return false;
}

bool SimulatedBackend::Continue(Products* /*products*/) {
  const auto at = std::ranges::find(pending_, lane_, &Pending::lane);
  if (at == pending_.end() || !Resume(&*at)) return false;
  pending_.erase(at);
  return true;
}

void SimulatedBackend::Step() {
  world_.Step();
  GoOn();
}

void SimulatedBackend::GoOn() {
  for (Pending& pending : pending_)
    if (pending.eager) static_cast<void>(Resume(&pending));
}

void SimulatedBackend::Advance(Instant until) {
  while (world_.NextAt() && *world_.NextAt() <= until) Step();
  world_.RunUntil(until);
}

bool SimulatedBackend::Readable(rdma_event_channel* channel) {
  const int64_t file = libraries_.file_of(channel->fd);
  if (file < 0) return false;
  const sim::uapi::Answer answer =
      machine_.Ask(Asking(), {.op = sim::uapi::Op::kPollFile, .on = static_cast<uint32_t>(file)});
  return answer.value == 1;
}

bool SimulatedBackend::Inject(const Fault& fault) {
  if (fault.kind != FaultKind::kExit) world_.Inject(fault);
  for (uint8_t side = 0; side < process_of_.size(); ++side) {
    const bool exits = fault.kind == FaultKind::kExit && side == fault.side;
    const bool crashes = fault.kind == FaultKind::kCrash &&
                         world_.topology().KernelOf(side) == world_.topology().KernelOf(fault.side);
    if (exits || crashes) EndProcess(side);
  }
  return true;
}

// Its address is reused by an object without history.
void SimulatedBackend::EndProcess(uint8_t side) {
  std::erase_if(pending_, [side](const Pending& p) { return p.lane.side == side; });
  machine_.RemoveProcess(process_of_[side]);
  process_of_[side] = machine_.AddProcess(side);
}

bool SimulatedBackend::Heal() {
  world_.Heal();
  return true;
}

// Queue pairs and regions belong to the program, and a conversation need not release them.
std::string SimulatedBackend::Leaks() {
  const sim::Usage after = world_.InUse();
  if (after.kernel_ids == before_.kernel_ids && after.ib_ids == before_.ib_ids) return {};
  return fmt::format("in use at the end: {} kernel ids, {} IB CM ids", after.kernel_ids,
                     after.ib_ids);
}

void InitialiseLibraries(const Conversation& conversation, const Profile& profile,
                         const Libraries& libraries) {
  SimulatedBackend backend(conversation, &profile, &libraries);
  for (uint8_t side = 0; side < conversation.topology->sides.size(); ++side) {
    backend.Enter({.side = side, .number = 1});
    rdma_event_channel* const channel = backend.api().rdma_create_event_channel();
    if (channel != nullptr) backend.api().rdma_destroy_event_channel(channel);
  }
}

}  // namespace cm
