// A generator's model of the effects of its own lines, so that it can draw lines that matter.
//
// Nominal: everything arrives immediately and nothing fails but for reasons that the walk can see.
// It is a guess; where it is wrong, lines turn out illegal or not applicable, which are drawn
// anyway.
#ifndef CONFORMANCE_WALKS_GENERATOR_MODEL_H_
#define CONFORMANCE_WALKS_GENERATOR_MODEL_H_

#include <cstdint>
#include <vector>

#include "model/vocabulary/call.h"
#include "model/vocabulary/fault.h"
#include "model/vocabulary/topology.h"

namespace cm {

// The assumed state of an id.
enum class Phase : uint8_t {
  kNone,  // not created, or destroyed
  kCreated,
  kBound,
  kListening,
  kAddrQuery,
  kAddrResolved,
  kRouteQuery,
  kRouteResolved,
  kRequesting,  // REQ sent
  kReplied,     // REP received
  kPending,     // an unanswered request
  kAccepted,    // REP sent
  kEstablished,
  kDisconnecting,  // DREQ sent
  kDisconnected,   // the other side has ended it
  kDead,           // rejected, unreachable, or over
  kRemoved,        // its device is gone
};

struct ExpectedId {
  Phase phase = Phase::kNone;
  uint8_t side = 0;
  ChannelRef channel;
  IdRef peer;
  bool device_known = false;
  bool has_qp = false;
  bool wildcard = false;
  bool ever = false;  // it was created at some time
  bool v6 = false;
  uint16_t port = 0;  // owned or requested
  int backlog = 0;
};

struct ExpectedEvent {
  EventType type = EventType::kAddrResolved;
  IdRef id;     // whose; of a request: the listener
  IdRef asker;  // of a request
};

class GeneratorModel {
 public:
  explicit GeneratorModel(const Names* names) : names_(names) {}

  void Calls(Lane lane, const Call& call);
  void Injects(const Fault& fault);
  void Heals();

  const ExpectedId& id(IdRef ref) const { return ids_[ref.index]; }
  size_t id_count() const { return ids_.size(); }
  // Events that are assumed to be on the channel.
  const std::vector<ExpectedEvent>& waiting(ChannelRef channel) const;
  // Events that were fetched and not acknowledged, with the id that they count for.
  const std::vector<std::pair<EventRef, IdRef>>& held() const { return held_; }
  bool AnythingInTheWay() const { return faults_ > 0; }
  bool DeviceGone(uint8_t side) const { return gone_[side]; }

 private:
  ExpectedId& At(IdRef ref);
  void Expect(ChannelRef channel, ExpectedEvent event);
  void CallsOn(IdRef id, const Call& call);
  void Negotiates(IdRef id, const Call& call);
  void Connects(IdRef id);
  void Establishes(IdRef active);
  void Fetches(Lane lane, const call::GetCmEvent& get);
  void Ends(IdRef id, bool destroyed);
  void Gone(IdRef id);

  const Names* names_;
  std::vector<ExpectedId> ids_;
  std::vector<std::vector<ExpectedEvent>> waiting_;  // by channel
  std::vector<std::pair<EventRef, IdRef>> held_;
  std::vector<bool> gone_ = std::vector<bool>(8, false);
  bool dropping_ = false;
  int faults_ = 0;
};

}  // namespace cm

#endif  // CONFORMANCE_WALKS_GENERATOR_MODEL_H_
