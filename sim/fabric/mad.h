// A connection management message, as values; other code encodes it to bytes.
#ifndef SIM_FABRIC_MAD_H_
#define SIM_FABRIC_MAD_H_

#include <cstdint>

#include "model/vocabulary/address.h"
#include "model/vocabulary/ece.h"
#include "model/vocabulary/protocol.h"
#include "model/vocabulary/reply.h"
#include "sim/fabric/carried_data.h"

namespace cm::sim {

// The content of a REJ's information field.
enum class RejInfo : uint8_t {
  kNothing,
  kGuid,     // GUID of the sender's device, for the lookup of the receiver's id
  kPortGid,  // the first GID of the port that received the request
  kPathGid,  // the destination GID of the request
};
constexpr uint8_t LengthOf(RejInfo info) {
  if (info == RejInfo::kNothing) return 0;
  return info == RejInfo::kGuid ? 8 : 16;
}

struct Mad {
  MadKind kind = MadKind::kReq;
  uint32_t local_cid = 0;   // communication id of the sender; 0 when it has none
  uint32_t remote_cid = 0;  // and of the receiver, as far as the sender knows
  uint32_t tid = 0;         // the lower half of the transaction id

  About about = About::kReq;            // MRA, REJ
  RejReason reason = RejReason::kNone;  // REJ
  RejInfo info = RejInfo::kNothing;     // REJ
  uint8_t service_timeout = 0;          // MRA, an exponent

  PortSpace space = PortSpace::kTcp;  // REQ: port space and port make the service id
  uint16_t port = 0;
  uint16_t p_key = kDefaultPkey;  // REQ
  bool unreliable = false;        // REQ: asks for a connection of type UC
  bool extended = false;          // REQ: asks for one of XRC; REP: is of its target
  bool alternate_path = false;    // REQ: it has one
  bool mixed_gids = false;        // REQ: the GIDs of its path are of two families
  uint8_t cma_version = 0;        // REQ, SIDR_REQ: of the CMA header
  uint8_t sender = 0;             // the sending device; REQ, REP, REJ carry its GUID
  uint32_t qp_num = 0;  // REQ, REP: the sender's; DREQ: the receiver's; SIDR_REP: the service's
  uint32_t qkey = 0;    // SIDR_REP
  SidrStatus status = SidrStatus::kSuccess;  // SIDR_REP
  uint8_t response_timeout = 0;              // REQ: timeout of the receiver for an answer
  uint8_t max_retries = 0;                   // REQ
  uint8_t ack_timeout = 0;                   // REQ, an exponent
  uint8_t ack_delay = 0;                     // REP, an exponent
  ConnFields conn;                           // REQ, REP: as the sender has put them in
  EceOptions ece;                            // REQ, REP
  Address source;                            // REQ: the CMA header
  Address destination;
  CarriedData data;

  // For a message of another class, or of another form than the CM's.
  uint16_t attribute = 0;   // kOther
  uint16_t mad_status = 0;  // kOther
  uint8_t method = kSendMethod;
  uint8_t class_version = kCmClassVersion;
  uint8_t base_version = kMadBaseVersion;
  bool unresolvable = false;  // the source address cannot be resolved

  friend bool operator==(const Mad&, const Mad&) = default;
};

}  // namespace cm::sim

#endif  // SIM_FABRIC_MAD_H_
