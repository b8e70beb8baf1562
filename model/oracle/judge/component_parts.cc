// Joining components and parting them.
#include <algorithm>

#include "model/oracle/judge/components.h"

namespace cm::model {
namespace {

bool IsRequest(Sends message) {
  return message == Sends::kReq || message == Sends::kSidrReq || message == Sends::kMpaRequest;
}

// The ids and messages of both, side by side.
Possibility Product(const Possibility& x, const Possibility& y) {
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
  // Where they were parted before, either knows the hits of both up to then.
  for (size_t i = 0; i < both.hits.size(); ++i) both.hits[i] = std::max(x.hits[i], y.hits[i]);
  both.mutes |= y.mutes;
  both.used |= y.used;
  both.perhaps |= y.perhaps;
  return both;
}

Hits LeastHits(const std::vector<Possibility>& all) {
  Hits least = all.front().hits;
  for (const Possibility& p : all)
    for (size_t i = 0; i < least.size(); ++i) least[i] = std::min(least[i], p.hits[i]);
  return least;
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

// The connected ids of a component, over all its possibilities: a union-find over names.
class Links {
 public:
  explicit Links(const std::vector<IdRef>& ids) : ids_(ids), parent_(ids.size()) {
    for (size_t i = 0; i < ids.size(); ++i) parent_[i] = i;
  }
  size_t Root(size_t i) const {
    while (parent_[i] != i) i = parent_[i];
    return i;
  }
  void Join(IdRef a, IdRef b) {
    const size_t x = Index(a);
    const size_t y = Index(b);
    if (x < ids_.size() && y < ids_.size()) parent_[Root(x)] = Root(y);
  }
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
  const std::vector<IdRef>& ids_;
  std::vector<size_t> parent_;
};

bool Links::Couple(const ConversationFacts& facts, const Possibility& p) {
  if (!p.flights.empty()) return false;  // not while messages are under way
  const std::vector<IdRef> names = NamesIn(p);
  for (size_t i = 0; i < p.ids.size(); ++i) {
    const IdState& id = p.ids[i];
    if (!names[i].valid()) return false;  // an id without a name and without a listener
    if (id.peer != kNoId) Join(names[i], names[id.peer]);
    if (id.origin.valid()) Join(names[i], id.origin);
    if (id.origin.valid() || !id.outstanding || !IsRequest(id.message)) continue;
    for (const PortOwner& owner : facts.ports)
      if (owner.address.port == facts.id(id.name).destination.port) Join(id.name, owner.id);
  }
  // Ids that may find one another's queue pairs in use stay together.
  for (const IdState& id : p.ids)
    for (const IdRef one : {id.name, id.PeerName()})
      for (const IdRef other : ids_)
        if (one.valid() && facts.SameQpNumber(one, other) != Certainty::kNo) Join(one, other);
  return true;
}

Possibility Links::PartOf(const Possibility& p, size_t root) const {
  const std::vector<IdRef> names = NamesIn(p);
  Possibility part = p;
  for (size_t i = names.size(); i-- > 0;) {
    const size_t at = Index(names[i]);
    if (at >= ids_.size() || Root(at) != root) part.Remove(static_cast<uint8_t>(i));
  }
  return part;
}

}  // namespace

void Components::Merge(IdRef a, IdRef b) {
  const Number into = NumberOf(a);
  const Number from = NumberOf(b);
  if (into == from) return;
  Component& one = components_[into];
  Component& other = components_[from];
  PossibilitySet product;
  for (const Possibility& x : one.set.items())
    for (const Possibility& y : other.set.items()) product.Add(Product(x, y));
  for (const IdRef id : other.ids) {
    facts_.id(id).component = into;
    one.ids.push_back(id);
  }
  components_.erase(from);
  Put(into, std::move(product));
}

std::vector<IdRef> Components::OwnersAskedBy(IdRef id) const {
  const IdInfo& info = facts_.id(id);
  const uint8_t device = facts_.DeviceOf(info.destination);
  std::vector<IdRef> owners;
  if (device == kNoDevice) return owners;
  const uint8_t kernel = facts_.KernelOf(device);
  for (const PortOwner& owner : facts_.ports)
    if (owner.kernel == kernel && owner.space == info.space &&
        owner.address.port == info.destination.port)
      owners.push_back(owner.id);
  return owners;
}

void Components::MergeForRequest(IdRef id) {
  if (facts_.DeviceAskedBy(id) == kNoDevice) return;  // it goes nowhere
  for (const IdRef owner : OwnersAskedBy(id)) Merge(id, owner);
  MergeForQp(id);
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

void Components::MergeForQp(IdRef id) {
  for (const IdRef other : SharersOfQp(id)) Merge(id, other);
}

void Components::MergeForService(IdRef id, uint16_t port) {
  for (const IdRef asker : AskersOf(id, port)) Merge(id, asker);
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
                                 return s.name.valid() && !s.origin.valid() && s.outstanding &&
                                        IsRequest(s.message) && asks(s.name);
                               }) ||
           std::ranges::any_of(
               p.flights, [&](const Flight& f) { return IsRequest(f.kind) && asks(f.sender); });
  });
}

void Components::Split(Number number) {
  const std::vector<IdRef> ids = components_[number].ids;
  if (ids.size() < 2) return;
  // Hits are of all parts together: each part goes on with those that are certain.
  PossibilitySet set;
  const Hits certain = LeastHits(components_[number].set.items());
  for (Possibility p : components_[number].set.items()) {
    p.hits = certain;
    set.Add(std::move(p));
  }
  Links links(ids);
  for (const Possibility& p : set.items())
    if (!links.Couple(facts_, p)) return;
  const std::vector<size_t> roots = links.Roots();
  if (roots.size() < 2) return;
  std::vector<PossibilitySet> parts(roots.size());
  for (const Possibility& p : set.items())
    for (size_t r = 0; r < roots.size(); ++r) parts[r].Add(links.PartOf(p, roots[r]));
  size_t product = 1;
  for (const PossibilitySet& part : parts) product *= part.size();
  if (product != set.size()) return;
  components_.erase(number);
  for (size_t r = 0; r < roots.size(); ++r) {
    const Number fresh = next_++;
    Component& made = components_[fresh];
    made.set = std::move(parts[r]);
    for (size_t i = 0; i < ids.size(); ++i) {
      if (links.Root(i) != roots[r]) continue;
      made.ids.push_back(ids[i]);
      facts_.id(ids[i]).component = fresh;
    }
  }
}

}  // namespace cm::model
