#include "conformance/adapters/sim/wire_record.h"

#include <cstdint>

#include "model/vocabulary/mad_kind.h"

namespace cm::sim {
namespace {

uint8_t SideOf(uint8_t device, const Topology& topology) {
  for (uint8_t side = 0; side < topology.sides.size(); ++side)
    if (topology.sides[side].device == device) return side;
  return 0;
}

}  // namespace

WireRecord RecordOf(const WireNote& note, const Topology& topology) {
  return {.at = note.at,
          .side = SideOf(note.from, topology),
          .kind = note.mad.kind,
          .reason = note.mad.reason,
          .about = note.mad.about,
          .unnamed = IsMad(note.mad.kind) && note.mad.local_cid == 0,
          .info_length = LengthOf(note.mad.info),
          .service_timeout = note.mad.service_timeout,
          .status = note.mad.status,
          .attribute = note.mad.attribute,
          .mad_status = note.mad.mad_status,
          .lost = note.lost,
          .corrupt = note.corrupt,
          .private_data = note.mad.data,
          .doubled = note.doubled};
}

}  // namespace cm::sim
