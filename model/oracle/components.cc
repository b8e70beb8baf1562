// Groups of ids that can influence one another: closing, joining and parting them.
#include <algorithm>

#include "model/oracle/oracle.h"

namespace cm::model {
namespace {

bool IsRequest(Sends message) {
  return message == Sends::kReq || message == Sends::kSidrReq || message == Sends::kMpaRequest;
}

}  // namespace

Window Oracle::WindowOf(const Record& record) const {
  return {
      .begin = record.begin.nanoseconds(), .end = record.end.nanoseconds(), .settled = settled_};
}

void Oracle::Note(const Component& component) {
  largest_ = std::max(largest_, component.set.size());
}

bool Oracle::Close(Component* component, const Window& window, Judgement* judgement) {
  std::vector<std::string> overdue;
  if (!steps_.Close(&component->set, window, &overdue)) {
    judgement->verdict = Verdict::kInconclusive;
    largest_ = std::max(largest_, component->set.size());
    return false;
  }
  Note(*component);
  if (!component->set.empty()) return true;
  judgement->verdict = Verdict::kRefused;
  for (const std::string& what : overdue)
    judgement->permitted.push_back({.what = what + " is overdue, and nothing shows it"});
  return false;
}

void Oracle::Merge(IdRef a, IdRef b) {
  const ComponentNumber into = facts_.id(a).component;
  const ComponentNumber from = facts_.id(b).component;
  if (into == from) return;
  Component& one = components_[into];
  Component& other = components_[from];
  PossibilitySet product;
  for (const Possibility& x : one.set.items()) {
    for (const Possibility& y : other.set.items()) {
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
      both.used |= y.used;
      both.perhaps |= y.perhaps;
      product.Add(std::move(both));
    }
  }
  one.set = std::move(product);
  for (const IdRef id : other.ids) {
    facts_.id(id).component = into;
    one.ids.push_back(id);
  }
  components_.erase(from);
  Note(components_[into]);
}

// Merges the sender of a request with the owners of its port.
void Oracle::MergeForRequest(IdRef id) {
  const IdInfo& info = facts_.id(id);
  const uint8_t device = facts_.DeviceOf(info.destination);
  if (device == kNoDevice) return;
  const uint8_t kernel = facts_.KernelOf(device);
  for (const PortOwner& owner : facts_.ports)
    if (owner.kernel == kernel && owner.space == info.space &&
        owner.address.port == info.destination.port)
      Merge(id, owner.id);
  MergeForQp(id);
}

// The same QP number makes one connection stale for the other, as long as it has either end.
void Oracle::MergeForQp(IdRef id) {
  const auto shares = [&](IdRef other) {
    return other.valid() && other != id && facts_.SameQpNumber(id, other) != Certainty::kNo;
  };
  if (facts_.id(id).qp_key == 0) return;
  std::vector<IdRef> others;
  for (const auto& [number, component] : components_) {
    const bool meets = std::ranges::any_of(component.set.items(), [&](const Possibility& p) {
      return std::ranges::any_of(
          p.ids, [&](const IdState& s) { return shares(s.name) || shares(s.PeerName()); });
    });
    if (meets && !component.ids.empty()) others.push_back(component.ids.front());
  }
  for (const IdRef other : others) Merge(id, other);
}

// And the reverse: merges the owner of a port with the requests for it.
void Oracle::MergeForService(IdRef id, uint16_t port) {
  if (port == 0) return;
  const PortSpace space = facts_.id(id).space;
  const uint8_t kernel = facts_.id(id).kernel;
  std::vector<IdRef> askers;
  for (const auto& [number, component] : components_) {
    for (const Possibility& p : component.set.items()) {
      const auto asks = [&](IdRef sender) {
        const IdInfo& info = facts_.id(sender);
        const uint8_t device = facts_.DeviceOf(info.destination);
        return device != kNoDevice && facts_.KernelOf(device) == kernel && info.space == space &&
               info.destination.port == port;
      };
      for (const IdState& s : p.ids)
        if (s.name.valid() && !s.origin.valid() && s.outstanding && IsRequest(s.message) &&
            asks(s.name) && !component.ids.empty())
          askers.push_back(component.ids.front());
      for (const Flight& f : p.flights)
        if (IsRequest(f.kind) && asks(f.sender) && !component.ids.empty())
          askers.push_back(component.ids.front());
    }
  }
  for (const IdRef asker : askers) Merge(id, asker);
}

namespace {

// The connected ids of a component, over all its possibilities: a union-find over names; an
// unfetched request is connected with its listener, a message with both its ends.
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

 private:
  const std::vector<IdRef>& ids_;
  std::vector<size_t> parent_;
};

}  // namespace

// Parts a component where nothing couples its ids any more, if its set is the product of its parts.
void Oracle::TrySplit(ComponentNumber number) {
  Component& component = components_[number];
  if (component.ids.size() < 2) return;
  Links links(component.ids);
  for (const Possibility& p : component.set.items()) {
    std::vector<IdRef> known_as(p.ids.size());
    for (size_t i = 0; i < p.ids.size(); ++i) known_as[i] = p.ids[i].name;
    for (const IdState& id : p.ids)
      for (const Pending& pending : id.queue)
        if (pending.child != kNoId) known_as[pending.child] = id.name;
    for (size_t i = 0; i < p.ids.size(); ++i) {
      const IdState& id = p.ids[i];
      if (!known_as[i].valid()) return;  // an id without a name and without a listener
      if (id.peer != kNoId) links.Join(known_as[i], known_as[id.peer]);
      if (id.origin.valid()) links.Join(known_as[i], id.origin);
      const bool asks = !id.origin.valid() && id.outstanding && IsRequest(id.message);
      if (!asks) continue;
      for (const PortOwner& owner : facts_.ports)
        if (owner.address.port == facts_.id(id.name).destination.port)
          links.Join(id.name, owner.id);
    }
    // Nor are those parted that may find one another's queue pairs in use.
    for (const IdState& id : p.ids)
      for (const IdRef one : {id.name, id.PeerName()})
        for (const IdRef other : component.ids)
          if (one.valid() && facts_.SameQpNumber(one, other) != Certainty::kNo)
            links.Join(one, other);
    if (!p.flights.empty()) return;  // not while messages are under way
  }
  std::vector<size_t> roots;
  for (size_t i = 0; i < component.ids.size(); ++i)
    if (std::ranges::find(roots, links.Root(i)) == roots.end()) roots.push_back(links.Root(i));
  if (roots.size() < 2) return;
  const std::vector<IdRef> ids = component.ids;
  std::vector<PossibilitySet> parts(roots.size());
  for (const Possibility& p : component.set.items()) {
    for (size_t r = 0; r < roots.size(); ++r) {
      Possibility part = p;
      for (uint8_t i = static_cast<uint8_t>(part.ids.size()); i-- > 0;) {
        IdRef name = part.ids[i].name;
        if (!name.valid())
          for (const IdState& id : part.ids)
            for (const Pending& pending : id.queue)
              if (pending.child == i) name = id.name;
        const size_t at = links.Index(name);
        if (at >= ids.size() || links.Root(at) != roots[r]) part.Remove(i);
      }
      parts[r].Add(std::move(part));
    }
  }
  size_t product = 1;
  for (const PossibilitySet& part : parts) product *= part.size();
  if (product != component.set.size()) return;
  components_.erase(number);
  for (size_t r = 0; r < roots.size(); ++r) {
    const ComponentNumber fresh = next_component_++;
    Component& made = components_[fresh];
    made.set = std::move(parts[r]);
    for (size_t i = 0; i < ids.size(); ++i) {
      if (links.Root(i) != roots[r]) continue;
      made.ids.push_back(ids[i]);
      facts_.id(ids[i]).component = fresh;
    }
  }
}

std::vector<Oracle::ComponentNumber> Oracle::ComponentsOn(ChannelRef channel) const {
  std::vector<ComponentNumber> numbers;
  for (const auto& [number, component] : components_) {
    const bool here = std::ranges::any_of(component.ids, [&](IdRef id) {
      return facts_.id(id).channel == channel && facts_.id(id).exists;
    });
    if (here || HasLeftOn(component, channel)) numbers.push_back(number);
  }
  return numbers;
}

// What the id meets that asks for the port of `owner`, by possibility.
void Oracle::CountClash(const PortOwner& owner, const Address& wanted, const Window& window,
                        PortClash* clash) {
  Component& component = ComponentOf(owner.id);
  Judgement ignored;
  if (!Close(&component, window, &ignored)) return;
  size_t wildcard = 0;
  size_t same = 0;
  for (const Possibility& p : component.set.items()) {
    const uint8_t i = p.Find(owner.id);
    if (i == kNoId || (p.ids[i].closed && !p.ids[i].abandoned)) continue;
    const Address owned = facts_.OwnedAddress(owner, p.ids[i]);
    if (wanted.AnyOrLoopback() || owned.AnyOrLoopback())
      ++wildcard;
    else if (owned == wanted)
      ++same;
  }
  const auto note = [&](size_t holding, Certainty* which) {
    if (holding == component.set.size())
      *which = Certainty::kYes;
    else if (holding > 0 && *which == Certainty::kNo)
      *which = Certainty::kMaybe;
  };
  note(wildcard, &clash->wildcard);
  note(same, &clash->same_address);
}

PortClash Oracle::ClashFor(IdRef id, const Call& call, const Window& window) {
  PortClash clash;
  const IdInfo& info = facts_.id(id);
  // Who listens and has shared its port has to have it for itself.
  const bool listens = std::holds_alternative<call::Listen>(call) && info.shares_port;
  const Address wanted = listens ? info.bound : AddressWantedBy(call);
  if (wanted.kind == AddressKind::kNone || wanted.port == 0) return clash;
  const std::vector<PortOwner> owners = facts_.ports;
  for (const PortOwner& owner : owners) {
    if (owner.id == id || owner.kernel != info.kernel || owner.space != info.space ||
        owner.address.port != wanted.port)
      continue;
    if (!listens && info.shares_port && facts_.id(owner.id).shares_port) continue;
    const bool family_only = info.family_only.value_or(!wanted.v6);
    if (owner.family_only && family_only && owner.address.v6 != wanted.v6) continue;
    if (facts_.id(owner.id).in_scope) {
      CountClash(owner, wanted, window, &clash);
      // Owners are looked at the newest first, and the first in the way says what is wrong.
      if (clash.same_address == Certainty::kYes && clash.wildcard == Certainty::kMaybe)
        clash = {.same_address = Certainty::kMaybe, .wildcard = Certainty::kYes};
      if (clash.same_address == Certainty::kYes || clash.wildcard == Certainty::kYes) break;
      continue;
    }
    const bool wildcard = wanted.AnyOrLoopback() || owner.address.AnyOrLoopback();
    if (wildcard) clash.wildcard = Certainty::kMaybe;
    // It is unknown whether it has got the address of its interface since.
    if (!wanted.AnyOrLoopback() && (owner.address.AnyOrLoopback() || owner.address == wanted))
      clash.same_address = Certainty::kMaybe;
  }
  return clash;
}

void Oracle::MarkOutOfScope(IdRef id) {
  const IdInfo& info = facts_.id(id);
  if (!info.exists || !info.in_scope) return;
  const ComponentNumber number = info.component;
  for (const IdRef member : components_[number].ids) facts_.id(member).in_scope = false;
  components_.erase(number);
}

// Rows that every remaining possibility has used are certain; they are counted once.
void Oracle::Confirm(Component* component, Judgement* judgement) {
  if (component->set.empty()) return;
  judgement->certain |= component->set.TakeCertain(&reached_);
}

bool Oracle::Keep(Component* component, PossibilitySet next, Judgement* judgement) {
  if (next.empty()) {
    judgement->verdict = Verdict::kRefused;
    return false;
  }
  component->set = std::move(next);
  Note(*component);
  Confirm(component, judgement);
  return true;
}

}  // namespace cm::model
