// The messages of one connection, or of one datagram service (SIDR), between two nodes: from the
// REQ to the DREP.
//
// 1. The active side has one communication id. The passive side has one for each time that the REQ
//    was accepted as a new one, mostly one.
// 2. An exchange whose REQ was not seen began before the capture: its ids may be in any state, and
//    earlier messages are not required.
// 3. Take returns the first violation; after that the exchange is not judged any more.
#ifndef MODEL_CAPTURE_EXCHANGE_H_
#define MODEL_CAPTURE_EXCHANGE_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "model/capture/captured_message.h"
#include "model/capture/identifier.h"
#include "model/capture/relations.h"
#include "model/capture/sender_fingerprint.h"
#include "model/vocabulary/mad_kind.h"

namespace cm::wire {

// The strictness of the judge.
struct JudgeOptions {
  bool whole = false;    // the capture began before the first connection
  bool missing = false;  // the capture may lack messages that were sent
  bool strict = false;   // damaged packets count as well
  bool unsent = false;   // calls may have failed to send: a side lost an address, link or device
  ProfileSet profiles;   // possible profiles of all nodes, if known
};

class Exchange {
 public:
  // `from` and `to` are those of the active side.
  Exchange(const JudgeOptions& manner, const mad::Gid& from, const mad::Gid& to,
           uint32_t active_cid, bool begins_before, bool datagrams);

  // `active`: true when the sender is the active side.
  std::optional<Violation> Take(const CapturedMessage& sighting, bool active,
                                const SenderFingerprint& sender);
  // A message of that side was captured and cannot be parsed.
  void TakeUnreadable(bool active);

  const mad::Gid& from() const { return from_; }
  const mad::Gid& to() const { return to_; }
  uint32_t active_cid() const { return active_cid_; }
  bool begins_before() const { return begins_before_; }
  bool datagrams() const { return datagrams_; }
  bool is_disturbed() const { return disturbed_; }
  uint64_t requests() const { return requests_; }  // REQs or SIDR_REQs that arrived, or may have
  std::span<const Spoken> spoken() const { return spoken_; }
  // "REQ REP RTU DREQ*16 DREP"
  std::string Sequence() const;
  const std::vector<uint32_t>& PassiveCids() const { return passive_cids_; }
  // True when the id may be gone, so that its number is free.
  bool MayBeGone(bool active, uint32_t cid);
  // True when that side surely has an id that knows the other's queue pair, whatever was not
  // captured.
  bool IsConnected(bool active);
  // The queue pair that this message accepts: that of the REQ for a REP, that of the REP for an
  // RTU.
  const mad::Mad* AcceptedBy(const CapturedMessage& sighting) const;
  // True when both sides may remain in this state for ever without sending a message.
  bool Stands() const;
  // True when no application has anything left to answer: neither a request nor a DREQ.
  bool IsAnswered() const;
  bool Said(const mad::Mad& mad, bool active) const;
  // True when a message was sent that follows the answer to that REQ.
  bool IsPast(const mad::Mad& request) const;
  // True when the passive side has stopped retransmitting an unanswered REP.
  bool GaveUpItsReply(int64_t now) const;
  int64_t last() const { return last_; }

 private:
  struct Passive {
    uint32_t cid = 0;
    Identifier id;
    uint64_t replies = 0;        // REPs sent
    uint64_t reply_answers = 0;  // and answers to them
  };
  struct Run {
    MadKind what;
    uint64_t times;
  };

  Passive* PassiveOf(uint32_t cid);
  bool judged() const { return !missing_ && !disturbed_ && !begins_before_; }
  void Add(Passive passive);
  Spoken* Earlier(const CapturedMessage& sighting, bool active);
  std::optional<Violation> Differs(const CapturedMessage& sighting, bool active) const;
  std::optional<Violation> NewPassive(const CapturedMessage& sighting, uint32_t cid);
  std::optional<Violation> Sequenced(const CapturedMessage& sighting, bool active, bool again,
                                     const SenderFingerprint& sender);
  std::optional<Violation> NotPermitted(const CapturedMessage& sighting, const Saying& saying,
                                        Identifier& id) const;
  std::optional<Violation> Counted(const CapturedMessage& sighting, bool active, uint64_t times,
                                   const SenderFingerprint& sender);
  std::optional<Violation> Timed(const CapturedMessage& sighting, bool active, int64_t since,
                                 const SenderFingerprint& sender) const;
  bool IsTheSamePacket(const CapturedMessage& sighting, bool active, const Spoken& earlier,
                       const SenderFingerprint& sender);
  void TakeCopy(const CapturedMessage& sighting, bool active);
  void HeardBy(const CapturedMessage& sighting, bool active, bool copy);
  void Remember(const CapturedMessage& sighting, bool active, Spoken* earlier);

  bool missing_;  // see JudgeOptions
  bool unsent_;
  bool keeps_reply_;  // Identifier::MayKeepReply
  mad::Gid from_, to_;
  uint32_t active_cid_;
  bool begins_before_;
  bool datagrams_;
  bool disturbed_ = false;  // a message of it could not be parsed
  Identifier active_;
  std::vector<Passive> passives_;
  std::vector<uint32_t> passive_cids_;  // theirs, in the same order
  std::optional<uint32_t> partner_;     // the passive id that the active side accepted
  std::vector<Spoken> spoken_;
  std::vector<Run> runs_;
  uint64_t requests_ = 0;         // REQs, or SIDR_REQs
  uint64_t request_answers_ = 0;  // ids that accepted one, and REJs without an id
  uint64_t receipts_ = 0;         // MRAs for the REQ
  uint64_t dreqs_[2] = {};        // by the passive and the active side
  uint64_t dreps_[2] = {};
  int64_t last_ = 0;
};

}  // namespace cm::wire

#endif  // MODEL_CAPTURE_EXCHANGE_H_
