#include "model/oracle/judge/lookalikes.h"

#include <algorithm>
#include <cstdlib>
#include <tuple>
#include <utility>

#include "model/base/digest.h"
#include "model/oracle/belief/alike.h"
#include "model/oracle/machine/guards.h"

namespace cm::model {
namespace {

// So many that look alike are worth it.
constexpr size_t kFewestAlike = 4;
// Between the same observations of two ids, in ns: what their times blur.
constexpr int64_t kAtOnce = 10'000'000;
// So many possibilities are looked through.
constexpr size_t kMostExchanged = 4096;

void Put(Digest* d, const ConnParam& param) {
  for (const uint8_t x : {param.responder_resources, param.initiator_depth, param.flow_control,
                          param.retry_count, param.rnr_retry_count, param.srq})
    d->U8(x);
  d->U32(param.qp_num);
  d->Bytes(param.private_data.bytes());
}

void Put(Digest* d, const Reply& reply) {
  d->U8(static_cast<uint8_t>(reply.kind));
  d->U32(static_cast<uint32_t>(reply.value));
  d->U32(static_cast<uint32_t>(reply.error));
}

// What is seen, without the names of ids and events, and without the numbers that a provider draws.
uint64_t DigestOf(const Record& record, const Line& line) {
  Digest d;
  if (const auto* calls = std::get_if<line::Calls>(&line)) {
    d.U8(static_cast<uint8_t>(KindOf(calls->call)));
    const std::optional<ConnParam>* param = ParamOf(calls->call);
    if (param != nullptr && *param) Put(&d, **param);
  }
  if (const auto* answered = std::get_if<seen::Answered>(&record.seen)) Put(&d, answered->reply);
  if (const auto* released = std::get_if<seen::Released>(&record.seen)) Put(&d, released->reply);
  if (const CmEvent* event = EventOf(record.seen)) {
    d.U8(static_cast<uint8_t>(event->type));
    d.U32(static_cast<uint32_t>(event->status));
    d.U32(event->listen_id.index);
    d.Bytes(event->private_data.bytes());
  }
  return d.Value();
}

// What calls and events have made of an id.
auto MadeOf(const IdInfo& i) {
  return std::tie(i.exists, i.owns_port, i.connected, i.tracked, i.knew_wrong_neighbour,
                  i.gives_qps, i.qps_type, i.space, i.side, i.kernel, i.interface,
                  i.peer_fail_overs, i.fail_overs, i.source_from, i.source_to, i.channel, i.bound,
                  i.destination, i.has_no_family, i.path_to, i.resolves_loopback, i.asking,
                  i.timeout_ms, i.ece, i.shares_port, i.path_given, i.family_only, i.left_requests,
                  i.ack_timeout, i.packet_lifetime, i.depths, i.reply_unguarded, i.boot, i.unacked,
                  i.acked, i.holds, i.shown);
}

// Those that a component has for certain stay with what they have hit.
std::vector<Possibility> ButForCertainHits(std::vector<Possibility> all) {
  const Hits certain = CertainHits(all);
  for (Possibility& p : all)
    for (size_t i = 0; i < certain.size(); ++i)
      p.hits[i] = static_cast<uint8_t>(p.hits[i] - certain[i]);
  return all;
}

bool IsThere(const std::vector<Possibility>& all, IdRef id) {
  return !all.empty() &&
         std::ranges::all_of(all, [id](const Possibility& p) { return p.Find(id) != kNoId; });
}

}  // namespace

std::vector<IdRef> Lookalikes::IdsIn(const Record& record, const Line& line) const {
  std::vector<IdRef> ids;
  const auto* calls = std::get_if<line::Calls>(&line);
  if (calls == nullptr) return ids;
  const auto* ack = std::get_if<call::AckCmEvent>(&calls->call);
  const CmEvent* event = EventOf(record.seen);
  if (IdOf(calls->call).valid()) ids.push_back(IdOf(calls->call));
  if (ack != nullptr && facts_.CreditOf(ack->event).valid())
    ids.push_back(facts_.CreditOf(ack->event));
  if (event != nullptr && event->id.valid()) ids.push_back(event->id);
  return ids;
}

void Lookalikes::TellApart(const Record& record, const Line& line) {
  if (facts_.last_alike == 0) return;
  for (const IdRef id : IdsIn(record, line)) TellApart(id);
}

// Of what an event shows Channels takes care.
bool Lookalikes::IsGuess(const Record& record, const Line& line) const {
  const auto* calls = std::get_if<line::Calls>(&line);
  if (!facts_.any_apart || calls == nullptr || TraitsOf(KindOf(calls->call)).only_asks ||
      EventOf(record.seen) != nullptr)
    return false;
  const std::vector<IdRef> ids = IdsIn(record, line);
  return std::ranges::any_of(ids, [this](IdRef id) { return !OthersLike(id).empty(); });
}

void Lookalikes::TellApart(IdRef id) {
  const uint16_t alike = std::exchange(facts_.id(id).alike, uint16_t{0});
  const Components::Number number = components_.NumberOf(id);
  if (alike == 0 || !components_.Has(number)) return;
  std::vector<IdRef> others;
  for (const IdRef other : components_.IdsOf(number))
    if (facts_.id(other).alike == alike) others.push_back(other);
  const bool last = others.size() == 1;  // and of none any more
  if (last) facts_.id(others.front()).alike = 0;
  PossibilitySet told;
  const auto add = [&](Possibility p) {
    for (IdState& one : p.ids)
      if (one.name == id || (last && one.name == others.front())) one.alike = 0;
    told.Add(std::move(p));
  };
  for (const Possibility& p : components_.SetOf(number).items()) {
    for (const IdRef other : others) {
      Possibility exchanged = p;
      Exchange(&exchanged, id, other);
      add(std::move(exchanged));
    }
    add(p);
  }
  components_.Put(number, std::move(told));
}

void Lookalikes::TellAllApart(Components::Number number) {
  if (facts_.last_alike == 0) return;
  for (const IdRef id : std::vector<IdRef>(components_.IdsOf(number))) TellApart(id);
}

void Lookalikes::Note(const Record& record, const Line& line, const std::vector<IdRef>& waiting) {
  const auto* calls = std::get_if<line::Calls>(&line);
  if (calls == nullptr) return;
  const uint64_t what = DigestOf(record, line) + facts_.faults_to_come;
  for (const IdRef id : IdsIn(record, line)) {
    IdInfo& info = facts_.id(id);
    info.seen = (info.seen ^ what) * 0x9e3779b97f4a7c15ULL + (info.seen >> 7);
    info.seen_last = record.end.nanoseconds();
    const bool waits = std::ranges::find(waiting, id) != waiting.end();
    info.never_alike |= TraitsOf(KindOf(calls->call)).moves_data;
    if (!waits) FindLookalikes(id);
  }
}

bool Lookalikes::LookAlike(IdRef a, IdRef b) const {
  const IdInfo& one = facts_.id(a);
  const IdInfo& other = facts_.id(b);
  return one.seen == other.seen && std::abs(one.seen_last - other.seen_last) <= kAtOnce &&
         !one.never_alike && !other.never_alike && one.memberships.empty() &&
         other.memberships.empty() && other.in_scope && MadeOf(one) == MadeOf(other) &&
         !facts_.MayShareQpNumber(a) && !facts_.MayShareQpNumber(b);
}

bool Lookalikes::StandAlike(IdRef a, IdRef b) const {
  const Components::Number one = components_.NumberOf(a);
  const Components::Number other = components_.NumberOf(b);
  if (one == other || !LookAlike(a, b) || !components_.Has(one) || !components_.Has(other))
    return false;
  const std::vector<IdRef>& ids = components_.IdsOf(one);
  const std::vector<IdRef>& others = components_.IdsOf(other);
  if (ids.size() != others.size() || ids.size() > 2) return false;
  NewNames names{{b, a}};
  if (ids.size() == 2) {
    const auto beside = [](const std::vector<IdRef>& both, IdRef id) {
      return both.front() == id ? both.back() : both.front();
    };
    names.emplace_back(beside(others, b), beside(ids, a));
    if (!LookAlike(names.back().first, names.back().second)) return false;
  }
  const std::vector<Possibility> mine = ButForCertainHits(components_.PossibilitiesOf(a));
  const std::vector<Possibility> its = ButForCertainHits(components_.PossibilitiesOf(b));
  return mine.size() == its.size() && std::ranges::all_of(its, [&](Possibility p) {
           Rename(&p, names);
           return std::ranges::any_of(
               mine, [&](const Possibility& own) { return SameBehaviour(own, p); });
         });
}

bool Lookalikes::StandsAlikeWith(const std::vector<IdRef>& ids, IdRef id) const {
  return std::ranges::any_of(ids, [&](IdRef other) { return StandAlike(other, id); });
}

std::vector<IdRef> Lookalikes::OthersLike(IdRef id) const {
  std::vector<IdRef> others;
  for (uint16_t i = 0; i < facts_.id_count(); ++i) {
    const IdRef other{i};
    if (other != id && facts_.id(other).exists && LookAlike(id, other) && !StandAlike(id, other) &&
        !StandsAlikeWith(others, other))
      others.push_back(other);
  }
  return others;
}

bool Lookalikes::MayBeExchanged(IdRef a, IdRef b) const {
  const PossibilitySet& set = components_.Peek(components_.NumberOf(a));
  return set.size() <= kMostExchanged && std::ranges::all_of(set.items(), [&](Possibility p) {
           Exchange(&p, a, b);
           OrderAlike(&p);
           return set.Has(p);
         });
}

void Lookalikes::MarkAlike(const std::vector<IdRef>& ids, uint16_t alike) {
  const Components::Number number = components_.NumberOf(ids.front());
  for (const IdRef id : ids) facts_.id(id).alike = alike;
  PossibilitySet marked;
  for (Possibility& p : components_.SetOf(number).mutable_items()) {
    for (const IdRef id : ids) p.ids[p.Find(id)].alike = alike;
    marked.Add(std::move(p));
  }
  components_.Put(number, std::move(marked));
}

void Lookalikes::FindLookalikes(IdRef id) {
  const IdInfo& info = facts_.id(id);
  const Components::Number number = components_.NumberOf(id);
  const bool alone = info.synchronous() || info.listens || info.apart_from.valid() ||
                     info.alike != 0 || !facts_.tester_messages.empty();
  if (alone || !components_.Has(number) || components_.IdsOf(number).size() < kFewestAlike ||
      !LookAlike(id, id))
    return;
  const std::vector<Possibility>& all = components_.PossibilitiesOf(id);
  std::vector<IdRef> ids{id};
  uint16_t alike = 0;
  for (const IdRef other : components_.IdsOf(number)) {
    const uint16_t its = facts_.id(other).alike;
    if (other == id || (its != 0 && its == alike) || !LookAlike(id, other) ||
        !IsThere(all, other) || !MayBeExchanged(id, other))
      continue;
    alike = std::max(alike, its);
    if (its == 0) ids.push_back(other);
  }
  const size_t fewest = facts_.last_alike == 0 ? kFewestAlike : 2;
  if (!IsThere(all, id) || (alike == 0 && ids.size() < fewest)) return;
  MarkAlike(ids, alike != 0 ? alike : ++facts_.last_alike);
}

}  // namespace cm::model
