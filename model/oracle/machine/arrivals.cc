#include "model/oracle/machine/arrivals.h"

#include <array>
#include <utility>

namespace cm::model {

uint8_t FindAnswering(const Possibility& p, IdRef origin) {
  for (uint8_t i = 0; i < p.ids.size(); ++i) {
    const IdState& id = p.ids[i];
    const bool known =
        id.ib != IbState::kIdle && id.ib != IbState::kTimewait && id.ib != IbState::kNone;
    if (id.origin == origin && known && !id.gone) return i;
  }
  return kNoId;
}

IbStimulus PlainStimulus(const Flight& flight) {
  static constexpr auto kPlain = std::to_array<std::pair<Sends, IbStimulus>>({
      {Sends::kMra, IbStimulus::kMra},
      {Sends::kRep, IbStimulus::kRep},
      {Sends::kRtu, IbStimulus::kRtu},
      {Sends::kDreq, IbStimulus::kDreq},
      {Sends::kDrep, IbStimulus::kDrep},
      {Sends::kSidrRep, IbStimulus::kSidrRep},
      {Sends::kSidrRefusal, IbStimulus::kSidrRefusal},
  });
  for (const auto& [kind, stimulus] : kPlain)
    if (kind == flight.kind) return stimulus;
  const bool stale = flight.reason == static_cast<uint16_t>(RejReason::kStaleConn);
  return stale ? IbStimulus::kRejStale : IbStimulus::kRej;
}

// source: linux 6.1 cm.c cm_acquire_id, cm_acquire_rejected_id, cm_acquire_mraed_id
bool Matches(const IdState& id, const Flight& flight) {
  if (flight.kind == Sends::kRejTimeout) return true;  // it was found by another key
  // It names the request that it answers, and there is one of the id.
  if (flight.kind == Sends::kSidrRep || flight.kind == Sends::kSidrRefusal) return true;
  const bool speaks_of_request =
      flight.kind == Sends::kRejReq || (flight.kind == Sends::kMra && flight.reason == 0);
  if (speaks_of_request) return !id.met;
  if (flight.kind == Sends::kRep && !id.met) return true;
  return id.met && id.peer == flight.from;
}

IbStimulus StimulusOf(const IdState& id, const Flight& flight) {
  if (flight.kind == Sends::kRep && id.met) return IbStimulus::kRepAgain;
  const IbStimulus on = PlainStimulus(flight);
  // Its connection has requested another path, or has taken it.
  const bool moved = id.ib == IbState::kEstablished && (id.pathless || id.lap_rcvd);
  const bool rejects = on == IbStimulus::kRej || on == IbStimulus::kRejStale;
  return moved && rejects ? IbStimulus::kRejMoved : on;
}

}  // namespace cm::model
