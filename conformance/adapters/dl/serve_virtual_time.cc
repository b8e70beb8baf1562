#include <cerrno>
#include <map>
#include <optional>
#include <string>

#include "conformance/adapters/dl/caller.h"
#include "conformance/adapters/dl/messages.h"
#include "conformance/adapters/dl/serve.h"
#include "conformance/driver/synchronous_ids.h"

namespace cm {
namespace {

// A call that has not returned, and where it will write.
struct Unreturned {
  Call call;
  Products products;
};

// Blocking calls and waiting are made of the hooks' small steps.
class VirtualTime {
 public:
  VirtualTime(const LoadedObject& object, const Conversation& conversation, const Profile& profile)
      : hooks_(*object.hooks),
        conversation_(conversation),
        profile_(profile),
        caller_(&object.api, &conversation) {}

  Answer Do(const Request& request) {
    Answer answer{.number = request.number, .lane = request.lane};
    hooks_.cmcheck_enter(request.lane.side, request.lane.number);
    switch (request.asked) {
      case Asked::kStart:
        answer.yes = Start();
        break;
      case Asked::kCall:
        answer.answered = Submit(request.lane, request.call);
        break;
      case Asked::kReleased:
        answer.answered = Continue(request.lane);
        break;
      case Asked::kReadable:
        answer.yes = Readable(request.channel, request.span);
        break;
      case Asked::kPass:
      case Asked::kQuiet:
        Advance(Now() + request.span);
        break;
      case Asked::kSettle:
        Settle();
        break;
      case Asked::kInject:
        answer.yes = Inject(request.fault);
        break;
      case Asked::kHeal:
        answer.yes = hooks_.cmcheck_heal() == 0;
        break;
      case Asked::kLeaks:
        answer.SetWords(hooks_.cmcheck_leaks());
        break;
    }
    answer.now = Now();
    return answer;
  }

 private:
  bool Start() {
    const uint64_t seed = conversation_.origin ? conversation_.origin->seed : 0;
    return hooks_.cmcheck_start(std::string(conversation_.topology->name).c_str(),
                                profile_.name.c_str(), seed) == 0;
  }

  Instant Now() const { return Instant::FromNanoseconds(hooks_.cmcheck_now()); }
  // Whether anything happens by itself until then.
  bool HappensUntil(Instant limit) const {
    const int64_t next = hooks_.cmcheck_next();
    return next >= 0 && Instant::FromNanoseconds(next) <= limit;
  }
  void Advance(Instant until) { hooks_.cmcheck_advance(until.nanoseconds()); }

  seen::Answered Submit(Lane lane, const Call& call) {
    // The library may keep pointers to the place of the products: it must not move.
    Unreturned& made = unreturned_[lane] = {.call = call, .products = {}};
    caller_.Make(made.call, &made.products);
    // `show` is no call of the library's.
    if (!IsFunction(KindOf(call)) || hooks_.cmcheck_blocked() == 0) return Returned(lane);
    const bool left_alone = synchronous_.WaitsForOthers(call);
    Instant limit = Now() + profile_.timing.Longest();
    for (;;) {
      seen::Answered answered = Continue(lane);
      if (left_alone) limit = Now() + profile_.timing.quiet;
      if (answered.reply.kind != ReplyKind::kBlocked || !HappensUntil(limit)) return answered;
      hooks_.cmcheck_step();
    }
  }

  seen::Answered Continue(Lane lane) {
    const auto at = unreturned_.find(lane);
    if (at == unreturned_.end()) return {.reply = Reply::Blocked()};
    Products& products = at->second.products;
    errno = 0;
    int value = 0;
    if (hooks_.cmcheck_continue(&value) == 0) return {.reply = Reply::Blocked()};
    products.value = value;
    products.error = errno;
    return Returned(lane);
  }

  seen::Answered Returned(Lane lane) {
    const auto at = unreturned_.find(lane);
    seen::Answered answered = caller_.Conclude(at->second.call, at->second.products);
    if (answered.reply.succeeded()) synchronous_.Made(at->second.call);
    unreturned_.erase(at);
    return answered;
  }

  bool Readable(ChannelRef channel, Duration within) {
    const Instant limit = Now() + within;
    for (;;) {
      if (hooks_.cmcheck_readable(caller_.ChannelOf(channel)) != 0) return true;
      if (!HappensUntil(limit)) break;
      hooks_.cmcheck_step();
    }
    Advance(limit);
    return false;
  }

  void Settle() {
    const Duration quiet = profile_.timing.quiet;
    while (HappensUntil(Now() + quiet)) hooks_.cmcheck_step();
    Advance(Now() + quiet);
  }

  bool Inject(const Fault& fault) {
    if (fault.kind == FaultKind::kExit)
      std::erase_if(unreturned_, [&](const auto& u) { return u.first.side == fault.side; });
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
    for (int i = 0; i < kMadKindCount; ++i)
      if (fault.messages.Has(static_cast<MadKind>(i))) line.messages |= 1u << i;
    return hooks_.cmcheck_fault(&line) == 0;
  }

  const Hooks& hooks_;
  const Conversation& conversation_;
  const Profile& profile_;
  Caller caller_;
  std::map<Lane, Unreturned> unreturned_;
  SynchronousIds synchronous_;
};

}  // namespace

void ServeVirtualTime(int connection, const LoadedObject& object, const Conversation& conversation,
                      const Profile& profile) {
  VirtualTime time(object, conversation, profile);
  while (const std::optional<Request> request = ReceiveRequest(connection))
    if (!Send(connection, time.Do(*request))) return;
}

}  // namespace cm
