#include "model/oracle/judge/components.h"

#include <algorithm>

#include "model/oracle/machine/left_requests.h"

namespace cm::model {

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
  std::vector<IdRef> held_up;  // by a request that a member holds: when that ends is not known
  for (const IdRef member : components_[number].ids) {
    if (NumberOf(member) != number) continue;
    facts_.LeaveJudgement(member);
    if (facts_.id(member).holds.valid()) held_up.push_back(facts_.id(member).holds);
  }
  components_.erase(number);
  for (const IdRef listener : held_up)
    if (facts_.id(listener).in_scope) MarkOutOfScope(listener);
}

const std::vector<Possibility>& Components::PossibilitiesOf(IdRef id) const {
  static const std::vector<Possibility> none;
  const auto found = components_.find(NumberOf(id));
  return found == components_.end() ? none : found->second.set.items();
}

std::vector<Components::Number> Components::All() const {
  std::vector<Number> numbers;
  for (const auto& [number, component] : components_) numbers.push_back(number);
  return numbers;
}

std::vector<Components::Number> Components::On(ChannelRef channel) const {
  std::vector<Number> numbers;
  for (const auto& [number, component] : components_) {
    const bool here = std::ranges::any_of(component.ids, [&](IdRef id) {
      return facts_.id(id).channel == channel && facts_.id(id).exists;
    });
    const bool left = std::ranges::any_of(
        component.set.items(), [&](const Possibility& p) { return HasLeftOn(p, channel); });
    if (here || left) numbers.push_back(number);
  }
  return numbers;
}

}  // namespace cm::model
