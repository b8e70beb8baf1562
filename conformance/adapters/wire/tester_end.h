// The tester's end of a wire: its messages as frames, and what frames say of the peer's ids.
//
// 1. Every conversation has communication ids and a GUID of its own, so that a peer that still
//    knows an earlier conversation does not take the two for one.
// 2. The name of an id of the peer, in a conversation, stands for the numbers that the peer gave in
//    its messages: for the tester's request that the name was given after, or in a request of its
//    own that was waited for.
#ifndef CONFORMANCE_ADAPTERS_WIRE_TESTER_END_H_
#define CONFORMANCE_ADAPTERS_WIRE_TESTER_END_H_

#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "conformance/adapters/wire/door.h"
#include "conformance/adapters/wire/neighbour.h"
#include "model/capture/captured_message.h"
#include "model/conversation/conversation.h"
#include "model/conversation/history.h"
#include "model/mad/frame.h"
#include "model/vocabulary/profile.h"
#include "sim/codec/wire.h"
#include "sim/world/world.h"

namespace cm::live {

inline constexpr uint16_t kService = 7471;  // where the listener of a conversation listens

// Who speaks with whom. `peer_side`: which side of a conversation the peer is.
struct Ends {
  Neighbour us;
  Neighbour peer;
  uint8_t peer_side = kPassiveSide;
};

// What makes a conversation another one than those before it.
struct Identity {
  uint32_t first_cid = 0;  // added to the tester's communication ids
  uint64_t guid = 0;
};

// A topology whose tester and peer have these addresses.
Topology TopologyOf(const Ends& ends);
uint8_t TesterSide(const Topology& topology);

// A message of the peer.
struct Heard {
  // Which connection it belongs to: the tester's communication id, as the conversation has it, or a
  // number of ours for an id of the peer that has asked.
  uint32_t about = 0;
  std::string text;  // "REJ reason=10 of=REQ unnamed"
};

class TesterEnd {
 public:
  // `conversation` and `profile` must outlive this object. `service`: the peer's port, in place of
  // kService of the conversation.
  TesterEnd(const Conversation& conversation, const Profile* profile, const Ends& ends,
            const Identity& identity, uint16_t service);
  TesterEnd(const TesterEnd&) = delete;
  TesterEnd& operator=(const TesterEnd&) = delete;

  Bytes FrameOf(const line::Sends& sends);
  // What a frame says, if it is a message of the peer for this conversation.
  std::optional<Heard> Hear(std::span<const uint8_t> bytes);
  // The name is that of the peer's id for the tester's last request.
  void Name(IdRef id) { names_[id] = last_request_; }
  // The peer's next request from an id that is not known is this one's.
  void Awaits(IdRef id) { awaited_.push_back(id); }
  // The call that asks for the last of them has failed.
  void AwaitsNot() { awaited_.pop_back(); }
  // The messages that end what the peer has accepted in this conversation.
  std::vector<Bytes> Farewells();

 private:
  Bytes Sealed(const sim::Mad& mad, uint8_t to, bool from_nowhere);
  bool IsForUs(const mad::Frame& frame) const;
  bool IsOfAnEarlierOne(const mad::Frame& frame, const wire::Cids& cids) const;
  uint32_t KeyOf(const mad::Frame& frame, const wire::Cids& cids);
  std::vector<sim::CmNumbers> Numbers() const;

  const Conversation& conversation_;
  const Profile* profile_;
  const Ends ends_;
  const Identity identity_;
  const uint16_t service_;
  const Topology topology_;
  const uint8_t side_;      // the tester's
  const mad::Gid nowhere_;  // addresses without a host
  const mad::Gid nowhere_v6_;
  sim::Wire wire_;
  std::map<IdRef, uint32_t> names_;            // as Heard::about
  std::map<uint32_t, sim::CmNumbers> theirs_;  // by the same: what the peer calls it
  std::map<uint32_t, uint32_t> asked_;  // by the peer's id: connections that it has asked for
  std::map<uint32_t, uint32_t> ours_;   // the tester's ids of those
  std::set<uint32_t> over_v6_;          // the peer's ids of those that it has asked for over IPv6
  std::deque<IdRef> awaited_;
  uint32_t last_request_ = 0;
};

}  // namespace cm::live

#endif  // CONFORMANCE_ADAPTERS_WIRE_TESTER_END_H_
