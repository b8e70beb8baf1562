#include "conformance/walks/walk.h"

#include <array>

#include "conformance/walks/addrinfo_walk.h"
#include "conformance/walks/attribute_walk.h"
#include "conformance/walks/data_walk.h"
#include "conformance/walks/directed_walks.h"
#include "conformance/walks/endpoint_walk.h"
#include "conformance/walks/migration_walk.h"
#include "conformance/walks/multicast_walk.h"
#include "conformance/walks/option_walk.h"
#include "conformance/walks/stray_walk.h"
#include "conformance/walks/synchronous_walk.h"
#include "conformance/walks/thread_walk.h"
#include "model/base/check.h"

namespace cm {
namespace {

constexpr Capabilities kNothing;

constexpr Capabilities Need(Capability a) { return kNothing.With(a); }
constexpr Capabilities Need(Capability a, Capability b) { return kNothing.With(a).With(b); }

constexpr auto kWalks = std::to_array<Walk>({
    {"random", "Anything, legal and illegal, with weights that each run draws for itself.", 60,
     kNothing, false, RandomWalk},
    {"life", "A connection from its first call to the end of timewait.", 8, Need(Capability::kTime),
     false, LifeOfAConnection},
    {"loss", "Messages of one kind are lost.", 8, Need(Capability::kDrop, Capability::kTime), false,
     MessagesAreLost},
    {"disturbance", "Messages are late, doubled or out of order.", 4,
     Need(Capability::kDelay, Capability::kTime), false, MessagesAreDisturbed},
    {"strays", "Messages arrive where nobody expects them any more.", 4,
     Need(Capability::kDelay, Capability::kTime), false, StrayMessages},
    {"patience", "Nobody answers, and every timer runs out.", 2,
     Need(Capability::kDrop, Capability::kTime), false, NobodyAnswers},
    {"refusal", "A request is refused in every way there is.", 6, kNothing, false, Refusals},
    {"out-of-place", "Accept, reject and establish at the wrong time.", 6, Need(Capability::kTime),
     false, AnswersOutOfPlace},
    {"removal", "A device goes away under ids in many states.", 4, Need(Capability::kRemoveDevice),
     false, DeviceRemoved},
    {"address-change", "The bond under a side fails over.", 24, Need(Capability::kFailOver), true,
     AddressChanges},
    {"source-lost", "The bond fails over under ids that have taken its address.", 20,
     Need(Capability::kFailOver, Capability::kTime), true, SourceGoes},
    {"neighbour", "The peer's hardware address changes.", 3,
     Need(Capability::kNeighbour, Capability::kTime), false, NeighbourChanges},
    {"link", "The link goes down before a step.", 3, Need(Capability::kLink, Capability::kTime),
     false, LinkGoesDown},
    {"exit", "A process exits without a word.", 3, Need(Capability::kExit, Capability::kTime),
     false, PeerExits},
    {"destroy-waits", "Destroying an id with an event in hand.", 1, Need(Capability::kLanes), false,
     DestroyWaits},
    {"crowd", "Many ask one listener before it looks.", 6, kNothing, false, Crowd},
    {"limits", "Arguments at their limits, and one beyond.", 4, kNothing, false, ArgumentLimits},
    {"odd-addresses", "Addresses that lead nowhere, or only half of the way.", 5, kNothing, false,
     OddAddresses},
    {"removed-unread", "A device goes away while events of its ids are unread.", 3,
     Need(Capability::kRemoveDevice), false, RemovedUnread},
    {"no-follow", "A reply that the library cannot follow.", 2, kNothing, false,
     ReplyCannotBeFollowed},
    {"held-up", "An abandoned id holds up whoever destroys it.", 1, Need(Capability::kTime), false,
     AbandonedHoldsUp},
    {"misuse", "Calls on what is gone, and what is left behind.", 4,
     Need(Capability::kMisuse, Capability::kLanes), false, Misuses},
    {"ports", "Ports that are taken, shared and freed.", 4, kNothing, false, PortsMeet},
    {"attributes", "Attributes, options of vendors and notices, asked for in every state.", 12,
     kNothing, false, AttributesInEveryState},
    {"synchronous", "A client or a server, or both, on synchronous ids.", 6,
     Need(Capability::kLanes), false, SynchronousCalls},
    {"datagrams", "Services of datagrams are asked for, found and refused.", 9, kNothing, false,
     DatagramServices},
    {"threads", "Several threads at once, on ids of their own, on one id and on one channel.", 8,
     Need(Capability::kLanes), false, ThreadsAtOnce},
    {"options", "Options of ids in every state, shared ports, and timers of their own.", 8,
     kNothing, false, OptionsInEveryState},
    {"migration", "Ids move from channel to channel, with what is unread and unacknowledged.", 6,
     Need(Capability::kLanes), false, IdsMove},
    {"multicast", "Groups are joined and left, by ids in every state.", 6, kNothing, false,
     GroupsAreJoined},
    {"endpoints", "What is looked up, made at once and destroyed at once.", 6,
     Need(Capability::kLanes), false, EndpointsMeet},
    {"addrinfo", "Ids look addresses up and are written to, in every state.", 4,
     Need(Capability::kLaterCalls, Capability::kLanes), false, AddressesForIds},
    {"data", "Messages, reads and writes; then the connection ends, with work posted.", 5,
     Need(Capability::kData, Capability::kTime), false, DataMoves},
    {"subnet", "The administrator of a subnet is asked, and may be silent.", 12,
     Need(Capability::kSilenceSm, Capability::kTime), false, SubnetsAreAsked},
    {"crash", "A host stops without a word, and may start again.", 4,
     Need(Capability::kHostCrash, Capability::kTime), false, HostCrashes},
    {"flapping", "The link goes down and up by itself, again and again.", 3,
     Need(Capability::kFlap, Capability::kTime), false, LinkFlaps},
    {"doubled-address", "Another host answers for the address of a side.", 2,
     Need(Capability::kDuplicateAddress, Capability::kTime), false, AddressDoubled},
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
  bool bonded = false;
  for (const DeviceInfo& device : options.topology->devices) bonded |= device.bonded;
  return bonded || !walk.needs_bond;
}

namespace {

// Which of several topologies a sequence takes place on.
TopologyRef DrawTopology(const DrawOptions& options, Choice& choice) {
  int total = 0;
  for (const TopologyShare& share : options.topologies) total += share.weight;
  auto at = static_cast<int>(choice.Below(static_cast<uint64_t>(total), "which topology"));
  for (const TopologyShare& share : options.topologies) {
    at -= share.weight;
    if (at < 0) return share.topology;
  }
  return options.topologies.back().topology;
}

}  // namespace

Conversation DrawFrom(const DrawOptions& asked, Choice& choice) {
  DrawOptions options = asked;
  if (options.topology == nullptr) options.topology = DrawTopology(asked, choice);
  const Walk* walk = options.walk.empty() ? nullptr : FindWalk(options.walk);
  if (walk == nullptr) {
    int total = 0;
    for (const Walk& w : kWalks)
      if (Walkable(w, options)) total += w.weight;
    auto at = static_cast<int>(choice.Below(static_cast<uint64_t>(total), "which walk"));
    for (const Walk& w : kWalks) {
      if (!Walkable(w, options)) continue;
      walk = &w;
      at -= w.weight;
      if (at < 0) break;
    }
  }
  CM_CHECK(walk != nullptr);
  Stage stage(options, &choice);
  walk->walk(stage);
  stage.Epilogue();
  Conversation conversation = stage.Take();
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
