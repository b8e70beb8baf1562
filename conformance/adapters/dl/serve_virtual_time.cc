#include <cerrno>
#include <optional>
#include <string>

#include "conformance/adapters/dl/messages.h"
#include "conformance/adapters/dl/serve.h"
#include "conformance/adapters/dl/virtual_lanes.h"

namespace cm {
namespace {

// A library that is simulated as a whole.
class HooksBackend : public VirtualBackend {
 public:
  explicit HooksBackend(const LoadedObject& object) : api_(object.api), hooks_(*object.hooks) {}

  bool Start(const Conversation& conversation, const Profile& profile) {
    const uint64_t seed = conversation.origin ? conversation.origin->seed : 0;
    return hooks_.cmcheck_start(std::string(conversation.topology->name).c_str(),
                                profile.name.c_str(), seed) == 0;
  }

  void Enter(Lane lane) override { hooks_.cmcheck_enter(lane.side, lane.number); }
  const RdmaCmApi& api() const override { return api_; }
  Instant Now() const override { return Instant::FromNanoseconds(hooks_.cmcheck_now()); }
  std::optional<Instant> NextAt() const override {
    const int64_t next = hooks_.cmcheck_next();
    return next < 0 ? std::nullopt : std::optional(Instant::FromNanoseconds(next));
  }
  void Step() override { hooks_.cmcheck_step(); }
  void Advance(Instant until) override { hooks_.cmcheck_advance(until.nanoseconds()); }

  bool Make(CallKind /*kind*/, std::function<void()> made) override {
    made();
    return hooks_.cmcheck_blocked() == 0;
  }
  bool Continue(Products* products) override {
    errno = 0;
    int value = 0;
    if (hooks_.cmcheck_continue(&value) == 0) return false;
    products->value = value;
    products->error = errno;
    return true;
  }
  bool Readable(rdma_event_channel* channel) override {
    return hooks_.cmcheck_readable(channel) != 0;
  }

  bool Inject(const Fault& fault) override {
    const std::string kind(ToString(fault.kind));
    cmcheck_fault_line line{.kind = kind.c_str(),
                            .side = fault.side,
                            .messages = 0,
                            .first = fault.first,
                            .last = fault.last,
                            .by_ns = fault.by.nanoseconds(),
                            .window_ns = fault.window.nanoseconds(),
                            .to = fault.to,
                            .tail = fault.shape == DelayShape::kTail ? uint8_t{1} : uint8_t{0},
                            .at_most_ns = fault.at_most.nanoseconds(),
                            .after_ns = fault.after.nanoseconds()};
    for (const MadKind kind : kMads)
      if (fault.messages.Has(kind)) line.messages |= 1u << static_cast<int>(kind);
    return hooks_.cmcheck_fault(&line) == 0;
  }
  bool Heal() override { return hooks_.cmcheck_heal() == 0; }
  std::string Leaks() override { return hooks_.cmcheck_leaks(); }

 private:
  const RdmaCmApi& api_;
  const Hooks& hooks_;
};

}  // namespace

void ServeVirtualTime(int connection, const LoadedObject& object, const Conversation& conversation,
                      const Profile& profile) {
  HooksBackend backend(object);
  VirtualLanes lanes(&backend, &conversation, &profile);
  while (const std::optional<Request> request = ReceiveRequest(connection)) {
    Answer answer{.number = request->number};
    if (request->asked == Asked::kStart)
      answer.yes = backend.Start(conversation, profile);
    else
      answer = lanes.Do(*request);
    if (!Send(connection, answer)) return;
  }
}

}  // namespace cm
