#include "sim/iw_cm/iw_cm.h"

#include <algorithm>
#include <utility>

namespace cm::sim {
namespace {

constexpr Duration kLatency = Duration::Microseconds(10);
constexpr Duration kWorkLatency = Duration::Microseconds(5);
constexpr Duration kRetransmission = Duration::Milliseconds(200);  // TCP_RTO_MIN

// The name in wire records.
MadKind NameOf(FrameKind kind) {
  switch (kind) {
    case FrameKind::kRequest:
      return MadKind::kMpaRequest;
    case FrameKind::kReply:
      return MadKind::kMpaReply;
    case FrameKind::kReject:
      return MadKind::kMpaReject;
    case FrameKind::kFin:
      break;
  }
  return MadKind::kFin;
}

}  // namespace

void IwCm::Send(const Context& c, IwIndex iw, Frame frame) {
  const IwId& own = ids_[iw];
  frame.live = true;
  frame.from_passive = own.passive;
  frame.stream = own.stream;
  frame.order = ++last_order_;
  frame.from_device = own.device;
  frame.to_device = own.peer_device;
  frame.arrives = c.agenda->Now() + kLatency;
  const Instant arrives = frame.arrives;
  c.fabric->NoteTcp(c.agenda->Now(), frame.from_device, frame.to_device, NameOf(frame.kind),
                    frame.data);
  c.agenda->At(arrives, EventKind::kFrameArrives, frames_.Add(std::move(frame)).value());
}

void IwCm::Schedule(const Context& c, IwIndex iw) {
  ids_[iw].work = c.agenda->Now() + kWorkLatency;
  c.agenda->At(ids_[iw].work, EventKind::kIwWork, iw.value());
}

void IwCm::Tell(const Context& c, IwIndex iw, IwEventKind kind, const Frame* frame) {
  const IwId& own = ids_[iw];
  if (!own.dying) c.user->OnIwEvent(own.user, kind, own.depths, frame);
}

void IwCm::FlushReports(const Context& c, IwIndex iw) {
  IwId& own = ids_[iw];
  own.work = Instant::Never();
  if (!std::exchange(own.says_closed, false)) return;
  own.state = IwState::kIdle;
  Tell(c, iw, IwEventKind::kClosed, nullptr);
}

void IwCm::Close(const Context& c, IwIndex iw) {
  ids_[iw].state = IwState::kClosing;
  ids_[iw].says_closed = true;
  Send(c, iw, {.kind = FrameKind::kFin});
  Schedule(c, iw);
}

IwIndex IwCm::Connect(const Context& c, CmIdIndex user, uint8_t device, uint8_t to,
                      const Frame& request) {
  IwId id;
  id.state = IwState::kConnSent;
  id.device = device;
  id.peer_device = to;
  id.stream = ++last_stream_;
  id.user = user;
  id.depths = request.depths;
  id.reply_timer = c.agenda->Now() + c.profile->timing.mpa_reply;
  const Instant gives_up = id.reply_timer;
  const IwIndex iw = ids_.Add(std::move(id));
  Frame frame = request;
  frame.kind = FrameKind::kRequest;
  Send(c, iw, std::move(frame));
  c.agenda->At(gives_up, EventKind::kReplyTimer, iw.value());
  return iw;
}

// The passive side may accept more incoming reads than requested, and initiates at most what was
// offered. source: linux 6.1 siw_cm.c siw_accept
Errno IwCm::Accept(const Context& c, IwIndex iw, bool qp_known, Depths offered,
                   const PrivateData& data) {
  IwId& own = ids_[iw];
  if (own.state != IwState::kConnRecv && own.state != IwState::kPeerGone) return Errno::kInval;
  if (!qp_known) return Errno::kInval;
  if (own.state == IwState::kPeerGone) {
    own.state = IwState::kIdle;
    return Errno::kConnReset;
  }
  own.depths = {.ird = std::max(offered.ird, own.depths.ird),
                .ord = std::min(offered.ord, own.depths.ord)};
  own.state = IwState::kEstablished;
  Frame reply{.kind = FrameKind::kReply};
  reply.depths = own.depths;
  reply.data = data;
  Send(c, iw, std::move(reply));
  Tell(c, iw, IwEventKind::kEstablished, nullptr);
  return Errno::kNone;
}

Errno IwCm::Reject(const Context& c, IwIndex iw, const PrivateData& data) {
  IwId& own = ids_[iw];
  if (own.state != IwState::kConnRecv && own.state != IwState::kPeerGone) return Errno::kInval;
  const bool gone = own.state == IwState::kPeerGone;
  own.state = IwState::kIdle;
  if (gone) return Errno::kConnReset;
  Frame reject{.kind = FrameKind::kReject};
  reject.data = data;
  Send(c, iw, std::move(reject));
  return Errno::kNone;
}

Errno IwCm::Disconnect(const Context& c, IwIndex iw) {
  if (ids_[iw].state == IwState::kConnSent) return Errno::kAgain;
  if (ids_[iw].state == IwState::kEstablished) Close(c, iw);
  return Errno::kNone;
}

void IwCm::QueuePairBreaks(const Context& c, IwIndex iw) {
  ids_[iw].qp_broken = true;
  if (ids_[iw].state == IwState::kEstablished) Close(c, iw);
}

bool IwCm::Destroy(const Context& c, IwIndex iw) {
  IwId& own = ids_[iw];
  if (own.state == IwState::kConnSent) {
    own.dying = true;
    return false;
  }
  if (own.state == IwState::kConnRecv) Send(c, iw, {.kind = FrameKind::kReject});
  if (own.state == IwState::kEstablished) Send(c, iw, {.kind = FrameKind::kFin});
  ids_.Free(iw);
  return true;
}

void IwCm::FinishDying(const Context& c, IwIndex iw) {
  if (!ids_[iw].dying) return;
  const CmIdIndex user = ids_[iw].user;
  if (ids_[iw].state == IwState::kEstablished) Send(c, iw, {.kind = FrameKind::kFin});
  ids_.Free(iw);
  c.user->OnIwGone(user);
}

// The id at the other end of the frame's stream; none when it is gone.
IwIndex IwCm::OtherEnd(const Frame& frame) const {
  for (const IwIndex iw : ids_.All())
    if (ids_[iw].stream == frame.stream && ids_[iw].passive != frame.from_passive) return iw;
  return {};
}

const Frame* IwCm::Before(const Frame& frame) const {
  const Frame* before = nullptr;
  for (const FrameIndex f : frames_.All()) {
    const Frame& other = frames_[f];
    const bool earlier = other.stream == frame.stream && other.order < frame.order &&
                         other.from_passive == frame.from_passive;
    if (earlier && (before == nullptr || before->order < other.order)) before = &other;
  }
  return before;
}

uint32_t IwCm::AheadOf(const Frame& frame) const {
  uint32_t ahead = 0;
  for (const Frame* f = Before(frame); f != nullptr; f = Before(*f)) ++ahead;
  return ahead;
}

void IwCm::Crash(uint8_t device) {
  for (const IwIndex iw : ids_.All())
    if (ids_[iw].device == device) ids_.Free(iw);
  for (const FrameIndex f : frames_.All())
    if (frames_[f].from_device == device || frames_[f].to_device == device) frames_.Free(f);
}

void IwCm::OnFrame(const Context& c, FrameIndex number) {
  if (!frames_.Live(number) || frames_[number].arrives != c.agenda->Now()) return;
  Frame& waiting = frames_[number];
  const Frame* const before = Before(waiting);
  if (before != nullptr || !c.fabric->CarriesTcp(waiting.from_device, waiting.to_device)) {
    waiting.arrives = before != nullptr ? before->arrives : c.agenda->Now() + kRetransmission;
    c.agenda->At(waiting.arrives, EventKind::kFrameArrives, number.value());
    return;
  }
  const Frame frame = waiting;
  frames_.Free(number);
  if (frame.kind == FrameKind::kRequest) return ReceiveRequest(c, frame);
  const IwIndex iw = OtherEnd(frame);
  if (!iw.valid()) return;
  if (frame.kind == FrameKind::kFin) return ReceiveFin(c, iw);
  ReceiveReply(c, iw, frame);
}

void IwCm::ReceiveRequest(const Context& c, const Frame& frame) {
  IwId id;
  id.state = IwState::kConnRecv;
  id.passive = true;
  id.device = frame.to_device;
  id.peer_device = frame.from_device;
  id.stream = frame.stream;
  // The initiator depth of one side limits the responder resources of the other.
  id.depths = {.ird = frame.depths.ord, .ord = frame.depths.ird};
  const IwIndex iw = ids_.Add(std::move(id));
  const IwVerdict verdict = c.user->OnMpaRequest(iw, frame);
  if (verdict == IwVerdict::kTaken) return;
  const bool rejected = verdict == IwVerdict::kRejected;
  Send(c, iw, {.kind = rejected ? FrameKind::kReject : FrameKind::kFin});
  ids_.Free(iw);
}

void IwCm::ReceiveReply(const Context& c, IwIndex iw, const Frame& frame) {
  IwId& own = ids_[iw];
  if (own.state != IwState::kConnSent) return;
  own.reply_timer = Instant::Never();
  own.depths = {};
  if (frame.kind == FrameKind::kReject) {
    own.state = IwState::kIdle;
    Tell(c, iw, IwEventKind::kRejected, &frame);
  } else if (own.qp_broken) {
    own.state = IwState::kIdle;
    Send(c, iw, {.kind = FrameKind::kFin});
    Tell(c, iw, IwEventKind::kFailed, &frame);
  } else {
    own.depths = {.ird = frame.depths.ord, .ord = frame.depths.ird};
    own.state = IwState::kEstablished;
    Tell(c, iw, IwEventKind::kReply, &frame);
  }
  FinishDying(c, iw);
}

void IwCm::ReceiveFin(const Context& c, IwIndex iw) {
  IwId& own = ids_[iw];
  switch (own.state) {
    case IwState::kConnSent:
      own.reply_timer = Instant::Never();
      own.state = IwState::kIdle;
      own.depths = {};
      Tell(c, iw, IwEventKind::kRejected, nullptr);
      FinishDying(c, iw);
      return;
    case IwState::kConnRecv:
      own.state = IwState::kPeerGone;
      return;
    case IwState::kEstablished:
      own.says_closed = true;
      FlushReports(c, iw);
      return;
    case IwState::kIdle:
    case IwState::kPeerGone:
    case IwState::kClosing:
      return;
  }
}

void IwCm::OnReplyTimer(const Context& c, IwIndex iw) {
  if (!ids_.Live(iw) || ids_[iw].reply_timer != c.agenda->Now()) return;
  IwId& own = ids_[iw];
  own.reply_timer = Instant::Never();
  own.state = IwState::kIdle;
  own.depths = {};
  Send(c, iw, {.kind = FrameKind::kFin});
  Tell(c, iw, IwEventKind::kTimedOut, nullptr);
  FinishDying(c, iw);
}

void IwCm::OnWork(const Context& c, IwIndex iw) {
  if (ids_.Live(iw) && ids_[iw].work == c.agenda->Now()) FlushReports(c, iw);
}

}  // namespace cm::sim
