// What will be needed soon is fetched into the cache, where there are so many ids that it is hardly
// there. Nothing else comes of it: neither a state nor an order.
#include "sim/ib_cm/ib_cm.h"

namespace cm::sim {
namespace {

// In so many messages what is asked for comes: of those that are under way it is one of the last
// that have to arrive.
constexpr uint32_t kMessagesAhead = 5;

}  // namespace

void IbCm::Prefetch(uint32_t ib) const {
  ids_.Prefetch(ib);
  if (ib < more_.size()) FetchSoon(&more_[ib]);
}

void IbCm::Foresee(std::span<const Event> coming, std::span<const Event> near) const {
  for (const Event& event : coming)
    if (OnTimer(event)) ids_.Prefetch(event.on());
  for (const Event& event : near) {
    const uint32_t ib = event.on();
    if (event.kind() != EventKind::kTimewaitOver || !ids_.Live(ib)) continue;
    by_cid_.Prefetch(HashOfKey(ids_[ib].local_cid));
    ids_.PrefetchFree(ib);
  }
}

// First the entries by which the receiver will be found, then itself, then the entries by which its
// peer knows it: each needs what was fetched before.
void IbCm::ForeseeArrival(const Context& c, const IbId& id, const Mad& mad) {
  if (id.peer_device >= c.fabric->device_count()) return;
  if (mad.kind == MadKind::kReq || mad.kind == MadKind::kRep) {
    const uint8_t kernel = c.fabric->KernelOf(id.peer_device);
    by_remote_cid_.Prefetch(HashOf(kernel, id.device, mad.local_cid));
    by_remote_qpn_.Prefetch(HashOf(kernel, id.device, mad.qp_num));
  }
  by_cid_.Prefetch(HashOfKey(mad.remote_cid));
  const auto sent_before = [this](uint32_t messages) {
    return awaited_[(messages_sent_ - messages) % awaited_.size()];
  };
  const auto receiver = [this](const Awaited& message) {
    return by_cid_.Find(HashOfKey(message.cid), [](uint32_t) { return true; });
  };
  Prefetch(receiver(sent_before(kMessagesAhead)));
  if (const Awaited soon = sent_before(2 * kMessagesAhead); soon.ends) {
    const uint32_t ib = receiver(soon);
    if (ib != kNobody && ids_[ib].known_remotely) {
      const IbId& known = ids_[ib];
      by_remote_cid_.Prefetch(HashOf(known.kernel, known.peer_device, known.remote_cid));
      by_remote_qpn_.Prefetch(HashOf(known.kernel, known.peer_device, known.remote_qpn));
    }
  }
  const bool ends = mad.kind == MadKind::kDreq || mad.kind == MadKind::kDrep;
  awaited_[messages_sent_++ % awaited_.size()] = {.cid = mad.remote_cid, .ends = ends};
}

}  // namespace cm::sim
