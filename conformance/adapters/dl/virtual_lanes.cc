#include "conformance/adapters/dl/virtual_lanes.h"

#include <optional>

namespace cm {

Answer VirtualLanes::Do(const Request& request) {
  Answer answer{.number = request.number, .lane = request.lane};
  backend_.Enter(request.lane);
  caller_.Use(&backend_.api());
  switch (request.asked) {
    case Asked::kStart:  // it has begun
      break;
    case Asked::kCall:
      answer.answered = Begin(request.lane, request.call);
      if (answer.answered.reply.kind == ReplyKind::kBlocked) answer.answered = Finish(request.lane);
      break;
    case Asked::kPick:
      answer.picked = static_cast<uint32_t>(backend_.Pick(request.choices));
      break;
    case Asked::kBegin:
      answer.answered = Begin(request.lane, request.call);
      break;
    case Asked::kFinish:
      answer.answered = Finish(request.lane);
      break;
    case Asked::kReleased:
      answer.answered = Continue(request.lane);
      break;
    case Asked::kReadable:
      answer.yes = Readable(request.channel, request.span);
      break;
    case Asked::kPass:
    case Asked::kQuiet:
      backend_.Advance(backend_.Now() + request.span);
      break;
    case Asked::kSettle:
      Settle();
      break;
    case Asked::kInject:
      answer.yes = Inject(request.fault);
      break;
    case Asked::kHeal:
      answer.yes = backend_.Heal();
      break;
    case Asked::kLeaks:
      answer.SetWords(backend_.Leaks());
      break;
  }
  answer.now = backend_.Now();
  return answer;
}

// True when an event is due until then.
bool VirtualLanes::HappensUntil(Instant limit) const {
  const std::optional<Instant> next = backend_.NextAt();
  return next && *next <= limit;
}

// Blocked when it has not returned by itself.
seen::Answered VirtualLanes::Begin(Lane lane, const Call& call) {
  // The library may keep pointers to the outputs: they must not move.
  Unreturned& made = unreturned_[lane] = {.call = call, .products = {}};
  const auto make = [this, &made] { caller_.Make(made.call, &made.products); };
  // `show` does not call the library.
  if (!IsFunction(KindOf(call))) {
    make();
    return Returned(lane);
  }
  return backend_.Make(KindOf(call), make) ? Returned(lane)
                                           : seen::Answered{.reply = Reply::Blocked()};
}

seen::Answered VirtualLanes::Finish(Lane lane) {
  const bool left_alone = synchronous_.WaitsForOthers(unreturned_.at(lane).call);
  Instant limit = backend_.Now() + profile_.timing.Longest();
  for (;;) {
    seen::Answered answered = Continue(lane);
    if (left_alone) limit = backend_.Now() + profile_.timing.quiet;
    if (answered.reply.kind != ReplyKind::kBlocked || !HappensUntil(limit)) return answered;
    backend_.Step();
    backend_.Enter(lane);
  }
}

seen::Answered VirtualLanes::Continue(Lane lane) {
  const auto at = unreturned_.find(lane);
  if (at == unreturned_.end() || !backend_.Continue(&at->second.products))
    return {.reply = Reply::Blocked()};
  return Returned(lane);
}

seen::Answered VirtualLanes::Returned(Lane lane) {
  const auto at = unreturned_.find(lane);
  seen::Answered answered = caller_.Conclude(at->second.call, at->second.products);
  if (answered.reply.succeeded()) synchronous_.Made(at->second.call);
  unreturned_.erase(at);
  return answered;
}

bool VirtualLanes::Readable(ChannelRef channel, Duration within) {
  const Instant limit = backend_.Now() + within;
  for (;;) {
    if (backend_.Readable(caller_.ChannelOf(channel))) return true;
    if (!HappensUntil(limit)) break;
    backend_.Step();
  }
  backend_.Advance(limit);
  return false;
}

void VirtualLanes::Settle() {
  const Duration quiet = profile_.timing.quiet;
  while (HappensUntil(backend_.Now() + quiet)) backend_.Step();
  backend_.Advance(backend_.Now() + quiet);
}

bool VirtualLanes::Inject(const Fault& fault) {
  const bool done = backend_.Inject(fault);
  if (fault.kind == FaultKind::kExit)
    std::erase_if(unreturned_, [&](const auto& u) { return u.first.side == fault.side; });
  return done;
}

}  // namespace cm
