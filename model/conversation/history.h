// What came of a conversation: everything that an application could observe, in order.
#ifndef MODEL_CONVERSATION_HISTORY_H_
#define MODEL_CONVERSATION_HISTORY_H_

#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "model/base/duration.h"
#include "model/conversation/conversation.h"
#include "model/vocabulary/misuse.h"
#include "model/vocabulary/not_made.h"
#include "model/vocabulary/reply.h"

namespace cm {

namespace seen {

// A call was made: how it answered, or that it is blocked or crashed or could not be made.
struct Answered {
  Reply reply;
  std::optional<CmEvent> event;     // of rdma_get_cm_event that returned 0; id->event of show-event
  std::optional<Shown> shown;       // of show
  std::optional<HandedOut> handed;  // of what hands something out besides its value
};
// A call that had blocked returned.
struct Released {
  Reply reply;
  std::optional<CmEvent> event;
  std::optional<HandedOut> handed;
};
// The descriptor became readable, or did not.
struct Waited {
  bool readable = false;
};
// Time passed, or the environment did as it was told; `note` is what a tool printed, if it failed.
struct Done {
  bool ok = true;
  std::string note;
};

}  // namespace seen

using Observation = std::variant<seen::Answered, seen::Released, seen::Waited, seen::Done>;

struct Record {
  uint32_t line = 0;  // index into the conversation's lines; for Released, of the call that blocked
  Instant begin;      // when the line was begun
  Instant end;        // when it was seen to be over
  Observation seen;
  // Decided once, when the record is made, by what NameScope has seen until then.
  std::optional<NotMade> not_made = {};  // why the line could not be carried out; empty: it could
  std::optional<Misuse> misuse = {};     // of a call: on what it was made that is gone
};

// A message on the wire, for those who can look.
struct WireRecord {
  uint32_t record = 0;  // index of the record during which it was seen
  Instant at;
  uint8_t side = 0;  // who sent it
  MadKind kind = MadKind::kReq;
  RejReason reason = RejReason::kNone;
  About about = About::kReq;                 // MRA, REJ
  bool unnamed = false;                      // its sender names no communication id of its own
  uint8_t info_length = 0;                   // REJ
  uint8_t service_timeout = 0;               // MRA
  SidrStatus status = SidrStatus::kSuccess;  // SIDR_REP
  uint16_t attribute = 0;                    // of what is no message of the CM
  uint16_t mad_status = 0;
  bool lost = false;
  bool corrupt = false;  // it is lost because its check sum is wrong
  PrivateData private_data;
};

struct History {
  Conversation conversation;
  std::vector<Record> records;
  std::vector<WireRecord> wire;  // simulator only
  std::string implementation;
};

// The 64-bit digest over everything observable; see contracts: XXH64 over declared fields.
uint64_t DigestOf(const History& history, uint64_t sequence);
uint64_t WireDigestOf(const History& history, uint64_t sequence);

}  // namespace cm

#endif  // MODEL_CONVERSATION_HISTORY_H_
