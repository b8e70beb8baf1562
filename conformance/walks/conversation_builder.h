// Builds the conversation of a walk, which is complete before it is carried out.
#ifndef CONFORMANCE_WALKS_CONVERSATION_BUILDER_H_
#define CONFORMANCE_WALKS_CONVERSATION_BUILDER_H_

#include <cstdint>
#include <functional>
#include <initializer_list>
#include <span>
#include <string>
#include <vector>

#include "conformance/walks/generator_model.h"
#include "model/base/choice.h"
#include "model/conversation/conversation.h"
#include "model/vocabulary/profile.h"
#include "model/vocabulary/topology_ref.h"

namespace cm {

// One of the topologies of a campaign, and its weight.
struct TopologyShare {
  TopologyRef topology;
  int weight = 1;
};

// The parameters of a drawn conversation, which is a function of them and nothing else.
struct DrawOptions {
  TopologyRef topology;  // null: one of `topologies`
  std::vector<TopologyShare> topologies;
  Profile profile;
  Capabilities capabilities;
  uint64_t seed = 1;
  uint64_t index = 0;
  int calls = 20;
  std::string walk;  // empty: one of all, by weight
};

constexpr uint8_t OtherSide(uint8_t side) { return static_cast<uint8_t>(1 - side); }

constexpr Address Wildcard(uint16_t port, bool v6 = false) {
  return {.kind = AddressKind::kAny, .v6 = v6, .port = port};
}

// The threads of a side.
enum class Thread : uint8_t {
  kMain = 1,
  kWaiting,  // makes calls that wait
  kSpare,    // is there while another waits
};

// The place of the element that is drawn; each has its weight's share of the sum of all weights.
template <typename Range, typename Weight>
size_t DrawByWeight(Choice& choice, const Range& range, Weight weight, std::string_view what) {
  const auto of = [&](const auto& e) { return static_cast<uint64_t>(std::invoke(weight, e)); };
  uint64_t total = 0;
  for (const auto& element : range) total += of(element);
  uint64_t drawn = choice.Below(total, what);
  size_t at = 0;
  for (auto element = std::begin(range); drawn >= of(*element); ++element, ++at)
    drawn -= of(*element);
  return at;
}

// A step of the walk W, and its share among the others.
template <typename W, typename... Args>
struct Weighted {
  uint64_t weight;
  void (W::*act)(Args...);
};

class ConversationBuilder {
 public:
  ConversationBuilder(const DrawOptions& options, Choice* choice);

  Choice& choice() { return *choice_; }
  uint64_t Below(uint64_t bound, std::string_view what) { return choice_->Below(bound, what); }
  bool OneIn(uint64_t of, std::string_view what) { return choice_->OneIn(of, what); }
  // One of the values, each as often as it is listed.
  template <typename T>
  T OneOf(std::initializer_list<T> values, std::string_view what) {
    return values.begin()[Below(values.size(), what)];
  }
  // Executes one of the steps, with a probability of its weight over the sum of all weights.
  template <typename W, typename... Args>
  void DoOneOf(W* walk, std::string_view what, std::initializer_list<Weighted<W, Args...>> steps,
               Args... args) {
    const size_t at = DrawByWeight(*choice_, steps, &Weighted<W, Args...>::weight, what);
    (walk->*steps.begin()[at].act)(args...);
  }
  const Topology& topology() const { return *options_.topology; }
  const Profile& profile() const { return options_.profile; }
  bool Can(Capability c) const { return options_.capabilities.Has(c); }
  bool Can(const Fault& fault) const;
  int calls_wanted() const { return options_.calls; }
  int calls_made() const { return calls_; }
  const GeneratorModel& model() const { return model_; }
  const Conversation& conversation() const { return conversation_; }

  // One of eight ports of this sequence's own.
  uint16_t Port(int n) const {
    return static_cast<uint16_t>(20000 + 8 * (options_.index % 1500) + n % 8);
  }
  // A QP number that no other id of this sequence, or of one near it, gets.
  uint32_t FreshQpNumber();
  Address AddressOf(uint8_t side, uint16_t port, bool v6 = false) const {
    return {.kind = AddressKind::kSide, .side = side, .v6 = v6, .port = port};
  }
  // Private data that differs from one request of a sequence to the next.
  PrivateData FreshData() const {
    return PrivateData::Counting(static_cast<uint8_t>(1 + calls_ % 56));
  }

  // Adds lines, one each. Without the capability `races`, `Call` adds a `settle`.
  ChannelRef NewChannel(uint8_t side, bool nonblocking);
  IdRef NewId(uint8_t side, ChannelRef channel) { return NewIdIn(side, channel, PortSpace::kTcp); }
  IdRef NewIdIn(uint8_t side, ChannelRef channel, PortSpace space);
  // A name for the object that a call of the side will create.
  IdRef NewName(uint8_t side);
  HeldRef NewHeld(uint8_t side);
  MrRef NewRegion(uint8_t side);
  void Call(Lane lane, const cm::Call& call);
  // On the main lane of the side that owns the call's id, event, channel or list.
  void Call(const cm::Call& call);
  // The same on another thread of that side.
  void Call(Thread thread, const cm::Call& call);
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
  // Fetches, and optionally acknowledges; the name for the new id of a request.
  IdRef Fetch(Lane lane, ChannelRef channel, bool acknowledge = true);
  // From the side's own channel, on its main lane.
  IdRef Fetch(uint8_t side) { return Fetch(MainLane(side), ChannelOf(side)); }
  // The next event of the channel, for which the side waits at most a second.
  IdRef Await(uint8_t side, ChannelRef channel, bool acknowledge = true);
  IdRef Await(uint8_t side) { return Await(side, ChannelOf(side)); }
  // The event that was fetched last.
  EventRef LastEvent() const { return EventRef{static_cast<uint16_t>(event_side_.size() - 1)}; }
  // rdma_get_request; the name for the new id.
  IdRef GetsRequest(Lane lane, IdRef listener);
  void Wait(Lane lane, ChannelRef channel, Duration within);
  void Pass(Duration span);
  void Settle();
  // False, and no line, when the environment cannot inject it.
  bool Inject(const Fault& fault);
  bool Inject(FaultKind kind, uint8_t side) { return Inject({.kind = kind, .side = side}); }
  // Loses the messages of the side.
  bool Drop(MadKinds messages, uint8_t side) {
    return Inject({.kind = FaultKind::kDrop, .side = side, .messages = messages});
  }
  // In an environment that can, a packet fault may be one of the rarer kinds.
  Fault PerhapsRarer(Fault fault);
  void Heal();

  // Several lines.
  // The side's channel, created at its first use.
  ChannelRef ChannelOf(uint8_t side);
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
  uint8_t AnySide() { return static_cast<uint8_t>(Below(2, "which side")); }

  // The fixed end of every sequence: heal, acknowledge everything, disconnect, destroy, look for
  // leaks.
  void Epilogue();
  Conversation Take() { return std::move(conversation_); }

  static Lane MainLane(uint8_t side) { return {.side = side, .number = 1}; }
  // The thread of calls that wait.
  static Lane WaitingLane(uint8_t side) { return {.side = side, .number = 2}; }
  // A thread that is free when the main one waits.
  static Lane SpareLane(uint8_t side) { return {.side = side, .number = 3}; }

  uint8_t SideOf(IdRef id) const { return id_side_[id.index]; }

 private:
  uint8_t SideOf(const cm::Call& call) const;
  cm::Call PerhapsExtended(const cm::Call& call);
  std::string Fresh(std::string_view prefix, int* counter);

  DrawOptions options_;
  Choice* choice_;
  Conversation conversation_;
  GeneratorModel model_;
  std::vector<ChannelRef> main_channel_;  // by side
  std::vector<uint8_t> channel_side_;     // by channel
  std::vector<uint8_t> event_side_;       // by event
  std::vector<uint8_t> held_side_;        // by list or address info
  std::vector<uint8_t> region_side_;      // by region
  std::vector<IdRef> request_names_;      // by event
  std::vector<uint8_t> id_side_;          // by id
  bool together_ = false;
  int calls_ = 0;
  int ids_ = 0;
  int channels_ = 0;
  int events_ = 0;
  uint32_t qp_numbers_ = 0;
};

}  // namespace cm

#endif  // CONFORMANCE_WALKS_CONVERSATION_BUILDER_H_
