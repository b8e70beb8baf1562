// Joining components and parting them.
#include <algorithm>
#include <map>
#include <utility>
#include <vector>

#include "model/base/check.h"
#include "model/oracle/judge/components.h"
#include "model/oracle/machine/aim.h"
#include "model/oracle/machine/machine.h"

namespace cm::model {
namespace {

// Possibilities of two components together: where there are more, they are followed in part.
constexpr size_t kMostJoined = 65536;
// And of which so many are followed then.
constexpr size_t kMostThinned = 4096;

// The ids and messages of both, side by side.
Possibility Product(const Possibility& x, const Possibility& y) {
  CM_CHECK(x.ids.size() + y.ids.size() < kNoId) << "too many ids that can influence one another";
  Possibility both = x;
  const auto shift = static_cast<uint8_t>(x.ids.size());
  const auto moved = [shift](uint8_t i) { return i == kNoId ? kNoId : uint8_t(i + shift); };
  for (IdState id : y.ids) {
    id.peer = moved(id.peer);
    for (Pending& pending : id.queue) pending.child = moved(pending.child);
    both.ids.push_back(std::move(id));
  }
  for (Flight flight : y.flights) {
    flight.from = moved(flight.from);
    flight.to = moved(flight.to);
    both.Send(flight);
  }
  both.mutes |= y.mutes;
  both.used |= y.used;
  both.perhaps |= y.perhaps;
  return both;
}

// Names by which the ids are known: an unfetched request is known as its listener.
std::vector<IdRef> NamesIn(const Possibility& p) {
  std::vector<IdRef> names(p.ids.size());
  for (size_t i = 0; i < p.ids.size(); ++i) names[i] = p.ids[i].name;
  for (const IdState& id : p.ids)
    for (const Pending& pending : id.queue)
      if (pending.child != kNoId) names[pending.child] = id.name;
  return names;
}

// Whether one that has answered may end by itself before the sender hears of it: where that may
// take the answer for a stale one, where messages are late, and where the answer was lost until it
// was given up.
bool MayEndBy(const ConversationFacts& facts, const IdState& id, IdRef sender, int64_t until) {
  if (facts.answers_may_be_late || facts.MayShareQpNumber(sender)) return true;
  if (id.name.valid() && facts.MayShareQpNumber(id.name)) return true;
  if (!facts.answers_may_be_lost || id.ib == IbState::kEstablished) return false;
  const Timing timing = facts.TimingOf(id);
  const Duration repeats = timing.GiveUp(timing.ReplyInterval());
  return id.ib != IbState::kRepSent || id.first.earliest + repeats.nanoseconds() <= until;
}

// Whether a request of the id has reached an id that all further ones reach as well.
bool StaysKnown(const ConversationFacts& facts, const Possibility& p, IdRef sender, int64_t until) {
  const auto stays = [&](const IdState& id) {
    const bool unanswered = id.ib == IbState::kMraReqSent || id.ib == IbState::kSidrReqRcvd;
    return facts.SamePeer(id.origin, sender) && Machine::KnownRemotely(id) && !id.removal_due &&
           id.state != State::kDeviceRemoval && (unanswered || !MayEndBy(facts, id, sender, until));
  };
  return sender.valid() && std::ranges::any_of(p.ids, stays);
}

// The same of a request that is under way. Where one may be late, its sender may have got its
// answer already, and the id may be gone when it comes: one that stands has timewait before it, any
// other is reset by a rejection at once.
bool StaysKnown(const ConversationFacts& facts, const Possibility& p, const Flight& request,
                Span next) {
  const auto ends = [&](const IdState& id) {
    return facts.SamePeer(id.origin, request.sender) &&
           (id.ib != IbState::kEstablished ||
            next.earliest + facts.TimingOf(id).Timewait().nanoseconds() <= next.latest);
  };
  return StaysKnown(facts, p, request.sender, next.latest) &&
         (!facts.requests_may_be_late || std::ranges::none_of(p.ids, ends));
}

// Its request may be sent again; over iWARP it is sent once.
bool MayAskAgain(const IdState& id) {
  return id.name.valid() && id.outstanding && IsRequest(id.message) &&
         id.message != Sends::kMpaRequest;
}

// The connected ids of a component, over all its possibilities: a union-find over names.
class Links {
 public:
  Links(const std::vector<IdRef>& ids, Span next)
      : ids_(ids), next_(next), parent_(ids.size()), parts_(ids.size()) {
    for (size_t i = 0; i < ids.size(); ++i) parent_[i] = i;
  }
  size_t Root(size_t i) const {
    while (parent_[i] != i) i = parent_[i];
    return i;
  }
  void Join(IdRef a, IdRef b) {
    const size_t x = Index(a);
    const size_t y = Index(b);
    if (x >= ids_.size() || y >= ids_.size() || Root(x) == Root(y)) return;
    parent_[Root(x)] = Root(y);
    --parts_;
  }
  size_t parts() const { return parts_; }
  size_t Index(IdRef id) const {
    return static_cast<size_t>(std::ranges::find(ids_, id) - ids_.begin());
  }
  // Adds what couples ids in the possibility. False where it cannot be parted.
  bool Couple(const ConversationFacts& facts, const Possibility& p);

  // One of each part.
  std::vector<size_t> Roots() const {
    std::vector<size_t> roots;
    for (size_t i = 0; i < ids_.size(); ++i)
      if (std::ranges::find(roots, Root(i)) == roots.end()) roots.push_back(Root(i));
    return roots;
  }
  // The ids of one part alone.
  Possibility PartOf(const Possibility& p, size_t root) const;

 private:
  // One of the ids that the message is of; none where all are gone. A message between two that
  // were never named goes with any: no id sends it, and none gets it.
  IdRef NameOf(const Flight& flight, const std::vector<IdRef>& names) const {
    for (const uint8_t at : {flight.from, flight.to})
      if (at != kNoId && names[at].valid()) return names[at];
    const bool of_none = flight.from == kNoId && flight.to == kNoId && !flight.sender.valid();
    if (of_none && !IsRequest(flight.kind)) return ids_.front();
    return flight.sender.valid() && Index(flight.sender) < ids_.size() ? flight.sender : IdRef{};
  }
  bool CoupleFlights(const ConversationFacts& facts, const Possibility& p,
                     const std::vector<IdRef>& names);
  // With the owners of the port that the id asks for.
  void JoinAsked(const ConversationFacts& facts, IdRef id) {
    if (facts.id(id).apart_from.valid()) return;
    for (const PortOwner& owner : facts.ports)
      if (owner.address.port == facts.id(id).destination.port) Join(id, owner.id);
  }

  const std::vector<IdRef>& ids_;
  Span next_;
  std::vector<size_t> parent_;
  size_t parts_;
};

// A message couples its two ends, and a request that no id knows yet those that it may reach.
bool Links::CoupleFlights(const ConversationFacts& facts, const Possibility& p,
                          const std::vector<IdRef>& names) {
  for (const Flight& flight : p.flights) {
    const IdRef name = NameOf(flight, names);
    if (!name.valid() || flight.tester != kNoTester) return false;
    if (flight.from != kNoId) Join(name, names[flight.from]);
    if (flight.to != kNoId) Join(name, names[flight.to]);
    if (flight.sender.valid()) Join(name, flight.sender);
    if (IsRequest(flight.kind) && !StaysKnown(facts, p, flight, next_))
      JoinAsked(facts, flight.sender);
  }
  return true;
}

bool Links::Couple(const ConversationFacts& facts, const Possibility& p) {
  const std::vector<IdRef> names = NamesIn(p);
  // Not with an id without a name and without a listener.
  if (!std::ranges::all_of(names, &IdRef::valid) || !CoupleFlights(facts, p, names)) return false;
  for (size_t i = 0; i < p.ids.size(); ++i) {
    const IdState& id = p.ids[i];
    if (id.peer != kNoId) Join(names[i], names[id.peer]);
    if (id.origin.valid()) Join(names[i], id.origin);
    const bool asks = !id.origin.valid() && MayAskAgain(id);
    if (asks && !StaysKnown(facts, p, id.name, next_.latest)) JoinAsked(facts, id.name);
  }
  // A possibility stands for others in which ids that look alike are exchanged.
  for (size_t i = 0; i < p.ids.size(); ++i)
    for (size_t j = i + 1; p.ids[i].alike != 0 && j < p.ids.size(); ++j) {
      if (p.ids[i].alike != p.ids[j].alike) continue;
      Join(names[i], names[j]);
      break;  // the next one joins those behind it
    }
  // Ids that may find one another's queue pairs in use stay together.
  for (size_t i = 0; i < p.ids.size(); ++i)
    for (const IdRef one : {p.ids[i].name, p.ids[i].PeerName()}) {
      if (!one.valid() || !facts.MayShareQpNumber(one)) continue;
      for (const IdRef other : ids_)
        if (facts.SameQpNumber(one, other) != Certainty::kNo) Join(names[i], other);
    }
  return true;
}

Possibility Links::PartOf(const Possibility& p, size_t root) const {
  const std::vector<IdRef> names = NamesIn(p);
  Possibility part = p;
  std::erase_if(part.flights, [&](const Flight& flight) {
    const size_t at = Index(NameOf(flight, names));
    return at >= ids_.size() || Root(at) != root;
  });
  for (size_t i = names.size(); i-- > 0;) {
    const size_t at = Index(names[i]);
    if (at >= ids_.size() || Root(at) != root) part.Remove(static_cast<uint8_t>(i));
  }
  return part;
}

// So many possibilities are parted also where counted faults couple them: what one part makes of a
// fault is not known to the others then, as it is not between components that never were one.
constexpr size_t kManyToPart = 1024;

// How many of its messages each counted fault has delayed.
Hits DelayedIn(const Possibility& p) {
  Hits delayed{};
  for (const Flight& flight : p.flights)
    if (flight.hit != kNoRule) ++delayed[flight.hit];
  return delayed;
}

// The product of the parts, without what a counted fault would have to have delayed more messages
// for than in any possibility of the set.
bool IsProductButForHits(const PossibilitySet& set, const std::vector<PossibilitySet>& parts) {
  Hits most{};
  for (const Possibility& p : set.items()) {
    const Hits delayed = DelayedIn(p);
    for (size_t i = 0; i < most.size(); ++i) most[i] = std::max(most[i], delayed[i]);
  }
  std::map<Hits, size_t> product{{Hits{}, 1}};
  for (const PossibilitySet& part : parts) {
    std::map<Hits, size_t> with;
    for (const Possibility& p : part.items()) {
      const Hits delayed = DelayedIn(p);
      for (const auto& [others, count] : product) {
        Hits sum = others;
        bool fits = true;
        for (size_t i = 0; i < sum.size(); ++i) {
          sum[i] = static_cast<uint8_t>(sum[i] + delayed[i]);
          fits &= sum[i] <= most[i];
        }
        if (fits) with[sum] += count;
      }
    }
    product = std::move(with);
  }
  size_t all = 0;
  for (const auto& [sum, count] : product) all += count;
  return all == set.size();
}

}  // namespace

bool Components::IsLazy(Number number) const {
  if (!facts_.any_lazy || !Has(number)) return false;
  const auto lazy = [this](IdRef id) { return facts_.id(id).lazy; };
  return std::ranges::any_of(components_.at(number).ids, lazy);
}

bool Components::MakeLazy(const std::vector<IdRef>& ids) {
  facts_.any_lazy = true;
  bool any = false;
  for (const IdRef id : ids) any |= !std::exchange(facts_.id(id).lazy, true);
  return any;
}

void Components::Thin(Component* one, Component* other) {
  while (one->set.size() * other->set.size() > kMostThinned) {
    Component* const larger = one->set.size() > other->set.size() ? one : other;
    larger->set.Thin(larger->set.size() - 1);
    MakeLazy(larger->ids);
  }
}

void Components::Merge(IdRef a, IdRef b) {
  const Number into = NumberOf(a);
  const Number from = NumberOf(b);
  if (into == from) return;
  Component& one = components_[into];
  Component& other = components_[from];
  const Hits elsewhere = HitsExcept(into, from);
  if (one.set.size() * other.set.size() > kMostJoined) Thin(&one, &other);
  const bool lazy = IsLazy(into) || IsLazy(from);
  PossibilitySet product;
  for (const Possibility& x : one.set.items()) {
    for (const Possibility& y : other.set.items()) {
      Possibility both = Product(x, y);
      for (size_t i = 0; i < elsewhere.size(); ++i)
        both.hits[i] = static_cast<uint8_t>(elsewhere[i] + x.hits[i] - one.elsewhere[i] +
                                            y.hits[i] - other.elsewhere[i]);
      product.Add(std::move(both));
    }
  }
  one.elsewhere = elsewhere;
  for (const IdRef id : other.ids) {
    facts_.id(id).component = into;
    one.ids.push_back(id);
  }
  components_.erase(from);
  if (lazy) MakeLazy(into);
  if (one.ids.size() >= facts_.crowd) facts_.crowd = kRestOfCrowd;
  Put(into, std::move(product));
}

void Components::MergeForRequest(IdRef id) {
  if (facts_.DeviceAskedBy(id) == kNoDevice) return;  // it goes nowhere
  // Those that ask stand in the order in which they have begun to.
  const std::vector<IdRef> owners = facts_.OwnersAskedBy(id);
  if (!PutApart(id, owners))
    for (const IdRef owner : owners) Merge(owner, id);
  MergeForQp(id);
  const auto asks = [](const IdState& own) { return own.outstanding; };
  if (owners.size() == 1 && MayBe(id, asks)) FormCrowd(owners.front());
}

// The same QP number makes one connection stale for the other, as long as it has either end.
std::vector<IdRef> Components::SharersOfQp(IdRef id) const {
  if (facts_.id(id).qp_key == 0) return {};
  const auto shares = [&](IdRef other) {
    return other.valid() && other != id && facts_.SameQpNumber(id, other) != Certainty::kNo;
  };
  return WhereMayBe([&](const Possibility& p) {
    return std::ranges::any_of(
        p.ids, [&](const IdState& s) { return shares(s.name) || shares(s.PeerName()); });
  });
}

Components::Number Components::JoinAsked(Number number) {
  std::vector<IdRef> asking;
  const auto note = [&](IdRef sender, bool stays_known) {
    const bool noted = std::ranges::find(asking, sender) != asking.end();
    if (!noted && !stays_known) asking.push_back(sender);
  };
  const auto apart = [&](IdRef sender) { return facts_.id(sender).apart_from.valid(); };
  for (const Possibility& p : components_[number].set.items()) {
    for (const IdState& one : p.ids) {
      if (!MayAskAgain(one)) continue;
      facts_.answers_may_be_lost |= one.abandoned;
      if (!apart(one.name)) note(one.name, StaysKnown(facts_, p, one.name, look_ahead_.latest));
    }
    for (const Flight& flight : p.flights)
      if (IsRequest(flight.kind) && flight.tester == kNoTester && !apart(flight.sender))
        note(flight.sender, StaysKnown(facts_, p, flight, look_ahead_));
  }
  for (const IdRef sender : asking) {
    for (const IdRef owner : facts_.OwnersAskedBy(sender))
      if (facts_.id(owner).in_scope) Merge(owner, sender);
    number = NumberOf(sender);
  }
  return number;
}

void Components::JoinAllAsked() {
  for (auto& [number, component] : components_) component.changed = true;
  JoinChanged();
}

void Components::JoinChanged() {
  for (const Number number : All()) {
    if (!Has(number) || !components_[number].changed) continue;
    components_[JoinAsked(number)].changed = false;
  }
}

void Components::LookAhead(int64_t until) {
  const bool later = until > look_ahead_.latest;
  look_ahead_ = {look_ahead_.latest, std::max(look_ahead_.latest, until)};
  if (!facts_.answers_may_be_lost) return;
  later ? JoinAllAsked() : JoinChanged();
}

void Components::MergeForQp(IdRef id) {
  for (const IdRef other : SharersOfQp(id)) Merge(id, other);
}

void Components::MergeForService(IdRef id, uint16_t port) {
  for (const IdRef asker : AskersOf(id, port)) {
    if (facts_.id(asker).apart_from.valid()) JudgeTogether(facts_.id(asker).apart_from);
    Merge(id, asker);
  }
}

std::vector<IdRef> Components::AskersOf(IdRef id, uint16_t port) const {
  if (port == 0) return {};
  const PortSpace space = facts_.id(id).space;
  const uint8_t kernel = facts_.id(id).kernel;
  const auto asks = [&](IdRef sender) {
    const IdInfo& info = facts_.id(sender);
    const uint8_t device = facts_.DeviceOf(info.destination);
    return device != kNoDevice && facts_.KernelOf(device) == kernel && info.space == space &&
           info.destination.port == port;
  };
  return WhereMayBe([&](const Possibility& p) {
    return std::ranges::any_of(p.ids,
                               [&](const IdState& s) {
                                 return !s.origin.valid() && MayAskAgain(s) && asks(s.name);
                               }) ||
           std::ranges::any_of(
               p.flights, [&](const Flight& f) { return IsRequest(f.kind) && asks(f.sender); });
  });
}

void Components::Split(Number number) {
  number = JoinAsked(number);
  const std::vector<IdRef> ids = components_[number].ids;
  if (ids.size() < 2) return;
  // What couples its ids does not depend on hits: mostly that is known without a copy.
  Links links(ids, look_ahead_);
  for (const Possibility& p : components_[number].set.items())
    if (!links.Couple(facts_, p) || links.parts() < 2) return;
  const std::vector<size_t> roots = links.Roots();
  // Hits are of all parts together: each part goes on with those that are certain.
  PossibilitySet set;
  const Hits own = OwnHits(components_[number]);
  const Hits certain = Sum(components_[number].elsewhere, own);
  for (Possibility p : components_[number].set.items()) {
    p.hits = certain;
    set.Add(std::move(p));
  }
  std::vector<PossibilitySet> parts(roots.size());
  for (const Possibility& p : set.items())
    for (size_t r = 0; r < roots.size(); ++r) parts[r].Add(links.PartOf(p, roots[r]));
  size_t product = 1;
  for (const PossibilitySet& part : parts) product *= part.size();
  const bool by_hits = set.size() > kManyToPart && IsProductButForHits(set, parts);
  if (product != set.size() && !by_hits) return;
  components_.erase(number);
  hits_before_ = Sum(hits_before_, own);
  for (size_t r = 0; r < roots.size(); ++r) {
    const Number fresh = next_++;
    Component& made = components_[fresh];
    made.set = std::move(parts[r]);
    made.elsewhere = certain;
    for (size_t i = 0; i < ids.size(); ++i) {
      if (links.Root(i) != roots[r]) continue;
      made.ids.push_back(ids[i]);
      facts_.id(ids[i]).component = fresh;
    }
  }
}

}  // namespace cm::model
