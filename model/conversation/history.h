// The history of a conversation: all observations of the applications, in order.
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

// A call: its reply, or that it is blocked or crashed or could not be made.
struct Answered {
  Reply reply;
  std::optional<CmEvent> event;  // of rdma_get_cm_event that returned 0; id->event of show-event
  std::optional<Shown> shown;    // of show
  std::optional<Output> output;  // besides the value
};
// A blocked call returned.
struct Released {
  Reply reply;
  std::optional<CmEvent> event;
  std::optional<Output> output;
};
// The descriptor became readable, or did not.
struct Waited {
  bool readable = false;
};
// Time passed, or the environment injected a fault; `note` is a tool's output, if it failed.
struct Done {
  bool ok = true;
  std::string note;
};

}  // namespace seen

using Observation = std::variant<seen::Answered, seen::Released, seen::Waited, seen::Done>;

// The event that was fetched, or shown; null for none.
inline const CmEvent* EventOf(const Observation& seen) {
  const std::optional<CmEvent>* event = nullptr;
  if (const auto* answered = std::get_if<seen::Answered>(&seen)) event = &answered->event;
  if (const auto* released = std::get_if<seen::Released>(&seen)) event = &released->event;
  return event != nullptr && *event ? &**event : nullptr;
}

struct Record {
  uint32_t line = 0;  // index into the conversation's lines; for Released, the blocked call's
  Instant begin;      // begin of the line
  Instant end;        // observed end
  Observation seen;
  // Decided once, when the record is made, by NameScope with the records so far.
  std::optional<NotMade> not_made = {};  // reason why the line was not carried out; empty: it was
  std::optional<Misuse> misuse = {};     // of a call: the destroyed object that it uses
};

// A message on the wire, for sessions that can see it: the simulator, and guests of the lab.
struct WireRecord {
  uint32_t record = 0;  // index of the record during which it was sent
  Instant at;
  uint8_t side = 0;  // the sender
  MadKind kind = MadKind::kReq;
  RejReason reason = RejReason::kNone;
  About about = About::kReq;                 // MRA, REJ
  bool unnamed = false;                      // it has no local communication id
  uint8_t info_length = 0;                   // REJ
  uint8_t service_timeout = 0;               // MRA
  SidrStatus status = SidrStatus::kSuccess;  // SIDR_REP
  uint16_t attribute = 0;                    // of a message that is not the CM's
  uint16_t mad_status = 0;
  bool lost = false;
  bool corrupt = false;  // dropped because of a wrong checksum
  PrivateData private_data;
  bool doubled = false;        // it arrives twice (tapped: perhaps)
  std::vector<uint8_t> frame;  // of Ethernet, as it is captured at its sender; empty: not recorded
  // Captured beside a real sender: of what is lost nothing is known, and it may have been sent
  // after the record of its call.
  bool tapped = false;
};

struct History {
  Conversation conversation;
  std::vector<Record> records;
  std::vector<WireRecord> wire;
  std::string implementation;
};

// The 64-bit digest of all observations: XXH64 over declared fields.
uint64_t DigestOf(const History& history, uint64_t sequence);
uint64_t WireDigestOf(const History& history, uint64_t sequence);

}  // namespace cm

#endif  // MODEL_CONVERSATION_HISTORY_H_
