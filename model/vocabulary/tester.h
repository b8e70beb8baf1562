// Messages of a tester: a faulty peer, whose messages are given field by field.
//
// Each field that is not given has the value that Linux fills in, so that only the unusual fields
// of a message are written.
#ifndef MODEL_VOCABULARY_TESTER_H_
#define MODEL_VOCABULARY_TESTER_H_

#include <cstdint>

#include "model/vocabulary/names.h"
#include "model/vocabulary/private_data.h"
#include "model/vocabulary/protocol.h"
#include "model/vocabulary/reply.h"

namespace cm {

// A communication id or a queue pair number: that of an id of the conversation, or a plain number.
// A plain number belongs to no id: neither the receiver's, nor, in the simulator, the sender's; 0
// is none.
struct TesterNumber {
  IdRef of;
  uint32_t plain = 0;
  friend constexpr bool operator==(const TesterNumber&, const TesterNumber&) = default;
};

// The number of its queue pair, unless a message has another one.
inline constexpr uint32_t kTesterQpNumber = 18;

struct TesterMad {
  MadKind kind = MadKind::kReq;
  uint8_t to = 0;  // the receiving side
  TesterNumber local{.of = {}, .plain = 1};
  TesterNumber remote;
  TesterNumber qp;  // REQ, REP, SIDR_REP: the tester's; DREQ, LAP: the receiver's

  PortSpace space = PortSpace::kTcp;  // REQ, SIDR_REQ: the service
  uint16_t port = 0;
  bool v6 = false;                // REQ, SIDR_REQ: by IPv6 addresses
  bool unreliable = false;        // REQ: for a connection of type UC
  bool alternate_path = false;    // REQ: has one
  bool mixed_gids = false;        // REQ: the GIDs of its path are of two families
  bool unresolvable = false;      // its source address cannot be resolved
  uint16_t p_key = kDefaultPkey;  // REQ
  uint8_t cma_version = 0;        // REQ, SIDR_REQ
  uint8_t response_timeout = 20;  // REQ: the receiver's timeout for an answer
  uint8_t max_retries = 15;       // REQ
  uint8_t ack_timeout = 19;       // REQ
  uint8_t ack_delay = 15;         // REP
  ConnFields conn{.responder_resources = 1,
                  .initiator_depth = 1,
                  .flow_control = 1,
                  .retry_count = 7,
                  .rnr_retry_count = 7};  // REQ, REP

  About about = About::kReq;                       // MRA, REJ
  uint8_t service_timeout = 24;                    // MRA
  RejReason reason = RejReason::kConsumerDefined;  // REJ
  SidrStatus status = SidrStatus::kSuccess;        // SIDR_REP
  uint32_t qkey = kDatagramQkey;                   // SIDR_REP
  PrivateData data;

  uint32_t tid = 0;        // 0: made from its communication id
  uint16_t attribute = 0;  // OTHER
  uint8_t method = kSendMethod;
  uint8_t class_version = kCmClassVersion;
  uint8_t base_version = kMadBaseVersion;

  friend bool operator==(const TesterMad&, const TesterMad&) = default;
};

// Its numbers besides those of connections, and then its flags, by their names in a conversation.
template <typename Mad, typename Visit>
void EachField(Mad& mad, Visit visit) {
  visit("port", mad.port);
  visit("p_key", mad.p_key);
  visit("cma_version", mad.cma_version);
  visit("response", mad.response_timeout);
  visit("retries", mad.max_retries);
  visit("ack_timeout", mad.ack_timeout);
  visit("ack_delay", mad.ack_delay);
  visit("responder_resources", mad.conn.responder_resources);
  visit("initiator_depth", mad.conn.initiator_depth);
  visit("flow_control", mad.conn.flow_control);
  visit("retry_count", mad.conn.retry_count);
  visit("rnr_retry_count", mad.conn.rnr_retry_count);
  visit("srq", mad.conn.srq);
  visit("timeout", mad.service_timeout);
  visit("reason", mad.reason);
  visit("status", mad.status);
  visit("qkey", mad.qkey);
  visit("tid", mad.tid);
  visit("attribute", mad.attribute);
  visit("method", mad.method);
  visit("class_version", mad.class_version);
  visit("base_version", mad.base_version);
  visit("v6", mad.v6);
  visit("uc", mad.unreliable);
  visit("alternate", mad.alternate_path);
  visit("mixed-gids", mad.mixed_gids);
  visit("unresolvable", mad.unresolvable);
}

}  // namespace cm

#endif  // MODEL_VOCABULARY_TESTER_H_
