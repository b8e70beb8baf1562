#include "tools/app/order.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <system_error>
#include <utility>

namespace cm::app {
namespace {

constexpr std::string_view kUsual = "usual";

// Without spaces, as texts have it.
std::string NameOf(std::string_view what) {
  std::string name(what);
  std::ranges::replace(name, ' ', '-');
  return name;
}

// A number that begins the text, which is removed with the letter after it.
std::optional<uint64_t> TakeNumber(std::string_view* text, char ends) {
  uint64_t number = 0;
  const char* const end = text->data() + text->size();
  const auto [at, error] = std::from_chars(text->data(), end, number);
  if (error != std::errc() || (at != end && *at != ends)) return std::nullopt;
  text->remove_prefix(static_cast<size_t>(at - text->data()) + (at == end ? 0 : 1));
  return number;
}

}  // namespace

std::string ToString(const Deviations& deviations) {
  if (deviations.empty()) return std::string(kUsual);
  std::string text;
  for (const Deviation& one : deviations)
    text += fmt::format("{}{}@{}:{}", text.empty() ? "" : ",", one.what, one.at, one.taken);
  return text;
}

std::optional<Deviations> ParseDeviations(std::string_view text) {
  Deviations deviations;
  if (text == kUsual) return deviations;
  if (text.empty()) return std::nullopt;
  while (!text.empty()) {
    const size_t sign = text.find('@');
    if (sign == 0 || sign == std::string_view::npos) return std::nullopt;
    const std::string what(text.substr(0, sign));
    text.remove_prefix(sign + 1);
    const std::optional<uint64_t> at = TakeNumber(&text, ':');
    const std::optional<uint64_t> taken = at ? TakeNumber(&text, ',') : std::nullopt;
    if (!taken) return std::nullopt;
    deviations.push_back({.what = what, .at = *at, .taken = *taken});
  }
  return deviations;
}

Order::Order(uint64_t seed, const std::optional<Deviations>& given)
    : draws_(seed != 0 && !given), seed_(seed) {
  if (!given) return;
  for (const Deviation& one : *given) given_[{one.what, one.at}] = one.taken;
}

uint64_t Order::Below(uint64_t bound, std::string_view what) {
  return bound == 1 ? 0 : BelowAt(bound, what, decided_[NameOf(what)]++);
}

uint64_t Order::BelowAt(uint64_t bound, std::string_view what, uint64_t at) {
  if (bound == 1) return 0;
  std::string name = NameOf(what);
  if (!draws_) return Take(name, at, Given(bound, name, at));
  StreamState coins = CoinsOf(name, at);
  return Take(name, at, RandomChoice(&coins).Below(bound, what));
}

uint64_t Order::OneOf(std::span<const uint8_t> outcomes, std::string_view what) {
  const std::string name = NameOf(what);
  const uint64_t at = decided_[name]++;
  if (!draws_) return Take(name, at, Given(std::ranges::max(outcomes) + uint64_t{1}, name, at));
  StreamState coins = CoinsOf(name, at);
  return Take(name, at, outcomes[RandomChoice(&coins).Below(outcomes.size(), what)]);
}

StreamState Order::CoinsOf(std::string_view name, uint64_t at) const {
  return NamedStream(seed_, fmt::format("order {}@{}", name, at));
}

// What was decided in another run may not be there in this one.
uint64_t Order::Given(uint64_t bound, const std::string& name, uint64_t at) const {
  const auto found = given_.find({name, at});
  return found == given_.end() || found->second >= bound ? 0 : found->second;
}

uint64_t Order::Take(const std::string& name, uint64_t at, uint64_t taken) {
  if (taken != 0 && told_.emplace(name, at).second)
    taken_.push_back({.what = name, .at = at, .taken = taken});
  return taken;
}

}  // namespace cm::app
