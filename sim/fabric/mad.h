// A communication management message on its way, as values; bytes are made of it elsewhere.
#ifndef SIM_FABRIC_MAD_H_
#define SIM_FABRIC_MAD_H_

#include <cstdint>

#include "model/vocabulary/address.h"
#include "model/vocabulary/ece.h"
#include "model/vocabulary/protocol.h"
#include "model/vocabulary/reply.h"
#include "sim/fabric/carried_data.h"

namespace cm::sim {

// The information field of a REJ, by what stands in it.
enum class RejInfo : uint8_t {
  kNothing,
  kGuid,     // of the sender's device, by which the receiver finds its id
  kPortGid,  // the first one of the port that the request came to
  kPathGid,  // the address that the request was for
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

  PortSpace space = PortSpace::kTcp;  // REQ: the service id is made of these two
  uint16_t port = 0;
  uint16_t p_key = kDefaultPkey;  // REQ
  bool unreliable = false;        // REQ: asks for a connection of type UC
  bool alternate_path = false;    // REQ: it names one
  bool mixed_gids = false;        // REQ: those of its path are of two families
  uint8_t cma_version = 0;        // REQ, SIDR_REQ: of the CMA header
  uint8_t sender = 0;             // the device that it comes from; REQ, REP, REJ tell its GUID
  uint32_t qp_num = 0;  // REQ, REP: the sender's; DREQ: the receiver's; SIDR_REP: the service's
  uint32_t qkey = 0;    // SIDR_REP
  SidrStatus status = SidrStatus::kSuccess;  // SIDR_REP
  uint8_t response_timeout = 0;              // REQ: how long the receiver waits for an answer
  uint8_t max_retries = 0;                   // REQ
  uint8_t ack_timeout = 0;                   // REQ, an exponent
  uint8_t ack_delay = 0;                     // REP, an exponent
  ConnFields conn;                           // REQ, REP: as the sender gave them
  EceOptions ece;                            // REQ, REP
  Address source;                            // REQ: the CMA header
  Address destination;
  CarriedData data;

  // Of a message that is none of the CM's, or not as the CM sends them.
  uint16_t attribute = 0;   // kOther
  uint16_t mad_status = 0;  // kOther
  uint8_t method = kSendMethod;
  uint8_t class_version = kCmClassVersion;
  uint8_t base_version = kMadBaseVersion;
  bool unresolvable = false;  // nobody answers for the address that it came from

  friend bool operator==(const Mad&, const Mad&) = default;
};

}  // namespace cm::sim

#endif  // SIM_FABRIC_MAD_H_
