// Writes the lines of a walk's conversation, which is complete before it is carried out.
#ifndef CONFORMANCE_WALKS_LINE_WRITER_H_
#define CONFORMANCE_WALKS_LINE_WRITER_H_

#include <cstdint>
#include <initializer_list>
#include <utility>
#include <variant>
#include <vector>

#include "conformance/walks/drawing.h"
#include "conformance/walks/generator_model.h"
#include "conformance/walks/owned_names.h"
#include "model/conversation/conversation.h"

namespace cm {

// The threads of a side.
enum class Thread : uint8_t {
  kMain = 1,
  kWaiting,       // makes calls that wait
  kSpare,         // is there while another waits
  kEpilogue = 9,  // no earlier call can have blocked it
};

constexpr Lane LaneOf(uint8_t side, Thread thread = Thread::kMain) {
  return {.side = side, .number = static_cast<uint8_t>(thread)};
}

// Each function adds one line; without the capability `races`, calls and faults are followed by a
// `settle`.
class LineWriter : public Drawing {
 public:
  LineWriter(const DrawOptions& options, Choice* choice);
  LineWriter(const LineWriter&) = delete;
  LineWriter& operator=(const LineWriter&) = delete;

  OwnedNames& names() { return names_; }
  const GeneratorModel& model() const { return model_; }
  int calls_made() const { return calls_; }

  void Call(Lane lane, const cm::Call& call);
  // On a thread of the side that owns the call's id, event, channel or list.
  void Call(Thread thread, const cm::Call& call);
  void Call(const cm::Call& call) { Call(Thread::kMain, call); }
  // One after the other.
  void Calls(std::initializer_list<cm::Call> calls);
  // The calls that `made` draws are made concurrently, each by a thread of its own side. A single
  // one is an ordinary call.
  template <typename Made>
  void Together(Made made) {
    const size_t first = conversation_.lines.size();
    together_ = true;
    made();
    together_ = false;
    for (size_t i = first + 1; i < conversation_.lines.size(); ++i)
      std::get<line::Calls>(conversation_.lines[i]).meanwhile = true;
    if (!Can(Capability::kRaces)) Settle();
  }

  ChannelRef NewChannel(uint8_t side, bool nonblocking);
  IdRef NewId(uint8_t side, ChannelRef channel, PortSpace space = PortSpace::kTcp);
  // The side's channel, created at its first use.
  ChannelRef ChannelOf(uint8_t side);
  // Fetches, and optionally acknowledges; the name for the new id of a request.
  IdRef Fetch(Lane lane, ChannelRef channel, bool acknowledge = true);
  // From the side's own channel, on its main lane.
  IdRef Fetch(uint8_t side) { return Fetch(LaneOf(side), ChannelOf(side)); }
  // The next event of the channel, for which the side waits at most a second.
  IdRef Await(uint8_t side, ChannelRef channel, bool acknowledge = true);
  IdRef Await(uint8_t side) { return Await(side, ChannelOf(side)); }
  // rdma_get_request; the name for the new id.
  IdRef GetsRequest(Lane lane, IdRef listener);

  void Wait(Lane lane, ChannelRef channel, Duration within);
  void Pass(Duration span);
  void Settle();
  // False, and no line, when the environment cannot inject it.
  bool Inject(const Fault& fault);
  bool Inject(FaultKind kind, uint8_t side) { return Inject({.kind = kind, .side = side}); }
  void Heal();

  // The fixed end of every sequence: heal, acknowledge everything, disconnect, destroy, look for
  // leaks. Returns the conversation; nothing can be written afterwards.
  Conversation Finish();

 private:
  cm::Call PerhapsExtended(const cm::Call& call);

  Conversation conversation_;
  OwnedNames names_;
  GeneratorModel model_;
  std::vector<ChannelRef> main_channel_;  // by side
  bool together_ = false;
  int calls_ = 0;
};

}  // namespace cm

#endif  // CONFORMANCE_WALKS_LINE_WRITER_H_
