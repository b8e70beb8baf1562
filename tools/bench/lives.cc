#include "tools/bench/lives.h"

#include "model/base/check.h"
#include "model/vocabulary/profile.h"
#include "model/vocabulary/topology.h"
#include "sim/core/agenda.h"
#include "sim/fabric/fabric.h"
#include "sim/ib_cm/ib_cm.h"
#include "tools/bench/life.h"
#include "tools/bench/wire_bytes.h"

namespace cm::bench {
namespace {

constexpr uint8_t kActiveDevice = 0;
constexpr uint8_t kPassiveDevice = 1;
// The kinds of the agenda are the simulator's; the IB CM does not use this one.
constexpr sim::EventKind kApplication = sim::EventKind::kAddressWork;

}  // namespace

Lives::Lives(int64_t connections, bool with_bytes)
    : fabric_(FindTopology("two-kernels"), FindProfile("6.1-rxe")),
      profile_(FindProfile("6.1-rxe")),
      request_data_(PrivateData().Resized(profile_->limits.request_data)),
      reply_data_(PrivateData().Resized(profile_->limits.reply_data)),
      with_bytes_(with_bytes),
      ends_(static_cast<size_t>(connections)) {
  for (uint32_t i = 0; i < ends_.size(); ++i)
    agenda_.At(Instant::FromNanoseconds(StayNs(&random_)), kApplication, i);
}

sim::IbCm::Context Lives::Context() { return {&agenda_, &fabric_, this, profile_}; }

void Lives::Foresee(std::span<const sim::Event> coming, std::span<const sim::Event> near) const {
  ib_.ids().PrefetchNearing(coming, near);
  for (const sim::Event& event : coming)
    if (event.kind() == kApplication) sim::FetchSoon(&ends_[event.on()]);
  for (const sim::Event& event : near) {
    if (event.kind() == kApplication)
      ib_.ids().Prefetch(ends_[event.on()].active);
    else if (event.kind() == sim::EventKind::kTimewaitOver &&
             ib_.ids().Live(sim::IbIndex(event.on())))
      sim::FetchSoon(&ends_[ib_.at(sim::IbIndex(event.on())).user.value() / 2]);
  }
}

void Lives::Happens(const sim::Event& event) {
  switch (event.kind()) {
    case sim::EventKind::kPacketArrives:
      Arrives(event.on());
      return;
    case sim::EventKind::kMadTimer:
      return ib_.OnMadTimer(Context(), sim::IbIndex(event.on()));
    case sim::EventKind::kTimewaitOver:
      return ib_.OnTimewaitOver(Context(), sim::IbIndex(event.on()));
    case kApplication:
      return Application(event.on());
    default:
      CM_CHECK(false) << "nothing else is asked for";
  }
}

void Lives::Arrives(uint32_t number) {
  const sim::Packet* const packet = fabric_.Arrive(agenda_.Now(), number);
  if (!packet || random_.Next() % kLossOneIn == 0) return;
  if (with_bytes_) CarryAsBytes(packet->mad);
  ib_.Receive(Context(), packet->to, packet->mad);
  if (!asked_) return;
  const Request asked = *asked_;
  asked_.reset();
  sim::Mad rep;
  rep.qp_num = 2 * asked.connection + 1;
  rep.data = reply_data_;
  CM_CHECK(ib_.SendRep(Context(), asked.ib, rep) == Errno::kNone);
}

// Time to connect, or to disconnect.
void Lives::Application(uint32_t connection) {
  if (ends_[connection].active.valid()) {
    CM_CHECK(ib_.SendDreq(Context(), ends_[connection].active) == Errno::kNone);
    return;
  }
  const sim::IbIndex ib = ends_[connection].active =
      ib_.Create(0, kActiveDevice, sim::CmIdIndex(2 * connection), 0);
  sim::Mad req;
  req.qp_num = 2 * connection;
  req.port = 7471;
  req.conn.retry_count = 7;
  req.data = request_data_;
  const auto lifetime = static_cast<uint8_t>(profile_->timing.packet_lifetime);
  CM_CHECK(ib_.SendReq(Context(), ib, kPassiveDevice, lifetime, req) == Errno::kNone);
}

bool Lives::Listens(uint8_t, const sim::Mad&) { return true; }

sim::RequestVerdict Lives::OnRequest(sim::IbIndex ib, uint8_t, const sim::Mad& req) {
  const uint32_t connection = req.qp_num / 2;
  // The one before it is still in timewait: its last message was lost.
  if (ends_[connection].passive.valid()) return sim::RequestVerdict::kDropped;
  ends_[connection].passive = ib;
  ib_.SetUser(ib, sim::CmIdIndex(2 * connection + 1));
  asked_ = Request{connection, ib};
  return sim::RequestVerdict::kTaken;
}

void Lives::OnIbEvent(sim::CmIdIndex user, sim::IbEventKind kind, const sim::Mad*) {
  const uint32_t connection = user.value() / 2;
  const bool active = user.value() % 2 == 0;
  sim::IbIndex& ib = active ? ends_[connection].active : ends_[connection].passive;
  switch (kind) {
    case sim::IbEventKind::kRepReceived:
      CM_CHECK(ib_.SendRtu(Context(), ib) == Errno::kNone);
      agenda_.In(Duration::Nanoseconds(StayNs(&random_)), kApplication, connection);
      return;
    case sim::IbEventKind::kDreqReceived:
      CM_CHECK(ib_.SendDrep(Context(), ib) == Errno::kNone);
      return;
    case sim::IbEventKind::kReqError:
    case sim::IbEventKind::kRepError:
    case sim::IbEventKind::kTimewaitExit:
      // The IB CM's last access to an id.
      CM_CHECK(ib_.Destroy(Context(), ib));
      ib = {};
      if (!active) return;
      ++cycles_;
      agenda_.At(agenda_.Now(), kApplication, connection);
      return;
    default:
      return;
  }
}

void Lives::OnIbGone(sim::CmIdIndex) {}

}  // namespace cm::bench
