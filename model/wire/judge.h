// The ib_cm table as a passive judge of captures: whether what two nodes say to one another is what
// rows of the table say, from whatever node and implementation it comes.
//
// 1. Frames are given in the order of the capture. What is no packet of a CM is counted and
//    skipped. One packet may be there twice: the network doubled it, or it was captured on two
//    interfaces. It was sent once, and may arrive as often as it is seen. A packet with a wrong CRC
//    or checksum was not received: it is counted, and what its sender goes on to say is judged as
//    if that had been said.
// 2. A message belongs to the exchange whose ids and addresses it has. Of one that belongs to none
//    the REQ was sent before the capture began; its exchange is judged from there on. Where the
//    capture is whole, that is a violation. It is when somebody says so, or when its first message
//    is a REQ or SIDR_REQ and nobody says that messages may be missing.
// 3. The capture may have been taken at either end or between them: a message that is seen was sent
//    before, and arrives later or never. So each side is judged by what it may have received.
// 4. A REQ that is seen is taken for the first of its kind, unless messages may be missing. That
//    with which the capture begins is one that is said again when its answer shows it.
// 5. Where nobody says what the nodes are, Linux is recognised and judged as such; see family.h.
// 6. An exchange is given to the sink when it cannot go on, at the latest by Finish; until then it
//    is in memory, and no longer.
//
//   Judge judge({}, [](const Verdict& verdict) { ... });
//   for (...) judge.Take(number, nanoseconds, bytes, bytes.size(), mad::LinkType::kEthernet);
//   judge.Finish();
#ifndef MODEL_WIRE_JUDGE_H_
#define MODEL_WIRE_JUDGE_H_

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

#include "model/wire/claims.h"
#include "model/wire/exchange.h"
#include "model/wire/sighting.h"

namespace cm::wire {

// What came of an exchange; or of a frame that belongs to none.
struct Verdict {
  uint64_t number = 0;  // of its first frame
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
  uint64_t messages = 0;  // of the CM, and readable
  uint64_t foreign = 0;   // other protocols, other classes of management
  uint64_t unread = 0;    // SAP, SPR and ClassPortInfo, which nothing is known of
  uint64_t bad_icrc = 0;
  uint64_t bad_checksum = 0;
  uint64_t cut = 0;  // by whoever captured
  uint64_t exchanges = 0;
  uint64_t begin_before = 0;
  uint64_t violations = 0;
};

class Judge {
 public:
  using Sink = std::function<void(const Verdict&)>;

  Judge(const Manner& manner, Sink sink);

  void Take(uint64_t number, int64_t nanoseconds, std::span<const uint8_t> bytes,
            size_t original_length, mad::LinkType link);
  void Finish();

  const Totals& totals() const { return totals_; }
  size_t live() const { return live_.size(); }

 private:
  // A queue pair that one at `at` is connected with.
  struct QueuePair {
    mad::Gid at;
    uint64_t guid;
    uint32_t qpn;
    friend auto operator<=>(const QueuePair&, const QueuePair&) = default;
  };
  struct Live {
    Verdict verdict;
    Exchange exchange;
    std::vector<uint64_t> tids;               // those of its requests by which it is found
    std::vector<QueuePair> queue_pairs = {};  // that its ends accepted
    std::optional<Exchange> again = {};       // the same, had its first REQ been said before
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

  void TakeMessage(const Sighting& sighting);
  void TakeUnreadable(const Sighting& sighting, const Claim& claim);
  std::optional<Violation> OfOtherKind(const Sighting& sighting);
  void TakeRequest(const Sighting& sighting);
  void TakeAnswer(const Sighting& sighting);
  bool TakesPart(const Sighting& sighting, Place live, bool active);
  bool IsShownToBeRepeated(const Sighting& sighting, Place live, const Violation& violation) const;
  void BeginBefore(Place live);
  void Refuse(Place live, Violation violation);
  void RefuseAlone(const Sighting& sighting, Violation violation);
  void Give(Place live, const Sighting& sighting, bool active);
  std::optional<Violation> OfAll(const Sighting& sighting, Place live);
  bool IsStale(const Sighting& sighting, const Exchange& refused) const;
  static std::optional<QueuePair> AcceptedBy(const Sighting& sighting, const Exchange& exchange);
  std::optional<Violation> TakesStale(const Sighting& sighting, Place live);
  Place Open(const Sighting& sighting, const mad::Gid& active, const mad::Gid& passive,
             uint32_t active_cid, bool begins_before);
  void Index(Place live, const mad::Gid& node, uint64_t number, bool active);
  void Unindex(Place live);
  std::optional<End> Find(const mad::Gid& node, uint32_t cid) const;
  std::optional<Place> OfTid(const Sighting& sighting) const;
  void Forget(int64_t now);
  Place Close(Place live);

  Manner manner_;
  Sink sink_;
  Totals totals_;
  std::optional<int64_t> begin_;
  std::list<Live> live_;  // in the order in which they began
  std::map<Key, End> ids_;
  std::map<Key, Place> tids_;
  std::multimap<QueuePair, End> queue_pairs_;  // with the end that accepted it
  Nodes nodes_;
  std::set<std::pair<mad::Gid, mad::Gid>> unreadable_;  // from whom to whom one was damaged
  std::optional<bool> whole_;                           // once there is a message
  uint64_t since_sweep_ = 0;
};

}  // namespace cm::wire

#endif  // MODEL_WIRE_JUDGE_H_
