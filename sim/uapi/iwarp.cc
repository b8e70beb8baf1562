// Over iWARP the provider moves a queue pair with the connection that names it; the program does
// not. source: linux 6.1 siw_cm.c siw_accept, siw_proc_mpareply; siw_qp.c siw_qp_nextstate_from_rts
#include "sim/iw_cm/iw_cm.h"
#include "sim/uapi/verbs_end.h"

namespace cm::sim::uapi {

// The connection of the id that names it; null for none.
const IwId* VerbsEnd::ConnectionOf(const OwnQp& own) const {
  const std::optional<uint32_t> id =
      device_file_->IdThatNames(own.device, verbs().at(own.qp).number);
  const CmIds& ids = world_->Kernel().cma->ids;
  if (!id || !ids.Live(CmIdIndex(*id))) return nullptr;
  const IwIndex iw = ids[CmIdIndex(*id)].iw;
  return iw.valid() ? &world_->iw().at(iw) : nullptr;
}

const VerbsEnd::OwnQp* VerbsEnd::PeerOf(const IwId& connection) const {
  for (const auto& [number, other] : qps_) {
    const IwId* const end = ConnectionOf(other);
    if (end != nullptr && end->stream == connection.stream && end->passive != connection.passive)
      return &other;
  }
  return nullptr;
}

void VerbsEnd::Join(const OwnQp& own, const OwnQp& peer) {
  if (verbs().at(own.qp).state != QpState::kInit) return;
  verbs().Connect(own.qp, {.peer = {.device = peer.device, .number = verbs().at(peer.qp).number}});
  static_cast<void>(verbs().Modify(own.qp, QpState::kRtr, true));
  static_cast<void>(verbs().Modify(own.qp, QpState::kRts, true));
}

// Nothing is sent before the passive side has accepted. TCP keeps what it sends from then on for
// the other side; here both sides reach RTS at the same instant.
void VerbsEnd::FollowConnections() {
  for (auto& [number, own] : qps_) {
    const IwId* const connection = ConnectionOf(own);
    const bool stands = connection != nullptr && connection->state == IwState::kEstablished;
    if (!stands && own.connected) {
      own.connected = false;
      static_cast<void>(verbs().Modify(own.qp, QpState::kErr));
    }
    const OwnQp* const peer = stands && !own.connected ? PeerOf(*connection) : nullptr;
    if (peer == nullptr) continue;
    own.connected = true;
    Join(own, *peer);
    Join(*peer, own);
  }
}

}  // namespace cm::sim::uapi
