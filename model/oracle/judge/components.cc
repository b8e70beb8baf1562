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
  const IdInfo& info = facts_.id(id);
  if (!info.exists || !info.in_scope) return;
  const Number number = info.component;
  for (const IdRef member : components_[number].ids) facts_.id(member).in_scope = false;
  components_.erase(number);
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
