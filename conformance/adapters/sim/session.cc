#include "conformance/adapters/sim/session.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <utility>
#include <vector>

#include "conformance/adapters/sim/coins.h"
#include "conformance/adapters/sim/sim_names.h"
#include "conformance/adapters/sim/tester.h"
#include "conformance/adapters/sim/wire_record.h"
#include "model/base/check.h"
#include "model/base/choice.h"
#include "model/vocabulary/call_names.h"
#include "sim/codec/wire.h"
#include "sim/world/world.h"

namespace cm::sim {
namespace {

class Carried : public SimSession, public Driver, public Environment {
 public:
  Carried(const Conversation& conversation, SessionOptions options)
      : conversation_(conversation),
        options_(std::move(options)),
        profile_(options_.profile),
        world_(conversation.topology, profile_, CoinsOf(conversation)),
        names_(conversation.names),
        numbers_(conversation.names.ids.size()),
        before_(world_.InUse()) {
    if (options_.watch_wire) world_.WatchWire();
    if (conversation.order.empty()) return;
    std::vector<Decision> decisions;
    for (const uint64_t first : conversation.order) decisions.push_back({.taken = first});
    written_order_.emplace(std::move(decisions));
  }

  Driver& driver() override { return *this; }
  Environment& environment() override { return *this; }

  // Driver
  seen::Answered Submit(Lane lane, const Call& call) override {
    if (NamesWhatIsGone(lane.side, call)) return {.reply = Reply::Crashed()};
    NoteNumbers();
    return Finish(lane, call, Begin(lane, call));
  }

  // Every thread runs until it blocks, one after the other; then the blocked ones wait. In a drawn
  // sequence the order of threads is drawn; elsewhere it is the order of the lines.
  std::vector<seen::Answered> SubmitTogether(const std::vector<Submission>& all) override {
    std::vector<seen::Answered> answers(all.size());
    std::vector<size_t> ready(all.size());
    std::iota(ready.begin(), ready.end(), 0);
    std::vector<std::pair<size_t, Progress>> begun;
    while (!ready.empty()) {
      const size_t picked = conversation_.origin ? world_.PickThread(ready.size()) : 0;
      const auto next = ready.begin() + static_cast<ptrdiff_t>(picked);
      const Submission& one = all[*next];
      Progress progress = Begin(one.lane, one.call);
      if (progress.reply.kind == ReplyKind::kBlocked)
        begun.emplace_back(*next, progress);
      else
        answers[*next] = Finish(one.lane, one.call, progress);
      ready.erase(next);
    }
    for (const auto& [i, progress] : begun) answers[i] = Finish(all[i].lane, all[i].call, progress);
    return answers;
  }

  std::optional<seen::Released> Released(Lane lane) override {
    if (!world_.Waits(lane)) return std::nullopt;
    const Progress progress = world_.Continue(lane);
    if (progress.reply.kind == ReplyKind::kBlocked) return std::nullopt;
    const auto waiting = std::ranges::find_if(
        waiting_calls_, [lane](const WaitingCall& w) { return w.lane == lane; });
    CM_CHECK(waiting != waiting_calls_.end());
    const Call call = waiting->call;
    waiting_calls_.erase(waiting);
    seen::Released released{.reply = progress.reply, .output = progress.output};
    if (progress.reply.succeeded()) released.event = Learn(lane.side, call, progress.made);
    return released;
  }

  bool Readable(Lane lane, ChannelRef channel, Duration within) override {
    const uint32_t c = names_.Channel(channel);
    const Instant limit = Now() + within;
    for (;;) {
      if (sim::Readable(world_.Context(), world_.Prepared(lane.side), c)) return true;
      if (!world_.NextAt() || *world_.NextAt() > limit) break;
      world_.Step(Order());
    }
    world_.RunUntil(limit, Order());
    return false;
  }

  Instant Now() override { return world_.Now(); }

  // Environment
  seen::Done Pass(Duration span) override {
    world_.RunUntil(Now() + span, Order());
    return {};
  }

  seen::Done Settle() override {
    const Duration quiet = profile_->timing.quiet;
    while (world_.NextAt() && *world_.NextAt() <= Now() + quiet) world_.Step(Order());
    world_.RunUntil(Now() + quiet, Order());
    return {};
  }

  seen::Done Inject(const Fault& fault) override {
    world_.Inject(fault);
    std::erase_if(waiting_calls_, [&](const WaitingCall& w) { return !world_.Waits(w.lane); });
    return {};
  }

  seen::Done Heal() override {
    world_.Heal();
    return {};
  }

  seen::Done Send(uint8_t side, const TesterMad& said) override {
    NoteNumbers();
    world_.Send(side, said.to,
                MadFrom(said, side, numbers_, *conversation_.topology, profile_->limits));
    return {};
  }

  // SimSession
  void Deliver(uint8_t from_side, uint8_t to_side, const Mad& mad) override {
    world_.Send(from_side, to_side, mad);
  }

  // BranchingSession
  std::unique_ptr<BranchingSession> Copy() const override {
    auto copy = std::make_unique<Carried>(conversation_, options_);
    copy->Become(*this);
    return copy;
  }
  void Become(const BranchingSession& other) override {
    const auto& carried = dynamic_cast<const Carried&>(other);
    world_ = carried.world_;
    world_.ForgetWire();
    names_ = carried.names_;
    numbers_ = carried.numbers_;
    waiting_calls_ = carried.waiting_calls_;
    order_ = carried.order_;
    written_order_ = carried.written_order_;
  }
  uint64_t Fingerprint() const override { return world_.Fingerprint(); }
  uint64_t FingerprintOf(IdRef id) const override {
    const uint32_t known = names_.Id(id);
    return known == kNobody ? 0 : world_.FingerprintOf(names_.SideOf(id), known);
  }
  std::optional<Instant> NextAt() const override { return world_.NextAt(); }
  bool HasEvent(uint8_t side, ChannelRef channel) override {
    return sim::Readable(world_.Context(), world_.Prepared(side), names_.Channel(channel));
  }
  void OrderBy(Choice* order) override { order_ = order; }

  // Session
  std::vector<WireRecord> TakeWire() override {
    const bool framed = profile_->transport == Transport::kRoce && !options_.on_wire;
    if (framed && options_.watch_wire && !frames_) frames_.emplace(&*conversation_.topology);
    std::vector<WireRecord> wire;
    world_.VisitWire([&](const WireNote& note) {
      if (options_.on_wire) options_.on_wire(note);
      wire.push_back(RecordOf(note, *conversation_.topology));
      if (frames_) {
        const mad::FrameBytes frame = frames_->Captured(note);
        wire.back().frame.assign(frame.view().begin(), frame.view().end());
      }
    });
    return wire;
  }

  std::string Leaks() override {
    const Usage after = world_.InUse();
    if (after == before_) return {};
    return fmt::format(
        "in use at the end: {} kernel ids, {} IB CM ids, {} queue pairs, {} shared receive queues, "
        "{} memory regions, {} ids of the library, {} unacknowledged events, {} not given back",
        after.kernel_ids, after.ib_ids, after.queue_pairs, after.receive_queues, after.regions,
        after.library_ids, after.unacknowledged, after.handed_out);
  }

 private:
  struct WaitingCall {
    Lane lane;
    Call call;
  };

  Choice* Order() {
    if (order_ != nullptr) return order_;
    return written_order_ ? &*written_order_ : nullptr;
  }

  Progress Begin(Lane lane, const Call& call) {
    Progress progress = Make(lane.side, call);
    if (progress.reply.kind == ReplyKind::kBlocked) world_.Block(lane, progress.ongoing);
    return progress;
  }

  seen::Answered Finish(Lane lane, const Call& call, Progress progress) {
    if (progress.reply.kind == ReplyKind::kBlocked) {
      progress = RunUntilAnswered(lane);
      if (progress.reply.kind == ReplyKind::kBlocked) waiting_calls_.push_back({lane, call});
    }
    seen::Answered answered{.reply = progress.reply, .output = progress.output};
    if (progress.reply.succeeded()) answered.event = Learn(lane.side, call, progress.made);
    if (const auto* show = std::get_if<call::ShowEvent>(&call)) {
      const uint32_t event = world_.library(lane.side).ids[names_.Id(show->id)].event;
      if (event != kNobody) answered.event = EventOf(lane.side, event);
    }
    if (std::holds_alternative<call::Show>(call)) {
      answered.shown = Show(world_.Context(), world_.Prepared(lane.side),
                            names_.Id(std::get<call::Show>(call).id));
    }
    return answered;
  }

  // A tester may name ids that are gone by the time of its message.
  void NoteNumbers() {
    if (!HasTester(*conversation_.topology)) return;
    for (uint16_t i = 0; i < numbers_.size(); ++i) {
      const uint32_t id = names_.Id(IdRef{i});
      if (id == kNobody) continue;
      const CmNumbers now = world_.NumbersOf(names_.SideOf(IdRef{i}), id);
      if (now.cid != 0) numbers_[i] = now;
    }
  }

  // Where the real library would read freed memory.
  bool NamesWhatIsGone(uint8_t side, const Call& call) {
    bool gone = false;
    EachName(call, [&](const auto& ref, const FieldInfo& info) {
      if (info.use != NameUse::kMakes) gone |= IsGone(side, ref);
    });
    return gone;
  }
  bool IsGone(uint8_t /*side*/, EventRef event) const { return names_.Event(event) == kNobody; }
  bool IsGone(uint8_t /*side*/, ChannelRef channel) const {
    return names_.Channel(channel) == kNobody;
  }
  bool IsGone(uint8_t side, IdRef id) {
    const uint32_t known = names_.Id(id);
    const Library& library = world_.Prepared(side);
    if (known == kNobody || !library.ids.Live(known)) return true;
    const uint32_t channel = library.ids[known].channel;
    return channel != kNobody && !library.channels.Live(channel);
  }
  // No misuse of these is drawn.
  static bool IsGone(uint8_t /*side*/, HeldRef /*held*/) { return false; }
  static bool IsGone(uint8_t /*side*/, MrRef /*region*/) { return false; }

  bool WaitsForAcks(Lane lane) const {
    return std::ranges::any_of(world_.waiting(), [lane](const WaitingLane& waiting) {
      const Waiting what = waiting.ongoing.waiting;
      return waiting.lane == lane && (what == Waiting::kAcks || what == Waiting::kMigrationAcks ||
                                      what == Waiting::kGroupAcks);
    });
  }

  // A blocking call runs the world until it is answered, or nothing can answer it. One on a
  // synchronous id may need another thread's next call, and is left alone once the world is quiet.
  Progress RunUntilAnswered(Lane lane) {
    const bool completes = world_.Completes(lane);
    Instant limit = Now() + profile_->timing.Longest();
    for (;;) {
      const Progress progress = world_.Continue(lane);
      if (progress.reply.kind != ReplyKind::kBlocked) return progress;
      if (options_.acks_take_no_time && WaitsForAcks(lane)) return progress;
      if (completes) limit = Now() + profile_->timing.quiet;
      if (!world_.NextAt() || *world_.NextAt() > limit) return progress;
      world_.Step(Order());
    }
  }

  // The objects of the names in the call.
  Named NamedBy(const Call& call) const {
    Named named;
    EachName(call, [&](const auto& ref, const FieldInfo& info) {
      if (info.use != NameUse::kMakes) names_.PutInto(&named, ref);
      if constexpr (std::is_same_v<std::decay_t<decltype(ref)>, MrRef>)
        if (info.use == NameUse::kMakes) named.region_name = names_.NameOf(ref);
    });
    return named;
  }

  Progress Make(uint8_t side, const Call& call) {
    const Named named = NamedBy(call);
    return std::visit([&](const auto& one) { return world_.Do(side, one, named); }, call);
  }

  // Names the object that the call created; the event, if it is one.
  std::optional<CmEvent> Learn(uint8_t side, const Call& call, uint32_t made) {
    EachName(call, [&](const auto& ref, const FieldInfo& info) {
      if (info.use == NameUse::kFrees) names_.Forget(ref);
      if (info.use == NameUse::kMakes && !info.derived) names_.Set(ref, side, made);
    });
    const auto* get = std::get_if<call::GetCmEvent>(&call);
    if (get == nullptr) return std::nullopt;
    const FetchedEvent& fetched = world_.library(side).events[made];
    if (fetched.event.type == EventType::kConnectRequest)
      names_.Set(get->request, side, fetched.id);
    return EventOf(side, made);
  }

  CmEvent EventOf(uint8_t side, uint32_t number) const {
    const FetchedEvent& fetched = world_.library(side).events[number];
    CmEvent event = fetched.event;
    event.id = names_.NameOf(side, fetched.id);
    if (fetched.listen_id != kNobody) event.listen_id = names_.NameOf(side, fetched.listen_id);
    return event;
  }

  const Conversation& conversation_;
  SessionOptions options_;
  const Profile* profile_;
  World world_;
  SimNames names_;
  std::vector<CmNumbers> numbers_;  // by id: its numbers, for the tester
  Usage before_;
  std::optional<Wire> frames_;  // makes a frame of each message, from the first time they are taken
  std::vector<WaitingCall> waiting_calls_;
  Choice* order_ = nullptr;
  std::optional<ReplayChoice> written_order_;  // that of the conversation
};

}  // namespace

std::unique_ptr<SimSession> StartSession(const Conversation& conversation, SessionOptions options) {
  return std::make_unique<Carried>(conversation, std::move(options));
}

}  // namespace cm::sim
