// The steps that walks share, of several lines each.
#ifndef CONFORMANCE_WALKS_CONVERSATION_BUILDER_H_
#define CONFORMANCE_WALKS_CONVERSATION_BUILDER_H_

#include <cstdint>
#include <initializer_list>
#include <utility>

#include "conformance/walks/line_writer.h"

namespace cm {

class ConversationBuilder : public LineWriter {
 public:
  using LineWriter::LineWriter;

  // Private data that differs from one request of a sequence to the next.
  PrivateData FreshData() const {
    return PrivateData::Counting(static_cast<uint8_t>(1 + calls_made() % 56));
  }

  IdRef Listens(uint8_t side, uint16_t port, int backlog = 8, bool v6 = false);
  IdRef Listens(uint8_t side) { return Listens(side, Port(0)); }
  // rdma_resolve_addr from an address of the id's side to one of the other side.
  void ResolvesPeer(IdRef id, uint16_t port, bool v6 = false);
  // Up to the resolved route; the events are fetched.
  IdRef Resolves(uint8_t side, uint16_t port, bool v6 = false);
  IdRef Resolves(uint8_t side) { return Resolves(side, Port(0)); }
  IdRef Connects(uint8_t side, uint16_t port, bool with_qp = true, bool v6 = false);
  IdRef Connects(uint8_t side) { return Connects(side, Port(0)); }
  // The queue pair of the id, created now, or a number of the application in its place.
  ConnParam QueuePairFor(IdRef id, bool made = true);
  // Parameters with a number of the application.
  ConnParam Numbered();
  // Fetches the next request and answers it.
  IdRef Accepts(uint8_t side, bool with_qp = true);
  // An established connection from `side` to the other one; {active, passive}.
  std::pair<IdRef, IdRef> Connection(uint8_t side, uint16_t port);
  std::pair<IdRef, IdRef> Connection(uint8_t side) { return Connection(side, Port(0)); }
  void Disconnects(IdRef id);
  void Destroys(IdRef id);
  // The active side connects the id, or disconnects; for some time both fetch their events, and
  // then the environment heals.
  void SpeaksAndHeals(IdRef active, bool connects);
  // Loses all further messages of one kind, or the first of them.
  void LosesOneOf(std::initializer_list<MadKind> messages);
  // The stop, counted from 0, at which a walk with some twenty stops removes a device; a larger
  // number where the environment cannot.
  uint64_t StopThatLosesADevice();
  // One event of each side's channel, `times` times.
  void FetchesAll(int times);
  void SettlesAndFetches(int times);
  void PassesAndFetches(Duration span, int times);
  // Loses the messages of the side.
  bool Drop(MadKinds messages, uint8_t side) {
    return Inject({.kind = FaultKind::kDrop, .side = side, .messages = messages});
  }
};

}  // namespace cm

#endif  // CONFORMANCE_WALKS_CONVERSATION_BUILDER_H_
