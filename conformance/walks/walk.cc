#include "conformance/walks/walk.h"

#include <algorithm>
#include <array>
#include <initializer_list>

#include "conformance/walks/walks.h"

namespace cm {
namespace {

constexpr Capabilities Need(std::initializer_list<Capability> all) {
  Capabilities needs;
  for (const Capability c : all) needs = needs.With(c);
  return needs;
}

using enum Capability;
constexpr Capabilities kNothing;

constexpr auto kWalks = std::to_array<Walk>({
    {"random", 60, RandomWalk, kNothing,
     "Anything, legal and illegal, with weights that each run draws for itself."},
    {"life", 8, LifeOfAConnection, Need({kTime}),
     "A connection from its first call to the end of timewait."},
    {"loss", 8, MessagesAreLost, Need({kDrop, kTime}), "Messages of one kind are lost."},
    {"disturbance", 4, MessagesAreDisturbed, Need({kDelay, kTime}),
     "Messages are late, doubled or out of order."},
    {"strays", 4, StrayMessages, Need({kDelay, kTime}),
     "Messages arrive where nobody expects them any more."},
    {"patience", 2, NobodyAnswers, Need({kDrop, kTime}),
     "Nobody answers, and every timer runs out."},
    {"refusal", 6, Refusals, kNothing, "A request is refused in every way there is."},
    {"out-of-place", 6, AnswersOutOfPlace, Need({kTime}),
     "Accept, reject and establish at the wrong time."},
    {"removal", 4, DeviceRemoved, Need({kRemoveDevice}),
     "A device goes away under ids in many states."},
    {"address-change", 24, AddressChanges, Need({kFailOver}), "The bond under a side fails over."},
    {"source-lost", 20, SourceGoes, Need({kFailOver, kTime}),
     "The bond fails over under ids that have taken its address."},
    {"neighbour", 3, NeighbourChanges, Need({kNeighbour, kTime}),
     "The peer's hardware address changes."},
    {"link", 3, LinkGoesDown, Need({kLink, kTime}), "The link goes down before a step."},
    {"exit", 3, PeerExits, Need({kExit, kTime}), "A process exits without a word."},
    {"destroy-waits", 1, DestroyWaits, Need({kLanes}), "Destroying an id with an event in hand."},
    {"crowd", 6, Crowd, kNothing, "Many ask one listener before it looks."},
    {"limits", 4, ArgumentLimits, kNothing, "Arguments at their limits, and one beyond."},
    {"odd-addresses", 5, OddAddresses, kNothing,
     "Addresses that lead nowhere, or only half of the way."},
    {"removed-unread", 3, RemovedUnread, Need({kRemoveDevice}),
     "A device goes away while events of its ids are unread."},
    {"no-follow", 2, ReplyCannotBeFollowed, kNothing, "A reply that the library cannot follow."},
    {"held-up", 1, AbandonedHoldsUp, Need({kTime}),
     "An abandoned id holds up whoever destroys it."},
    {"misuse", 4, Misuses, Need({kMisuse, kLanes}),
     "Calls on what is gone, and what is left behind."},
    {"ports", 4, PortsMeet, kNothing, "Ports that are taken, shared and freed."},
    {"attributes", 12, AttributesInEveryState, kNothing,
     "Attributes, options of vendors and notices, asked for in every state."},
    {"synchronous", 6, SynchronousCalls, Need({kLanes}),
     "A client or a server, or both, on synchronous ids."},
    {"datagrams", 9, DatagramServices, kNothing,
     "Services of datagrams are asked for, found and refused."},
    {"threads", 8, ThreadsAtOnce, Need({kLanes}),
     "Several threads at once, on ids of their own, on one id and on one channel."},
    {"options", 8, OptionsInEveryState, kNothing,
     "Options of ids in every state, shared ports, and timers of their own."},
    {"migration", 6, IdsMove, Need({kLanes}),
     "Ids move from channel to channel, with what is unread and unacknowledged."},
    {"multicast", 6, GroupsAreJoined, kNothing,
     "Groups are joined and left, by ids in every state."},
    {"endpoints", 6, EndpointsMeet, Need({kLanes}),
     "What is looked up, made at once and destroyed at once."},
    {"addrinfo", 4, AddressesForIds, Need({kLaterCalls, kLanes}),
     "Ids look addresses up and are written to, in every state."},
    {"data", 5, DataMoves, Need({kData, kTime}),
     "Messages, reads and writes; then the connection ends, with work posted."},
    {"subnet", 12, SubnetsAreAsked, Need({kSilenceSm, kTime}),
     "The administrator of a subnet is asked, and may be silent."},
    {"crash", 4, HostCrashes, Need({kHostCrash, kTime}),
     "A host stops without a word, and may start again."},
    {"flapping", 3, LinkFlaps, Need({kFlap, kTime}),
     "The link goes down and up by itself, again and again."},
    {"doubled-address", 2, AddressDoubled, Need({kDuplicateAddress, kTime}),
     "Another host answers for the address of a side."},
});

}  // namespace

std::span<const Walk> Walks() { return kWalks; }

const Walk* FindWalk(std::string_view name) {
  for (const Walk& walk : kWalks)
    if (walk.name == name) return &walk;
  return nullptr;
}

bool Walkable(const Walk& walk, const DrawOptions& options) {
  for (int i = 0; i < kCapabilityCount; ++i) {
    const auto c = static_cast<Capability>(i);
    if (walk.needs.Has(c) && !options.capabilities.Has(c)) return false;
  }
  // Only a bond fails over.
  return !walk.needs.Has(kFailOver) ||
         std::ranges::any_of(options.topology->devices, &DeviceInfo::bonded);
}

Conversation DrawFrom(const DrawOptions& asked, Choice& choice) {
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
  builder.Epilogue();
  Conversation conversation = builder.Take();
  conversation.origin = Origin{.seed = options.seed,
                               .index = options.index,
                               .walk = std::string(walk->name),
                               .options = "calls=" + std::to_string(options.calls)};
  return conversation;
}

Conversation Draw(const DrawOptions& options) {
  StreamState stream = NamedStream(options.seed, "walk " + std::to_string(options.index));
  RandomChoice choice(&stream);
  return DrawFrom(options, choice);
}

}  // namespace cm
