// The messages of the IB CM as they are on the wire and while they are under way.
#ifndef MODEL_ORACLE_BELIEF_MESSAGE_KINDS_H_
#define MODEL_ORACLE_BELIEF_MESSAGE_KINDS_H_

#include <algorithm>
#include <array>
#include <utility>

#include "model/ib_cm/rules.h"
#include "model/vocabulary/protocol.h"

namespace cm::model {

// All other kinds under way are rejections.
inline constexpr auto kMessageKinds = std::to_array<std::pair<Sends, MadKind>>({
    {Sends::kReq, MadKind::kReq},
    {Sends::kMra, MadKind::kMra},
    {Sends::kRejOther, MadKind::kRej},
    {Sends::kRep, MadKind::kRep},
    {Sends::kRtu, MadKind::kRtu},
    {Sends::kDreq, MadKind::kDreq},
    {Sends::kDrep, MadKind::kDrep},
    {Sends::kSidrReq, MadKind::kSidrReq},
    {Sends::kSidrRep, MadKind::kSidrRep},
    {Sends::kSidrRefusal, MadKind::kSidrRep},
    {Sends::kLap, MadKind::kLap},
});

inline MadKind MadOf(Sends kind) {
  const auto found = std::ranges::find(kMessageKinds, kind, &std::pair<Sends, MadKind>::first);
  return found == kMessageKinds.end() ? MadKind::kRej : found->second;
}

}  // namespace cm::model

#endif  // MODEL_ORACLE_BELIEF_MESSAGE_KINDS_H_
