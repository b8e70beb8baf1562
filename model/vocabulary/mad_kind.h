// The messages of the connection managers: their kinds, names and attribute IDs.
//
// A message of such a kind has one type at each boundary: TesterMad in a line of a conversation,
// mad::Mad beside its bytes, sim::Mad in the simulated fabric, model::Flight for the judge of
// conversations, and wire::CapturedMessage for that of captures.
#ifndef MODEL_VOCABULARY_MAD_KIND_H_
#define MODEL_VOCABULARY_MAD_KIND_H_

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

#include "model/base/enumeration.h"

namespace cm {

// The numbers are permanent: they are in digests, and in messages of fault hooks.
enum class MadKind : uint8_t {
  kReq = 0,
  kMra = 1,
  kRej = 2,
  kRep = 3,
  kRtu = 4,
  kDreq = 5,
  kDrep = 6,
  kSidrReq = 7,
  kSidrRep = 8,
  kLap = 9,
  kApr = 10,
  kOther = 11,  // another message of the same class
  // Messages of iWARP, over TCP. source: linux 6.1 siw_cm.h struct mpa_rr
  kMpaRequest = 12,
  kMpaReply = 13,
  kMpaReject = 14,  // a rejecting reply
  kFin = 15,        // the end of the TCP connection, by either side
};

enum class MadClass : uint8_t { kConnection, kSidr, kPath, kOther, kMpa };

struct MadKindRow {
  MadKind kind;
  std::string_view name;
  MadClass of;
  uint16_t attribute_id = 0;  // 0: none of its own
};

// By value. The order is that of lists in messages and digests.
// source: linux 6.1 cm_msgs.h, ib_cm.h CM_REQ_ATTR_ID
inline constexpr auto kMadKinds =
    ByValue(std::to_array<MadKindRow>({
                {MadKind::kReq, "REQ", MadClass::kConnection, 0x0010},
                {MadKind::kMra, "MRA", MadClass::kConnection, 0x0011},
                {MadKind::kRej, "REJ", MadClass::kConnection, 0x0012},
                {MadKind::kRep, "REP", MadClass::kConnection, 0x0013},
                {MadKind::kRtu, "RTU", MadClass::kConnection, 0x0014},
                {MadKind::kDreq, "DREQ", MadClass::kConnection, 0x0015},
                {MadKind::kDrep, "DREP", MadClass::kConnection, 0x0016},
                {MadKind::kSidrReq, "SIDR_REQ", MadClass::kSidr, 0x0017},
                {MadKind::kSidrRep, "SIDR_REP", MadClass::kSidr, 0x0018},
                {MadKind::kLap, "LAP", MadClass::kPath, 0x0019},
                {MadKind::kApr, "APR", MadClass::kPath, 0x001a},
                {MadKind::kOther, "OTHER", MadClass::kOther},
                {MadKind::kMpaRequest, "MPA_REQ", MadClass::kMpa},
                {MadKind::kMpaReply, "MPA_REP", MadClass::kMpa},
                {MadKind::kMpaReject, "MPA_REJ", MadClass::kMpa},
                {MadKind::kFin, "FIN", MadClass::kMpa},
            }),
            &MadKindRow::kind);

constexpr const MadKindRow& RowOf(MadKind kind) { return kMadKinds[static_cast<size_t>(kind)]; }
// A management datagram, and no message over TCP.
constexpr bool IsMad(MadKind kind) { return RowOf(kind).of != MadClass::kMpa; }
constexpr bool IsOfConnection(MadKind kind) { return RowOf(kind).of == MadClass::kConnection; }

// The kind of a message of the CM's class; kOther for an attribute without a row.
constexpr MadKind KindOfAttribute(uint16_t attribute_id) {
  for (const MadKindRow& row : kMadKinds)
    if (row.attribute_id != 0 && row.attribute_id == attribute_id) return row.kind;
  return MadKind::kOther;
}

// The kinds for which `holds`, in the order of the table.
template <bool (*holds)(MadKind)>
consteval auto KindsThat() {
  constexpr size_t kCount = std::ranges::count_if(kMadKinds, holds, &MadKindRow::kind);
  std::array<MadKind, kCount> kinds{};
  size_t next = 0;
  for (const MadKindRow& row : kMadKinds)
    if (holds(row.kind)) kinds[next++] = row.kind;
  return kinds;
}
inline constexpr auto kMads = KindsThat<IsMad>();
inline constexpr auto kConnectionMads = KindsThat<IsOfConnection>();

// "REQ" and back.
constexpr std::string_view ToString(MadKind kind) { return RowOf(kind).name; }
// Names of all messages.
constexpr std::optional<MadKind> ParseMessageKind(std::string_view name) {
  for (const MadKindRow& row : kMadKinds)
    if (row.name == name) return row.kind;
  return std::nullopt;
}
// Names of the management datagrams, for faults and testers.
constexpr std::optional<MadKind> ParseMadKind(std::string_view name) {
  const std::optional<MadKind> kind = ParseMessageKind(name);
  return kind && IsMad(*kind) ? kind : std::nullopt;
}

// A set of management datagrams.
class MadKinds {
 public:
  constexpr MadKinds() = default;
  constexpr explicit MadKinds(MadKind kind)
      : bits_(static_cast<uint16_t>(1u << static_cast<int>(kind))) {}
  static constexpr MadKinds All() {
    MadKinds all;
    for (const MadKind kind : kMads) all = all | MadKinds(kind);
    return all;
  }
  constexpr bool Has(MadKind kind) const { return (bits_ >> static_cast<int>(kind)) & 1; }
  constexpr bool Meets(MadKinds other) const { return (bits_ & other.bits_) != 0; }
  friend constexpr MadKinds operator|(MadKinds a, MadKinds b) {
    a.bits_ |= b.bits_;
    return a;
  }
  friend constexpr auto operator<=>(MadKinds, MadKinds) = default;

 private:
  uint16_t bits_ = 0;
};

}  // namespace cm

#endif  // MODEL_VOCABULARY_MAD_KIND_H_
