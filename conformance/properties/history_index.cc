#include "conformance/properties/history_index.h"

#include <algorithm>
#include <cstdlib>

namespace cm {
namespace {

// The record from which on memory may be damaged, by a call on a destroyed object: no property
// holds after it. Past the end when there is none.
size_t EndOfSense(const History& history) {
  const auto misuse = std::ranges::find_if(
      history.records, [](const Record& record) { return record.misuse.has_value(); });
  return static_cast<size_t>(misuse - history.records.begin());
}

// A status of a SIDR_REP that refuses a service. The library sets errno to it.
// source: rdma-core 44 cma.c ucma_complete
bool IsSidrStatus(Errno error) {
  return static_cast<int32_t>(error) >= 1 && static_cast<int32_t>(error) <= 5;
}

}  // namespace

HistoryIndex::HistoryIndex(const History& history, const Profile& profile)
    : history_(history),
      profile_(profile),
      ids_(history.conversation.names.ids.size(), IndexedId{.end = history.records.size()}),
      channels_(history.conversation.names.channels.size()),
      faults_(history) {
  const size_t end = EndOfSense(history);
  for (size_t at = 0; at < end; ++at) Note(at, history.records[at]);
  for (const MadeCall& call : calls_)
    if (call.id().valid()) ids_[call.id().index].calls.push_back(&call);
  FindPairs();
}

void HistoryIndex::Note(size_t at, const Record& record) {
  const Line& line = history_.conversation.lines[record.line];
  if (const auto* injects = std::get_if<line::Injects>(&line)) {
    undisturbed_ = false;
    if (injects->fault.kind == FaultKind::kExit)
      NoteEnd(at, [&](const IndexedId& id) { return id.side == injects->fault.side; });
    if (injects->fault.kind == FaultKind::kCrash)
      NoteEnd(at, [&](const IndexedId& id) {
        return topology().KernelOf(id.side) == topology().KernelOf(injects->fault.side);
      });
    return;
  }
  if (const auto* sends = std::get_if<line::Sends>(&line)) {
    hand_made_.push_back({at, &sends->mad});
    return;
  }
  if (const auto* waits = std::get_if<line::Waits>(&line)) {
    const auto* waited = std::get_if<seen::Waited>(&record.seen);
    if (waited != nullptr && !waited->readable)
      silences_.push_back({at, record.end, waits->channel});
    return;
  }
  const auto* calls = std::get_if<line::Calls>(&line);
  if (calls == nullptr) return;
  if (const auto* answered = std::get_if<seen::Answered>(&record.seen)) {
    NoteAnswer(at, record, *calls, *answered);
  } else if (const auto* released = std::get_if<seen::Released>(&record.seen)) {
    for (MadeCall& call : calls_)
      if (call.call == &calls->call) call.released = at;
    const auto* get = std::get_if<call::GetCmEvent>(&calls->call);
    if (get != nullptr && released->event) NoteEvent(at, record.end, *get, *released->event);
    const CallKind kind = KindOf(calls->call);
    const bool makes = kind == CallKind::kGetRequest || kind == CallKind::kCreateEp;
    if (makes && released->reply.succeeded()) NoteSuccess(at, calls->lane, calls->call);
  }
}

// A call on a synchronous id returns with the event of the operation that it started. The other
// properties are about the start: it had begun where it waited, and where an event has reported its
// result.
Reply HistoryIndex::Started(const Call& call, const Reply& reply) const {
  if (!CompletesWithEvent(KindOf(call))) return reply;
  const IndexedId& id = ids_[IdOf(call).index];
  if (!id.exists || id.channel.valid()) return reply;
  const bool started = reply.kind == ReplyKind::kBlocked || HasMetEvent(call, reply);
  return started ? Reply::Returned() : reply;
}

// Whether the errno of a call on a synchronous id is that of an event. Over iWARP rdma_connect
// itself returns TCP's error; REJECTED of an application comes after it has waited.
// source: linux 6.1 siw_cm.c siw_connect
bool HistoryIndex::HasMetEvent(const Call& call, const Reply& reply) const {
  const Errno error = reply.error;
  const CallKind kind = KindOf(call);
  const IdRef id = IdOf(call);
  const bool by_tcp = OverIwarp() && kind == CallKind::kConnect;
  if (error == Errno::kConnRefused || error == Errno::kTimedOut) return !by_tcp;
  if (error == Errno::kPerm) return true;
  // An id that has connected may be synchronous only later: then rdma_disconnect meets the event.
  const bool of_service = kind == CallKind::kConnect || kind == CallKind::kDisconnect;
  if (of_service && !ids_[id.index].tcp && IsSidrStatus(error)) return true;
  return MayHaveWritten(id, error);
}

// Whether the application has written an event with the status to the id: it ends a call on a
// synchronous id. EINVAL counts as a refusal by the kernel all the same.
// source: rdma-core 65 cma.c rdma_write_cm_event, ucma_complete
bool HistoryIndex::MayHaveWritten(IdRef id, Errno error) const {
  if (error == Errno::kNone || error == Errno::kInval) return false;
  return std::ranges::any_of(calls_, [id, error](const MadeCall& call) {
    const auto* write = std::get_if<call::WriteCmEvent>(call.call);
    return write != nullptr && write->id == id && call.reply.succeeded() &&
           std::abs(int64_t{write->status}) == static_cast<int64_t>(error);
  });
}

void HistoryIndex::NoteAnswer(size_t at, const Record& record, const line::Calls& line,
                              const seen::Answered& answered) {
  if (answered.reply.kind == ReplyKind::kNotApplicable) return;
  if (answered.reply.kind == ReplyKind::kCrashed) undisturbed_ = false;
  calls_.push_back({.at = at,
                    .begin = record.begin,
                    .end = record.end,
                    .lane = line.lane,
                    .call = &line.call,
                    .reply = Started(line.call, answered.reply)});
  const bool blocked = answered.reply.kind == ReplyKind::kBlocked;
  if (const auto* get = std::get_if<call::GetCmEvent>(&line.call)) {
    if (answered.event) NoteEvent(at, record.end, *get, *answered.event);
    const bool nothing = blocked || answered.reply == Reply::Refused(Errno::kAgain);
    if (nothing) silences_.push_back({at, record.end, get->channel});
    return;
  }
  if (KindOf(line.call) == CallKind::kDestroyId || KindOf(line.call) == CallKind::kDestroyEp) {
    if (blocked || answered.reply.succeeded()) ids_[IdOf(line.call).index].end = at;
    return;
  }
  if (const auto* migrate = std::get_if<call::MigrateId>(&line.call))
    NoteMigration(at, *migrate, answered.reply);
  if (const auto* destroy = std::get_if<call::DestroyEventChannel>(&line.call))
    NoteEnd(at, [&](const IndexedId& id) { return id.channel == destroy->channel; });
  if (answered.reply.succeeded()) NoteSuccess(at, line.lane, line.call);
}

// The id has moved though the call still waits for acknowledgements.
void HistoryIndex::NoteMigration(size_t at, const call::MigrateId& call, const Reply& reply) {
  if (!reply.succeeded() && reply.kind != ReplyKind::kBlocked) return;
  IndexedId& id = ids_[call.id.index];
  id.left.emplace_back(at, id.channel);
  id.channel = call.channel;
}

void HistoryIndex::NoteSuccess(size_t at, Lane lane, const Call& call) {
  if (const auto* channel = std::get_if<call::CreateEventChannel>(&call)) {
    channels_[channel->channel.index] = {lane.side, channel->nonblocking};
  } else if (const auto* create = std::get_if<call::CreateId>(&call)) {
    IndexedId& id = ids_[create->id.index];
    id = {.exists = true,
          .tcp = create->space == PortSpace::kTcp,
          .side = lane.side,
          .channel = create->channel,
          .end = history_.records.size()};
  } else if (const auto* ep = std::get_if<call::CreateEp>(&call)) {
    ids_[ep->id.index] = {.exists = true,
                          .tcp = ep->space == PortSpace::kTcp,
                          .side = lane.side,
                          .end = history_.records.size()};
  } else if (const auto* get = std::get_if<call::GetRequest>(&call)) {
    ids_[get->request.index] = {.exists = true,
                                .tcp = ids_[get->id.index].tcp,
                                .side = lane.side,
                                .listener = get->id,
                                .end = history_.records.size()};
  } else if (const auto* ack = std::get_if<call::AckCmEvent>(&call)) {
    for (HeardEvent& heard : heard_)
      if (heard.name == ack->event && !heard.acked) heard.acked = at;
  }
}

void HistoryIndex::NoteEvent(size_t at, Instant time, const call::GetCmEvent& get,
                             const CmEvent& event) {
  heard_.push_back(
      {.at = at, .time = time, .channel = get.channel, .name = get.event, .event = event});
  if (event.type != EventType::kConnectRequest || event.id != get.request) return;
  ids_[get.request.index] = {.exists = true,
                             .tcp = !event.listen_id.valid() || ids_[event.listen_id.index].tcp,
                             .side = channels_[get.channel.index].side,
                             .channel = get.channel,
                             .listener = event.listen_id,
                             .end = history_.records.size()};
}

void HistoryIndex::NoteEnd(size_t at, const std::function<bool(const IndexedId&)>& which) {
  for (IndexedId& id : ids_)
    if (id.exists && which(id)) id.end = std::min(id.end, at);
}

// For an id without a queue pair of the library the application gives the number.
std::optional<uint32_t> HistoryIndex::NamedQp(const MadeCall& call) const {
  const auto& connect = std::get<call::Connect>(*call.call);
  if (!connect.param || connect.param->qp_num == 0 || OverIwarp()) return std::nullopt;
  for (const CallKind kind : {CallKind::kCreateQp, CallKind::kCreateQpEx, CallKind::kCreateEp})
    if (FirstSuccess(connect.id, kind) != nullptr) return std::nullopt;
  return connect.param->qp_num & 0xffffff;
}

// The id has resolved nothing that the listener is bound to.
bool HistoryIndex::AsksElsewhere(IdRef active, IdRef listener) const {
  const MadeCall* const bind = FirstSuccess(listener, CallKind::kBindAddr);
  const std::vector<const MadeCall*> resolutions = CallsOn(active, CallKind::kResolveAddr);
  if (bind == nullptr || resolutions.empty()) return false;
  const Address& bound = std::get<call::BindAddr>(*bind->call).address;
  return bound.port != 0 && std::ranges::none_of(resolutions, [&](const MadeCall* resolution) {
           const Address& wanted = std::get<call::ResolveAddr>(*resolution->call).destination;
           const bool known = bound.kind == AddressKind::kSide && wanted.kind == AddressKind::kSide;
           return wanted.port == bound.port && (!known || bound.SameHost(wanted));
         });
}

// Its request may be repeated, and be heard anew when the id that it has made is gone. Without a
// fault that comes of a rejection by what has asked, which an rdma_accept may be that fails.
// source: linux 6.1 cm.c cm_send_rej_locked
bool HistoryIndex::MayBeHeardAgain(IdRef active, size_t until) const {
  const auto may_reject = [&](const MadeCall* call) {
    const CallKind kind = KindOf(*call->call);
    const bool fails = kind == CallKind::kAccept && !call->reply.succeeded();
    return call->at < until && (kind == CallKind::kReject || kind == CallKind::kRejectEce || fails);
  };
  return !undisturbed_ || std::ranges::any_of(CallsOn(active), may_reject);
}

// A request belongs to the only earlier rdma_connect whose data it carries and that has no other
// request; it is unknown where several would fit, where a tester may have sent it, or where a
// request is retransmitted: its answer may be to either. Ids that a tester has written to are no
// pair: its messages may stand for those of the other end.
void HistoryIndex::FindPairs() {
  std::vector<bool> taken(id_count(), false);
  std::vector<IdRef> repeated;
  const uint8_t size = profile_.limits.request_data;
  for (const HeardEvent& heard : heard_) {
    if (heard.event.type != EventType::kConnectRequest || !heard.event.id.valid()) continue;
    std::vector<IdRef> candidates;
    std::vector<IdRef> earlier;
    bool again = false;  // by the number of the queue pair
    for (const MadeCall& call : calls_) {
      if (call.at > heard.at) break;
      const auto* connect = std::get_if<call::Connect>(call.call);
      if (connect == nullptr || !call.reply.succeeded()) continue;
      const PrivateData sent = connect->param ? connect->param->private_data : PrivateData();
      const PrivateData heard_of = OverIwarp() ? sent : sent.Resized(size);
      if (heard_of != heard.event.private_data) continue;
      const std::optional<uint32_t> named = NamedQp(call);
      if (named && *named != heard.event.qp_num) continue;
      if (AsksElsewhere(connect->id, heard.event.listen_id)) continue;
      (taken[connect->id.index] ? earlier : candidates).push_back(connect->id);
      again |= named && taken[connect->id.index];
    }
    const bool asked_by_hand = std::ranges::any_of(hand_made_, [&](const HandMade& made) {
      return made.at < heard.at && made.mad->kind == MadKind::kReq &&
             made.mad->data.Resized(size) == heard.event.private_data;
    });
    if (asked_by_hand) continue;
    const bool maybe_again = again || std::ranges::any_of(earlier, [&](IdRef asker) {
                               return MayBeHeardAgain(asker, heard.at);
                             });
    if (candidates.empty() || maybe_again)
      repeated.insert(repeated.end(), earlier.begin(), earlier.end());
    if (candidates.size() != 1 || maybe_again) continue;
    taken[candidates.front().index] = true;
    pairs_.push_back({candidates.front(), heard.event.id});
  }
  const auto by_hand = [&](IdRef id) {
    return std::ranges::any_of(hand_made_,
                               [id](const HandMade& made) { return made.mad->remote.of == id; });
  };
  std::erase_if(pairs_, [&](const Pair& pair) {
    return std::ranges::find(repeated, pair.active) != repeated.end() || by_hand(pair.active) ||
           by_hand(pair.passive);
  });
}

const std::vector<const MadeCall*>& HistoryIndex::CallsOn(IdRef id) const {
  static const std::vector<const MadeCall*> kNone;
  return id.valid() ? ids_[id.index].calls : kNone;
}

std::vector<const MadeCall*> HistoryIndex::CallsOn(IdRef id, CallKind kind) const {
  std::vector<const MadeCall*> found;
  for (const MadeCall* const call : CallsOn(id))
    if (call->kind() == kind) found.push_back(call);
  return found;
}

std::vector<const HeardEvent*> HistoryIndex::EventsOf(IdRef id) const {
  std::vector<const HeardEvent*> found;
  for (const HeardEvent& heard : heard_)
    if (heard.event.id == id) found.push_back(&heard);
  return found;
}

std::vector<const HeardEvent*> HistoryIndex::EventsOf(IdRef id, EventType type) const {
  std::vector<const HeardEvent*> found;
  for (const HeardEvent& heard : heard_)
    if (heard.event.id == id && heard.event.type == type) found.push_back(&heard);
  return found;
}

const MadeCall* HistoryIndex::FirstSuccess(IdRef id, CallKind kind) const {
  for (const MadeCall* const call : CallsOn(id))
    if (call->kind() == kind && call->reply.succeeded()) return call;
  return nullptr;
}

const HeardEvent* HistoryIndex::First(IdRef id, EventType type) const {
  for (const HeardEvent& heard : heard_)
    if (heard.event.id == id && heard.event.type == type) return &heard;
  return nullptr;
}

template <typename IsLater>
const Silence* HistoryIndex::FirstSilence(IdRef id, IsLater is_later) const {
  const IndexedId& own = ids_[id.index];
  if (own.WasSynchronous()) return nullptr;
  const auto found = std::ranges::find_if(silences_, [&](const Silence& silence) {
    return silence.channel == own.ChannelAt(silence.at) && is_later(silence) &&
           silence.at < own.end;
  });
  return found != silences_.end() ? &*found : nullptr;
}

const Silence* HistoryIndex::SilentAfter(IdRef id, size_t from) const {
  return FirstSilence(id, [from](const Silence& silence) { return silence.at > from; });
}

const Silence* HistoryIndex::SilentAfter(IdRef id, Instant from) const {
  return FirstSilence(id, [from](const Silence& silence) { return silence.time > from; });
}

bool HistoryIndex::Settled(size_t from, size_t until) const {
  const Instant since = history_.records[from].end;
  for (size_t at = from + 1; at < until && at < history_.records.size(); ++at) {
    const Record& record = history_.records[at];
    if (std::holds_alternative<line::Settles>(history_.conversation.lines[record.line]))
      return true;
    if (record.begin > since + profile_.timing.prompt) return true;
  }
  return until < history_.records.size() &&
         history_.records[until].begin > since + profile_.timing.prompt;
}

}  // namespace cm
