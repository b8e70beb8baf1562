// The ib_cm table as a passive judge of captures: whether the messages between two nodes follow
// rows of the table, whatever the node and the implementation.
//
// 1. Frames are given in the order of the capture. A packet that is not of a CM is counted and
//    skipped. A packet may occur twice: the network duplicated it, or it was captured on two
//    interfaces. It was sent once, and may arrive as often as it was captured. A packet with a
//    wrong CRC or checksum was not received: it is counted, and later messages of its sender are
//    judged as if it had been sent.
// 2. A message belongs to the exchange with its ids and addresses. For a message that belongs to
//    none the REQ was sent before the capture began; its exchange is judged from there on. In a
//    capture that is whole, that is a violation. A capture is whole when the options say so, or
//    when its first message is a REQ or SIDR_REQ and the options do not say that messages may be
//    missing.
// 3. The capture may have been taken at either end or in between: a captured message was sent
//    before, and arrives later or never. So each side is judged by what it may have received.
// 4. A REQ counts as the first transmission, unless messages may be missing. The REQ that opens a
//    capture counts as a retransmission if the reply proves it.
// 5. Without a given profile Linux is recognised and judged as such; see sender_fingerprint.h.
// 6. The sink receives an exchange when it cannot go on, at the latest in Finish; until then it is
//    in memory, and no longer. One that does not stand and had no message for 20 minutes has no
//    timer left, unless its ACK_TIMEOUT is above 28. Where one of its applications may still
//    answer, later messages between its nodes that belong to no exchange are taken for those of
//    exchanges from before the capture.
//
//   Judge judge({}, [](const Verdict& verdict) { ... });
//   for (...) judge.Take(number, nanoseconds, bytes, bytes.size(), mad::LinkType::kEthernet);
//   judge.Finish();
#ifndef MODEL_CAPTURE_JUDGE_H_
#define MODEL_CAPTURE_JUDGE_H_

#include <compare>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <list>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "model/capture/captured_message.h"
#include "model/capture/claims.h"
#include "model/capture/exchange.h"

namespace cm::wire {

// The verdict about an exchange, or about a frame that belongs to none.
struct Verdict {
  uint64_t number = 0;  // number of its first frame
  int64_t nanoseconds = 0;
  mad::Gid active{};
  mad::Gid passive{};
  uint32_t active_cid = 0;
  std::vector<uint32_t> passive_cids;
  std::string sequence;
  bool begins_before = false;  // its REQ was not seen
  std::optional<Violation> violation;
};

struct Totals {
  uint64_t frames = 0;
  uint64_t messages = 0;  // CM messages that were parsed
  uint64_t foreign = 0;   // other protocols, other management classes
  uint64_t unread = 0;    // SAP, SPR and ClassPortInfo, which have no rules
  uint64_t bad_icrc = 0;
  uint64_t bad_checksum = 0;
  uint64_t cut = 0;  // truncated by the capture
  uint64_t exchanges = 0;
  uint64_t begin_before = 0;
  uint64_t violations = 0;
};

class Judge {
 public:
  using Sink = std::function<void(const Verdict&)>;
  // Each message that can be read, before it is judged.
  using Listener = std::function<void(const CapturedMessage&)>;

  Judge(const JudgeOptions& manner, Sink sink, Listener listener = nullptr);

  void Take(uint64_t number, int64_t nanoseconds, std::span<const uint8_t> bytes,
            size_t original_length, mad::LinkType link);
  void Finish();

  const Totals& totals() const { return totals_; }
  size_t live() const { return live_.size(); }

 private:
  // A queue pair that is connected with one at `at`.
  struct QueuePair {
    mad::Gid at;
    uint64_t guid;
    uint32_t qpn;
    friend auto operator<=>(const QueuePair&, const QueuePair&) = default;
  };
  struct Live {
    Verdict verdict;
    Exchange exchange;
    std::vector<uint64_t> tids;               // TIDs of its requests, for lookup
    std::vector<QueuePair> queue_pairs = {};  // queue pairs that its ends accepted
    std::optional<Exchange> again = {};       // the same, if its first REQ is a retransmission
  };
  using Place = std::list<Live>::iterator;

  // An id, or a TID, of a node.
  struct Key {
    mad::Gid node;
    uint64_t number;
    friend auto operator<=>(const Key&, const Key&) = default;
  };
  struct End {
    Place live;
    bool active;
  };

  void TakeMessage(const CapturedMessage& sighting);
  void TakeUnreadable(const CapturedMessage& sighting, const Claim& claim);
  std::optional<Violation> OfOtherKind(const CapturedMessage& sighting);
  void TakeRequest(const CapturedMessage& sighting);
  void TakeAnswer(const CapturedMessage& sighting);
  bool TakesPart(const CapturedMessage& sighting, Place live, bool active);
  bool IsShownToBeRepeated(const CapturedMessage& sighting, Place live,
                           const Violation& violation) const;
  void BeginBefore(Place live);
  void Refuse(Place live, Violation violation);
  void RefuseAlone(const CapturedMessage& sighting, Violation violation);
  void Give(Place live, const CapturedMessage& sighting, bool active);
  std::optional<Violation> OfAll(const CapturedMessage& sighting, Place live);
  // Whether another connection has its queue pair. A kernel knows those of all its devices' peers,
  // and a capture does not tell which devices are of one kernel.
  bool IsStale(const Exchange& refused) const;
  static std::optional<QueuePair> AcceptedBy(const CapturedMessage& sighting,
                                             const Exchange& exchange);
  std::optional<Violation> TakesStale(const CapturedMessage& sighting, Place live);
  Place Open(const CapturedMessage& sighting, const mad::Gid& active, const mad::Gid& passive,
             uint32_t active_cid, bool begins_before);
  void Index(Place live, const mad::Gid& node, uint64_t number, bool active);
  void Unindex(Place live);
  std::optional<End> Find(const mad::Gid& node, uint32_t cid) const;
  std::optional<Place> OfTid(const CapturedMessage& sighting) const;
  void Forget(int64_t now);
  Place Close(Place live);

  JudgeOptions manner_;
  Sink sink_;
  Listener listener_;
  Totals totals_;
  std::optional<int64_t> begin_;
  std::list<Live> live_;  // in the order in which they began
  std::map<Key, End> ids_;
  std::map<Key, Place> tids_;
  std::multimap<QueuePair, End> queue_pairs_;  // with the end that accepted it
  Nodes nodes_;
  // Source and destination of messages that may be of exchanges that are not known: one was damaged
  // before, or an exchange was forgotten.
  std::set<std::pair<mad::Gid, mad::Gid>> unknown_;
  std::optional<bool> whole_;  // known after the first message
  uint64_t since_sweep_ = 0;
};

}  // namespace cm::wire

#endif  // MODEL_CAPTURE_JUDGE_H_
