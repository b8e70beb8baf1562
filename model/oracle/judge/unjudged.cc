#include "model/oracle/judge/unjudged.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "model/oracle/machine/guards.h"

namespace cm::model {
namespace {

bool Blocks(const Record& record) {
  const auto* answered = std::get_if<seen::Answered>(&record.seen);
  return answered != nullptr && answered->reply.kind == ReplyKind::kBlocked;
}

// It only looks at the channel: what is refused is what one id has for it.
bool Reads(const Line& line) {
  const auto* calls = std::get_if<line::Calls>(&line);
  return calls == nullptr || std::holds_alternative<call::GetCmEvent>(calls->call);
}

ChannelRef ChannelOf(const Line& line) {
  if (const auto* calls = std::get_if<line::Calls>(&line)) return cm::ChannelOf(calls->call);
  const auto* waits = std::get_if<line::Waits>(&line);
  return waits == nullptr ? ChannelRef{} : waits->channel;
}

// The key of a queue pair that the library has not created; see Learning::FromQpNumber.
uint64_t KeyNamedBy(const ConnParam& param) { return uint64_t{param.qp_num & 0xffffff} + 1; }

ConnParam ParamOrNone(const Call& call) {
  const std::optional<ConnParam>* param = ParamOf(call);
  return param != nullptr && *param ? **param : ConnParam{};
}

}  // namespace

bool Unjudged::EndContradicted() {
  bool any = false;
  for (const Components::Number number : components_.All()) {
    if (!components_.Peek(number).empty()) continue;
    components_.MarkOutOfScope(number);
    any = true;
  }
  return any;
}

void Unjudged::EndAllOn(ChannelRef channel) {
  for (const Components::Number number : components_.On(channel))
    components_.MarkOutOfScope(number);
  facts_.channel(channel).unjudged = true;
}

void Unjudged::EndAfter(const Record& record, const Line& line) {
  const bool contradicted = EndContradicted();
  const auto* calls = std::get_if<line::Calls>(&line);
  std::vector<IdRef> about;
  if (calls != nullptr) about.push_back(IdOf(calls->call));
  if (const CmEvent* event = EventOf(record.seen)) {
    about.push_back(event->id);
    about.push_back(event->listen_id);
  }
  std::erase_if(about, [](IdRef id) { return !id.valid(); });
  if (calls != nullptr)
    if (const auto* create = std::get_if<call::CreateId>(&calls->call))
      learning_.NewId(calls->lane, create->id, create->channel, create->space);
  for (const IdRef id : about) components_.MarkOutOfScope(id);
  const ChannelRef channel = ChannelOf(line);
  if (about.empty() && channel.valid() && !(contradicted && Reads(line))) EndAllOn(channel);
  if (calls != nullptr && Blocks(record))
    NoteWaiting(record, {.what = WaitingCall::For::kNothingJudged});
}

void Unjudged::NewRequest(IdRef listener, IdRef request) {
  if (!request.valid() || !listener.valid()) return;
  facts_.id(request) = facts_.id(listener);
  components_.MarkOutOfScope(request);
}

void Unjudged::TakesPort(IdRef id, const Address& address) {
  if (address.kind == AddressKind::kNone || address.port == 0) return;
  const IdInfo& info = facts_.id(id);
  facts_.ports.insert(facts_.ports.begin(), {.id = id,
                                             .kernel = info.kernel,
                                             .space = info.space,
                                             .address = address,
                                             .family_only = false});
  for (const IdRef asker : components_.AskersOf(id, address.port))
    components_.MarkOutOfScope(asker);
}

void Unjudged::Connects(IdRef id, const Call& call) {
  IdInfo& info = facts_.id(id);
  info.qp_key = KeyNamedBy(ParamOrNone(call));
  for (const IdRef other : components_.SharersOfQp(id)) components_.MarkOutOfScope(other);
  if (!std::holds_alternative<call::Connect>(call)) return;
  info.connected = true;
  for (int either = 0; either < 2; ++either) {
    for (const IdRef owner : facts_.OwnersAskedBy(id)) components_.MarkOutOfScope(owner);
    std::swap(info.destination, info.other_destination);
  }
}

// Where the search for another address is refused, an id that has been connected keeps its
// destination, and any other may.
void Unjudged::Resolves(IdInfo* info, const Address& destination, bool refused) {
  if (info->connected && refused) return;
  if (!refused) info->other_destination = {};
  if (refused && info->destination.kind != AddressKind::kNone)
    info->other_destination = info->destination;
  info->destination = destination;
}

void Unjudged::Learn(const Record& record, const Line& line) {
  const auto* calls = std::get_if<line::Calls>(&line);
  if (calls == nullptr) return;
  const Call& call = calls->call;
  if (const auto* create = std::get_if<call::CreateEventChannel>(&call))
    facts_.channel(create->channel) = {true, create->nonblocking, calls->lane.side};
  if (const auto* get = std::get_if<call::GetCmEvent>(&call)) {
    facts_.CreditOf(get->event) = {};
    facts_.MembershipOf(get->event) = 0;
    if (const CmEvent* event = EventOf(record.seen)) NewRequest(event->listen_id, get->request);
  }
  const IdRef id = IdOf(call);
  if (!id.valid() || facts_.id(id).in_scope) return;
  IdInfo& info = facts_.id(id);
  if (const auto* get = std::get_if<call::GetRequest>(&call)) NewRequest(id, get->request);
  if (const auto* ep = std::get_if<call::CreateEp>(&call)) TakesPort(id, ep->source);
  const auto* resolve = std::get_if<call::ResolveAddr>(&call);
  const auto* answered = std::get_if<seen::Answered>(&record.seen);
  const bool refused = answered != nullptr && !answered->reply.succeeded();
  if (resolve != nullptr) Resolves(&info, resolve->destination, refused);
  TakesPort(id, AddressWantedBy(call));
  if (std::holds_alternative<call::Connect>(call) || std::holds_alternative<call::Accept>(call))
    Connects(id, call);
  if (const auto* migrate = std::get_if<call::MigrateId>(&call)) {
    if (migrate->channel.valid()) facts_.channel(migrate->channel).unjudged = true;
    info.channel = migrate->channel;
  }
  if (const auto group = JoinsOf(call))
    info.memberships.push_back({.address = group->address, .send_only = group->send_only});
}

bool Unjudged::Asks(const IdInfo& asker, IdRef listener) const {
  const IdInfo& own = facts_.id(listener);
  const auto leads_there = [&](const Address& destination) {
    const uint8_t device = facts_.DeviceOf(destination);
    return device != kNoDevice && facts_.KernelOf(device) == own.kernel &&
           destination.port == own.bound.port;
  };
  return asker.connected && asker.space == own.space &&
         (leads_there(asker.destination) || leads_there(asker.other_destination));
}

bool Unjudged::MaySharePort(IdRef listener) const {
  if (facts_.id(listener).bound.port == 0) return false;
  for (uint16_t i = 0; i < facts_.id_count(); ++i)
    if (!facts_.id(IdRef{i}).in_scope && Asks(facts_.id(IdRef{i}), listener)) return true;
  return false;
}

// A queue pair of the library has a number of its own.
bool Unjudged::MayShareNumber(IdRef id, const ConnParam& param) const {
  const uint64_t key = KeyNamedBy(param);
  bool named = false;
  for (uint16_t i = 0; i < facts_.id_count(); ++i)
    named |= !facts_.id(IdRef{i}).in_scope && facts_.id(IdRef{i}).qp_key == key;
  return named &&
         components_.MayBe(id, [](const IdState& own) { return own.qp == QpPhase::kNone; });
}

bool Unjudged::MayMeet(const Call& call) const {
  const IdRef id = IdOf(call);
  if (std::holds_alternative<call::Listen>(call)) return MaySharePort(id);
  const bool connects = std::holds_alternative<call::Connect>(call);
  if (!connects && !std::holds_alternative<call::Accept>(call)) return false;
  const std::vector<IdRef> owners = connects ? facts_.OwnersAskedBy(id) : std::vector<IdRef>();
  return std::ranges::any_of(owners, [&](IdRef owner) { return !facts_.id(owner).in_scope; }) ||
         MayShareNumber(id, ParamOrNone(call));
}

}  // namespace cm::model
