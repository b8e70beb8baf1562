#include "conformance/walks/walk.h"

#include <algorithm>
#include <array>
#include <initializer_list>

#include "conformance/walks/walks.h"
#include "model/vocabulary/call_addresses.h"

namespace cm {
namespace {

constexpr Capabilities Need(std::initializer_list<Capability> all) {
  Capabilities needs;
  for (const Capability c : all) needs = needs.With(c);
  return needs;
}

using enum Capability;
constexpr auto kWalks = std::to_array<Walk>({
#define CM_WALK(function, name, weight, sentence, ...) \
  {name, weight, function, Need({__VA_ARGS__}), sentence},
    CM_WALKS(CM_WALK)
#undef CM_WALK
});

}  // namespace

std::span<const Walk> Walks() { return kWalks; }

const Walk* FindWalk(std::string_view name) {
  for (const Walk& walk : kWalks)
    if (walk.name == name) return &walk;
  return nullptr;
}

bool Walkable(const Walk& walk, const DrawOptions& options) {
  if (!options.capabilities.Includes(walk.needs)) return false;
  // Only a bond fails over.
  return !walk.needs.Has(kFailOver) ||
         std::ranges::any_of(options.topology->devices, &DeviceInfo::bonded);
}

// Where interfaces have no IPv4 addresses, what was drawn over IPv4 is done over IPv6.
static void DoOverV6(Conversation* conversation) {
  const auto turn = [](Address& address) {
    const bool has_family =
        address.kind != AddressKind::kNone && address.kind != AddressKind::kBadFamily;
    address.v6 |= has_family;
  };
  for (Line& line : conversation->lines)
    if (auto* one = std::get_if<line::Calls>(&line)) EachAddress(one->call, turn);
}

static Conversation DrawOne(const DrawOptions& asked, Choice& choice) {
  DrawOptions options = asked;
  if (options.topology == nullptr) {
    const size_t at =
        DrawByWeight(choice, asked.topologies, &TopologyShare::weight, "which topology");
    options.topology = asked.topologies[at].topology;
  }
  const Walk* walk = options.walk.empty() ? nullptr : FindWalk(options.walk);
  if (walk == nullptr) {
    const auto weight = [&](const Walk& w) { return Walkable(w, options) ? w.weight : 0; };
    walk = &kWalks[DrawByWeight(choice, kWalks, weight, "which walk")];
  }
  ConversationBuilder builder(options, &choice);
  walk->walk(builder);
  Conversation conversation = builder.Finish();
  if (std::ranges::any_of(options.topology->devices, &std::string::empty, &DeviceInfo::v4))
    DoOverV6(&conversation);
  conversation.origin = Origin{.seed = options.seed,
                               .index = options.index,
                               .walk = std::string(walk->name),
                               .options = "calls=" + std::to_string(options.calls)};
  return conversation;
}

Conversation DrawFrom(const DrawOptions& options, Choice& choice) {
  constexpr int kTries = 100;
  Conversation drawn = DrawOne(options, choice);
  for (int tries = 1; options.suits && !options.suits(drawn) && tries < kTries; ++tries)
    drawn = DrawOne(options, choice);
  return drawn;
}

Conversation Draw(const DrawOptions& options) {
  StreamState stream = NamedStream(options.seed, "walk " + std::to_string(options.index));
  RandomChoice choice(&stream);
  return DrawFrom(options, choice);
}

}  // namespace cm
