#include "sim/ib_cm/transmitter.h"

#include <utility>

namespace cm::sim {
namespace {

constexpr Duration kSendErrorLatency = Duration::Microseconds(20);

// A REP uses an agent of its own. source: linux 7.2 cm.c cm_alloc_priv_msg_rep
bool IsLimited(const IbContext& c, const IbId& id) {
  return c.profile->limits.max_outstanding > 0 && id.message_kind != MadKind::kRep;
}

}  // namespace

void Transmitter::Free(IbIndex ib) {
  Cancel(&ids_[ib]);
  ids_.Free(ib);
}

bool Transmitter::SourceLost(const IbContext& c, const IbId& id) {
  const bool moves = c.profile->transport != Transport::kInfiniband;
  return id.pathless || (moves && id.source_since != c.fabric->device(id.device).fail_overs);
}

uint32_t Transmitter::MessagesOf(uint8_t device) const {
  uint32_t messages = 0;
  for (const IbIndex ib : ids_.All())
    if (ids_[ib].outstanding && ids_[ib].device == device) ++messages;
  return messages;
}

Mad Transmitter::MessageOf(const IbId& id) const {
  return !id.message.valid() ? DreqFrom(id) : messages_[id.message].mad;
}

Mad& Transmitter::Store(IbId* id, const Mad& message) {
  Cancel(id);
  id->message = messages_.MakeAnyhow();
  return messages_[id->message].mad = message;
}

void Transmitter::Begin(const IbContext& c, IbIndex ib, MadKind kind) {
  IbId& id = ids_[ib];
  id.message_kind = kind;
  id.message_state = id.state;
  id.outstanding = true;
  id.interval = ids_.more(ib).base_interval;
  id.retries_left = id.max_retries;
  TransmitInTurn(c, ib);
}

void Transmitter::Cancel(IbId* id) {
  id->outstanding = false;
  id->mad_timer = Instant::Never();
  ports_.Leave(id, ids_.PlaceOf(*id));
  if (id->message.valid()) messages_.Free(std::exchange(id->message, MessageIndex()));
}

void Transmitter::Transmit(const IbContext& c, IbIndex ib) {
  IbId& id = ids_[ib];
  id.mad_timer = c.TimerAt(id.interval.span());
  const bool lost = SourceLost(c, id);
  if (lost) c.fabric->device(id.device).hears = Hears::kNever;
  const auto send = [&](const Mad& mad) { return Send(c, id, mad); };
  if (!lost && (!id.message.valid() ? send(DreqFrom(id)) : send(messages_[id.message].mad))) {
    // Its timer starts when it has been sent. source: observed 6.12-rxe 73-link_down_when_resolving
    if (c.fabric->Keeps(id.device, id.peer_device)) {
      id.mad_timer = Instant::Never();
      return;
    }
    c.agenda->At(id.mad_timer, EventKind::kMadTimer, ib.value());
  } else {
    id.mad_timer = c.agenda->Now() + kSendErrorLatency;
    c.agenda->At(id.mad_timer, EventKind::kSendFailed, ib.value());
  }
}

void Transmitter::TransmitInTurn(const IbContext& c, IbIndex ib) {
  IbId& id = ids_[ib];
  if (!IsLimited(c, id) || ports_.MayRepeat(id)) return Transmit(c, ib);
  id.mad_timer = Instant::Never();
  ports_.Enqueue(&id, ib);
  SendQueued(c);
}

void Transmitter::SendQueued(const IbContext& c) {
  const auto next = [&] { return ports_.TakeNext(c.profile->limits.max_outstanding); };
  for (IbIndex ib = next(); ib.valid(); ib = next()) {
    ids_[ib].queued = false;
    ids_[ib].counted = true;
    Transmit(c, ib);
  }
}

Errno Transmitter::SendDreq(const IbContext& c, IbIndex ib) {
  IbId& id = ids_[ib];
  if (id.state != IbState::kEstablished) return Errno::kInval;
  if (CannotSend(c, id)) {
    EnterTimewait(c, ib);
    return Errno::kInval;
  }
  id.state = IbState::kDreqSent;
  Cancel(&id);
  Begin(c, ib, MadKind::kDreq);
  return Errno::kNone;
}

void Transmitter::EnterTimewait(const IbContext& c, IbIndex ib) {
  IbId& id = ids_[ib];
  id.state = IbState::kTimewait;
  ids_.Unindex(&id);
  const Duration span = Timing::Exponent(id.av_timeout);
  id.timewait_timer = c.TimerAt(span);
  c.agenda->At(id.timewait_timer, EventKind::kTimewaitOver, ib.value());
}

void Transmitter::EndTimewait(const IbContext& c, IbId* id) {
  id->state = IbState::kIdle;
  c.user->OnIbEvent(id->user, IbEventKind::kTimewaitExit, nullptr);
}

void Transmitter::ResetToIdle(IbId* id) {
  id->state = IbState::kIdle;
  ids_.Unindex(id);
}

bool Transmitter::IsDue(const IbContext& c, IbIndex ib) const {
  return ids_.Live(ib) && ids_[ib].outstanding && ids_[ib].mad_timer == c.agenda->Now();
}

void Transmitter::OnMadTimer(const IbContext& c, IbIndex ib) {
  if (!IsDue(c, ib)) return;
  if (ids_[ib].retries_left == 0) return GiveUp(c, ib);
  --ids_[ib].retries_left;
  TransmitInTurn(c, ib);
}

void Transmitter::OnSendFailed(const IbContext& c, IbIndex ib) {
  if (IsDue(c, ib)) GiveUp(c, ib);
}

void Transmitter::GiveUp(const IbContext& c, IbIndex ib) {
  IbId& id = ids_[ib];
  Cancel(&id);
  if (id.dying) {
    const CmIdIndex user = id.user;
    Free(ib);
    c.user->OnIbGone(user);
  } else if (id.state == id.message_state) {  // else the id has moved on
    Exhausted(c, ib);
  }
  SendQueued(c);
}

void Transmitter::Exhausted(const IbContext& c, IbIndex ib) {
  IbId& id = ids_[ib];
  const CmIdIndex user = id.user;
  if (id.message_kind == MadKind::kDreq) {
    EnterTimewait(c, ib);
    return c.user->OnIbEvent(user, IbEventKind::kDreqError, nullptr);
  }
  ResetToIdle(&id);
  if (id.message_kind == MadKind::kReq)
    c.user->OnIbEvent(user, IbEventKind::kReqError, nullptr);
  else if (id.message_kind == MadKind::kRep)
    c.user->OnIbEvent(user, IbEventKind::kRepError, nullptr);
  else
    c.user->OnIbEvent(user, IbEventKind::kSidrReqError, nullptr);
}

}  // namespace cm::sim
