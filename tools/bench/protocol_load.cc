#include "tools/bench/protocol_load.h"

namespace cm {

using sim::EventKind;
using sim::IbEventKind;
using sim::Mad;

ProtocolLoad::ProtocolLoad(const Profile* profile, uint64_t lost_percent)
    : profile_(profile),
      lost_percent_(lost_percent),
      fabric_(FindTopology("two-kernels"), profile) {}

void ProtocolLoad::Connect() {
  const sim::IbIndex ib = ib_.Create(0, 0, {}, 0);
  ib_.SetUser(ib, sim::CmIdIndex(ib.value()));
  Mad req;
  req.qp_num = ++qp_number_ & 0xffffff;
  req.data = PrivateData::Counting(8).Resized(profile_->limits.request_data);
  const auto lifetime = static_cast<uint8_t>(profile_->timing.packet_lifetime);
  static_cast<void>(ib_.SendReq(Context(), ib, 1, lifetime, req));
}

void ProtocolLoad::Disconnect() {
  static_cast<void>(ib_.SendDreq(Context(), standing_.front()));
  standing_.pop_front();
}

bool ProtocolLoad::Step() {
  if (!agenda_.NextAt()) return false;
  const sim::Event event = agenda_.Take();
  ++events_;
  Note(static_cast<uint64_t>(event.at.nanoseconds()));
  Note(event.what);
  Happens(event);
  // A request can be accepted when the IB CM has processed it.
  while (!requests_.empty()) {
    const sim::IbIndex ib = requests_.back();
    requests_.pop_back();
    Mad rep;
    rep.qp_num = ++qp_number_ & 0xffffff;
    rep.data = PrivateData::Counting(8).Resized(profile_->limits.reply_data);
    static_cast<void>(ib_.SendRep(Context(), ib, rep));
  }
  for (; beginning_ > 0; --beginning_) Connect();
  return true;
}

void ProtocolLoad::RunUntil(Instant when) {
  while (agenda_.NextAt() && *agenda_.NextAt() <= when) Step();
  agenda_.AdvanceTo(when);
}

void ProtocolLoad::Happens(const sim::Event& event) {
  switch (event.kind()) {
    case EventKind::kPacketArrives: {
      const sim::Packet* const packet = fabric_.Arrive(agenda_.Now(), event.on());
      if (!packet) return;
      if (lost_percent_ > 0 && RandomChoice(&coins_).Below(100, "lost") < lost_percent_) return;
      return ib_.Receive(Context(), packet->to, packet->mad);
    }
    case EventKind::kMadTimer:
      return ib_.OnMadTimer(Context(), sim::IbIndex(event.on()));
    case EventKind::kTimewaitOver:
      return ib_.OnTimewaitOver(Context(), sim::IbIndex(event.on()));
    case EventKind::kSendFailed:
      return ib_.OnSendFailed(Context(), sim::IbIndex(event.on()));
    default:
      return;
  }
}

bool ProtocolLoad::Listens(uint8_t device, const Mad&) { return device == 1; }

sim::RequestVerdict ProtocolLoad::OnRequest(sim::IbIndex ib, uint8_t, const Mad&) {
  ib_.SetUser(ib, sim::CmIdIndex(ib.value()));
  requests_.push_back(ib);
  return sim::RequestVerdict::kTaken;
}

// An id is destroyed after its timewait, or when it can have no further event.
void ProtocolLoad::OnIbEvent(sim::CmIdIndex user, IbEventKind kind, const Mad*) {
  const sim::IbIndex ib(user.value());  // an id is its own user
  switch (kind) {
    case IbEventKind::kRepReceived:
      static_cast<void>(ib_.SendRtu(Context(), ib));
      if (ends_at_once_)
        static_cast<void>(ib_.SendDreq(Context(), ib));
      else
        standing_.push_back(ib);
      return;
    case IbEventKind::kDreqReceived:
      static_cast<void>(ib_.SendDrep(Context(), ib));
      return;
    case IbEventKind::kTimewaitExit:
      return Destroy(ib);
    case IbEventKind::kRejReceived:
      ++failed_;
      if (ib_.at(ib).state == sim::IbState::kIdle) Destroy(ib);
      return;
    case IbEventKind::kReqError:
    case IbEventKind::kRepError:
      ++failed_;
      return Destroy(ib);
    default:
      return;
  }
}

void ProtocolLoad::OnIbGone(sim::CmIdIndex) {}

void ProtocolLoad::Destroy(sim::IbIndex ib) {
  const bool active = ib_.at(ib).kernel == 0;
  ib_.Destroy(Context(), ib);
  ++gone_;
  if (begins_again_ && active) ++beginning_;
}

}  // namespace cm
