#include "conformance/adapters/sim/sim_adapter.h"

#include <fmt/format.h>

#include <algorithm>

#include "model/base/check.h"
#include "sim/core/defects.h"
#include "sim/world/world.h"

namespace cm {
namespace {

using sim::kNobody;
using sim::Library;
using sim::Progress;
using sim::World;

// What the names of a conversation stand for in the simulated libraries.
class SimNames {
 public:
  explicit SimNames(const Names& names)
      : ids_(names.ids.size(), kNobody),
        channels_(names.channels.size(), kNobody),
        events_(names.events.size(), kNobody),
        id_names_(names.ids.size(), Place{}) {}

  uint32_t Id(IdRef ref) const { return ids_[ref.index]; }
  uint32_t Channel(ChannelRef ref) const { return channels_[ref.index]; }
  uint32_t Event(EventRef ref) const { return events_[ref.index]; }

  void SetId(IdRef ref, uint8_t side, uint32_t id) {
    for (size_t i = 0; i < ids_.size(); ++i)
      if (ids_[i] == id && id_names_[i].side == side) ids_[i] = kNobody;  // the place is used again
    ids_[ref.index] = id;
    id_names_[ref.index].side = side;
  }
  void SetChannel(ChannelRef ref, uint32_t channel) { channels_[ref.index] = channel; }
  void SetEvent(EventRef ref, uint32_t event) { events_[ref.index] = event; }

  // The name of a library's id; none when the conversation has no name for it.
  IdRef NameOf(uint8_t side, uint32_t id) const {
    for (uint16_t i = 0; i < ids_.size(); ++i)
      if (ids_[i] == id && id_names_[i].side == side) return IdRef{i};
    return {};
  }

 private:
  struct Place {
    uint8_t side = 0;
  };
  std::vector<uint32_t> ids_;
  std::vector<uint32_t> channels_;
  std::vector<uint32_t> events_;
  std::vector<Place> id_names_;
};

class SimSession : public Session, public Driver, public Environment {
 public:
  SimSession(const Conversation& conversation, const Profile* profile, sim::Defect defect,
             bool watch_wire)
      : conversation_(conversation),
        profile_(profile),
        world_(conversation.topology, profile, conversation.origin ? conversation.origin->seed : 0,
               defect),
        names_(conversation.names),
        before_(world_.InUse()) {
    if (watch_wire) world_.WatchWire();
  }

  Driver& driver() override { return *this; }
  Environment& environment() override { return *this; }

  // Driver
  seen::Answered Submit(Lane lane, const Call& call) override {
    Progress progress = Make(lane.side, call);
    if (progress.reply.kind == ReplyKind::kBlocked) {
      world_.Block(lane, progress.ongoing);
      progress = RunUntilAnswered(lane);
      if (progress.reply.kind == ReplyKind::kBlocked) waiting_calls_.push_back({lane, call});
    }
    seen::Answered answered{.reply = progress.reply};
    if (progress.reply.succeeded()) answered.event = Learn(lane.side, call, progress.made);
    if (std::holds_alternative<call::Show>(call)) {
      answered.shown = world_.Prepared(lane.side).Show(world_.Context(),
                                                       names_.Id(std::get<call::Show>(call).id));
    }
    return answered;
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
    seen::Released released{.reply = progress.reply};
    if (progress.reply.succeeded()) released.event = Learn(lane.side, call, progress.made);
    return released;
  }

  bool Readable(Lane lane, ChannelRef channel, Duration within) override {
    const uint32_t c = names_.Channel(channel);
    const Instant limit = Now() + within;
    for (;;) {
      if (world_.Prepared(lane.side).Readable(world_.Context(), c)) return true;
      if (!world_.NextAt() || *world_.NextAt() > limit) break;
      world_.Step();
    }
    world_.RunUntil(limit);
    return false;
  }

  Instant Now() override { return world_.Now(); }

  // Environment
  seen::Done Pass(Duration span) override {
    world_.RunUntil(Now() + span);
    return {};
  }

  seen::Done Settle() override {
    const Duration quiet = profile_->timing.quiet;
    while (world_.NextAt() && *world_.NextAt() <= Now() + quiet) world_.Step();
    world_.RunUntil(Now() + quiet);
    return {};
  }

  seen::Done Inject(const Fault& fault) override {
    world_.Inject(fault);
    if (fault.kind == FaultKind::kExit) {
      std::erase_if(waiting_calls_,
                    [&](const WaitingCall& w) { return w.lane.side == fault.side; });
    }
    return {};
  }

  seen::Done Heal() override {
    world_.Heal();
    return {};
  }

  // Session
  std::vector<WireRecord> TakeWire() override {
    std::vector<WireRecord> wire;
    for (sim::WireNote& note : world_.TakeWireNotes()) {
      wire.push_back({.at = note.at,
                      .side = SideOf(note.device),
                      .kind = note.kind,
                      .reason = note.reason,
                      .lost = note.lost,
                      .private_data = note.data});
    }
    return wire;
  }

  std::string Leaks() override {
    const sim::Usage after = world_.InUse();
    if (after == before_) return {};
    return fmt::format(
        "in use at the end: {} kernel ids, {} IB CM ids, {} queue pairs, {} ids of the library, {} "
        "unacknowledged events",
        after.kernel_ids, after.ib_ids, after.queue_pairs, after.library_ids, after.unacknowledged);
  }

 private:
  struct WaitingCall {
    Lane lane;
    Call call;
  };

  uint8_t SideOf(uint8_t device) const {
    for (uint8_t side = 0; side < conversation_.topology->sides.size(); ++side)
      if (conversation_.topology->sides[side].device == device) return side;
    return 0;
  }

  // A blocking call means: run the world until it is answered, or nothing can answer it.
  Progress RunUntilAnswered(Lane lane) {
    const Instant limit = Now() + profile_->timing.Longest();
    for (;;) {
      const Progress progress = world_.Continue(lane);
      if (progress.reply.kind != ReplyKind::kBlocked) return progress;
      if (!world_.NextAt() || *world_.NextAt() > limit) return progress;
      world_.Step();
    }
  }

  Progress Make(uint8_t side, const Call& call) {
    Library& library = world_.Prepared(side);
    const Library::Context c = world_.Context();
    return std::visit([&](const auto& one) { return MakeOne(library, c, one); }, call);
  }

  Progress MakeOne(Library& l, Library::Context c, const call::CreateEventChannel& x) {
    return l.CreateEventChannel(c, x.nonblocking);
  }
  Progress MakeOne(Library& l, Library::Context c, const call::DestroyEventChannel& x) {
    return l.DestroyEventChannel(c, names_.Channel(x.channel));
  }
  Progress MakeOne(Library& l, Library::Context c, const call::CreateId& x) {
    return l.CreateId(c, names_.Channel(x.channel), x.space);
  }
  Progress MakeOne(Library& l, Library::Context c, const call::DestroyId& x) {
    return l.DestroyId(c, names_.Id(x.id));
  }
  Progress MakeOne(Library& l, Library::Context c, const call::BindAddr& x) {
    return {.reply = l.BindAddr(c, names_.Id(x.id), x.address)};
  }
  Progress MakeOne(Library& l, Library::Context c, const call::Listen& x) {
    return {.reply = l.Listen(c, names_.Id(x.id), x.backlog)};
  }
  Progress MakeOne(Library& l, Library::Context c, const call::ResolveAddr& x) {
    return {.reply = l.ResolveAddr(c, names_.Id(x.id), x)};
  }
  Progress MakeOne(Library& l, Library::Context c, const call::ResolveRoute& x) {
    return {.reply = l.ResolveRoute(c, names_.Id(x.id), x.timeout_ms)};
  }
  Progress MakeOne(Library& l, Library::Context c, const call::CreateQp& x) {
    return {.reply = l.CreateQp(c, names_.Id(x.id))};
  }
  Progress MakeOne(Library& l, Library::Context c, const call::DestroyQp& x) {
    return {.reply = l.DestroyQp(c, names_.Id(x.id))};
  }
  Progress MakeOne(Library& l, Library::Context c, const call::Connect& x) {
    return {.reply = l.Connect(c, names_.Id(x.id), x.param)};
  }
  Progress MakeOne(Library& l, Library::Context c, const call::Accept& x) {
    return {.reply = l.Accept(c, names_.Id(x.id), x.param)};
  }
  Progress MakeOne(Library& l, Library::Context c, const call::Reject& x) {
    return {.reply = l.Reject(c, names_.Id(x.id), x.private_data)};
  }
  Progress MakeOne(Library& l, Library::Context c, const call::Establish& x) {
    return {.reply = l.Establish(c, names_.Id(x.id))};
  }
  Progress MakeOne(Library& l, Library::Context c, const call::Disconnect& x) {
    return {.reply = l.Disconnect(c, names_.Id(x.id))};
  }
  Progress MakeOne(Library& l, Library::Context c, const call::GetCmEvent& x) {
    return l.GetCmEvent(c, names_.Channel(x.channel));
  }
  Progress MakeOne(Library& l, Library::Context, const call::AckCmEvent& x) {
    return {.reply = l.AckCmEvent(names_.Event(x.event))};
  }
  Progress MakeOne(Library&, Library::Context, const call::Show&) { return {}; }

  // Gives the call's product its name; the event, if it is one.
  std::optional<CmEvent> Learn(uint8_t side, const Call& call, uint32_t made) {
    if (const auto* channel = std::get_if<call::CreateEventChannel>(&call)) {
      names_.SetChannel(channel->channel, made);
    } else if (const auto* id = std::get_if<call::CreateId>(&call)) {
      names_.SetId(id->id, side, made);
    } else if (const auto* get = std::get_if<call::GetCmEvent>(&call)) {
      names_.SetEvent(get->event, made);
      const sim::FetchedEvent& fetched = world_.library(side).fetched(made);
      if (fetched.event.type == EventType::kConnectRequest)
        names_.SetId(get->request, side, fetched.id);
      CmEvent event = fetched.event;
      event.id = names_.NameOf(side, fetched.id);
      if (fetched.listen_id != kNobody) event.listen_id = names_.NameOf(side, fetched.listen_id);
      return event;
    }
    return std::nullopt;
  }

  const Conversation& conversation_;
  const Profile* profile_;
  World world_;
  SimNames names_;
  sim::Usage before_;
  std::vector<WaitingCall> waiting_calls_;
};

class SimImplementation : public Implementation {
 public:
  SimImplementation(SimOptions options, sim::Defect defect)
      : options_(std::move(options)), defect_(defect) {}

  std::string name() const override {
    return options_.defect.empty() ? "sim" : "sim+defect(" + options_.defect + ")";
  }
  const Profile& profile() const override { return options_.profile; }
  Capabilities capabilities() const override { return options_.capabilities; }
  bool concurrent() const override { return true; }
  std::unique_ptr<Session> Start(const Conversation& conversation) override {
    return std::make_unique<SimSession>(conversation, &options_.profile, defect_,
                                        options_.watch_wire);
  }

 private:
  SimOptions options_;
  sim::Defect defect_;
};

}  // namespace

std::vector<std::pair<std::string_view, std::string_view>> SimDefects() {
  std::vector<std::pair<std::string_view, std::string_view>> all;
  for (const sim::DefectInfo& info : sim::Defects()) all.emplace_back(info.name, info.sentence);
  return all;
}

std::unique_ptr<Implementation> MakeSimImplementation(SimOptions options) {
  sim::Defect defect = sim::Defect::kNone;
  if (!options.defect.empty()) {
    const std::optional<sim::Defect> known = sim::ParseDefect(options.defect);
    if (!known) return nullptr;
    defect = *known;
  }
  return std::make_unique<SimImplementation>(std::move(options), defect);
}

}  // namespace cm
