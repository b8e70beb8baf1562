#include "model/oracle/judge/components.h"

#include <algorithm>

namespace cm::model {

Hits Components::Sum(Hits a, const Hits& b) {
  for (size_t i = 0; i < a.size(); ++i) a[i] = static_cast<uint8_t>(a[i] + b[i]);
  return a;
}

Hits Components::OwnHits(const Component& component) {
  if (component.set.empty()) return {};  // what it has had is refused
  Hits least = CertainHits(component.set.items());
  for (size_t i = 0; i < least.size(); ++i)
    least[i] = static_cast<uint8_t>(least[i] - component.elsewhere[i]);
  return least;
}

Hits Components::HitsExcept(Number a, Number b) const {
  Hits all = hits_before_;
  for (const auto& [number, component] : components_)
    if (number != a && number != b) all = Sum(all, OwnHits(component));
  return all;
}

bool Components::CountHitsElsewhere(Number number) {
  if (facts_.allowances == Hits{}) return true;
  Component& component = components_[number];
  const Hits now = HitsExcept(number, number);
  if (now == component.elsewhere || component.set.empty()) return true;
  PossibilitySet counted;
  for (Possibility& p : component.set.mutable_items()) {
    bool explained = true;
    for (size_t i = 0; i < now.size(); ++i) {
      p.hits[i] = static_cast<uint8_t>(p.hits[i] - component.elsewhere[i] + now[i]);
      explained &= p.hits[i] <= facts_.allowances[i];
    }
    if (explained) counted.Add(std::move(p));
  }
  component.elsewhere = now;
  component.set = std::move(counted);
  return !component.set.empty();
}

// A component of the same number is assigned, and its memory used again.
Components& Components::operator=(const Components& other) {
  if (this == &other) return *this;
  auto mine = components_.begin();
  for (const auto& [number, component] : other.components_) {
    while (mine != components_.end() && mine->first < number) mine = components_.erase(mine);
    if (mine == components_.end() || mine->first != number)
      mine = components_.emplace_hint(mine, number, component);
    else
      mine->second = component;
    ++mine;
  }
  components_.erase(mine, components_.end());
  next_ = other.next_;
  look_ahead_ = other.look_ahead_;
  hits_before_ = other.hits_before_;
  followed_ = other.followed_;
  followed_until_ = other.followed_until_;
  largest_ = other.largest_;
  return *this;
}

void Components::Add(IdRef id) {
  facts_.id(id).component = next_++;
  Possibility fresh;
  fresh.ids.push_back({.name = id});
  Component& component = Of(id);
  component.ids.push_back(id);
  component.set.Add(std::move(fresh));
}

void Components::MarkOutOfScope(IdRef id) {
  const auto found = components_.find(NumberOf(id));
  const bool judged = found != components_.end() &&
                      std::ranges::find(found->second.ids, id) != found->second.ids.end();
  if (judged)
    MarkOutOfScope(found->first);
  else
    facts_.LeaveJudgement(id);
}

void Components::MarkOutOfScope(Number number) {
  for (const IdRef member : std::vector<IdRef>(components_[number].ids))
    if (facts_.id(member).crowd.apart)
      for (const IdRef asker : AskingApart(member)) {
        facts_.id(asker).apart_from = {};
        if (NumberOf(asker) != number) MarkOutOfScope(NumberOf(asker));
      }
  std::vector<IdRef> asked;  // whether they show a member's request is not known any more
  for (const IdRef member : components_[number].ids) {
    if (AsksApart(member)) asked.push_back(facts_.id(member).apart_from);
    facts_.id(member).apart_from = {};
  }
  std::vector<IdRef> held_up;  // by a request that a member holds: when that ends is not known
  for (const IdRef member : components_[number].ids) {
    if (NumberOf(member) != number) continue;
    facts_.LeaveJudgement(member);
    if (facts_.id(member).holds.valid()) held_up.push_back(facts_.id(member).holds);
  }
  hits_before_ = Sum(hits_before_, OwnHits(components_[number]));
  components_.erase(number);
  held_up.insert(held_up.end(), asked.begin(), asked.end());
  for (const IdRef listener : held_up)
    if (facts_.id(listener).in_scope) MarkOutOfScope(listener);
}

const PossibilitySet& Components::Peek(Number number) const {
  static const PossibilitySet none;
  const auto found = components_.find(number);
  return found == components_.end() ? none : found->second.set;
}

const std::vector<Possibility>& Components::PossibilitiesOf(IdRef id) const {
  return Peek(NumberOf(id)).items();
}

std::vector<Components::Number> Components::All() const {
  std::vector<Number> numbers;
  for (const auto& [number, component] : components_) numbers.push_back(number);
  return numbers;
}

std::vector<Components::Number> Components::On(ChannelRef channel) const {
  std::vector<Number> numbers;
  for (const auto& [number, component] : components_) {
    const auto here = [&](IdRef id) {
      return facts_.id(id).channel == channel && facts_.id(id).exists;
    };
    const auto left = [&](const Possibility& p) {
      return channel.valid() && std::ranges::find(p.ids, channel, &IdState::left_on) != p.ids.end();
    };
    if (std::ranges::any_of(component.ids, here) ||
        std::ranges::any_of(component.set.items(), left))
      numbers.push_back(number);
  }
  return numbers;
}

}  // namespace cm::model
