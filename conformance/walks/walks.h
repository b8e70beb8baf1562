// The walks: X(function, name, weight in the default mix, sentence, capabilities that the
// environment must have). Each is a function of the file with its topic.
#ifndef CONFORMANCE_WALKS_WALKS_H_
#define CONFORMANCE_WALKS_WALKS_H_

#include "conformance/walks/conversation_builder.h"

// clang-format off
#define CM_WALKS(X) \
  X(RandomWalk, "random", 60, \
    "Anything, legal and illegal, with weights that each run draws for itself.") \
  X(LifeOfAConnection, "life", 8, \
    "A connection from its first call to the end of timewait.", kTime) \
  X(MessagesAreLost, "loss", 8, "Messages of one kind are lost.", kDrop, kTime) \
  X(MessagesAreDisturbed, "disturbance", 4, \
    "Messages are delayed, duplicated or reordered.", kDelay, kTime) \
  X(MessagesArriveLate, "strays", 4, \
    "Late messages for ids that have moved on or are gone.", kDelay, kTime) \
  X(NobodyAnswers, "patience", 2, \
    "The peer does not answer, and every timer expires.", kDrop, kTime) \
  X(Refusals, "refusal", 6, "A request is rejected in every possible way.") \
  X(AnswersOutOfPlace, "out-of-place", 6, \
    "Accept, reject and establish at the wrong time.", kTime) \
  X(DeviceRemoved, "removal", 4, "A device is removed under ids in many states.", kRemoveDevice) \
  X(AddressChanges, "address-change", 24, "The bond under a side fails over.", kFailOver) \
  X(SourceGoes, "source-lost", 20, \
    "The bond fails over under ids that use its address.", kFailOver, kTime) \
  X(NeighbourChanges, "neighbour", 3, \
    "The peer's hardware address changes, or is forgotten.", kNeighbour, kTime) \
  X(LinkGoesDown, "link", 3, "The link goes down before a step.", kLink, kTime) \
  X(PeerExits, "exit", 3, "A process exits without disconnecting.", kExit, kTime) \
  X(DestroyWaits, "destroy-waits", 1, "Destroying an id with an unacknowledged event.", kLanes) \
  X(Crowd, "crowd", 6, "Many ids connect to one listener before it fetches.") \
  /* By name alone: what is found in it does not get short. */ \
  X(Multitude, "multitude", 0, "Up to sixty-four ids connect to one listener.", kDropNth, kTime) \
  X(ArgumentLimits, "limits", 4, "Arguments at their limits, and one beyond.") \
  X(OddAddresses, "odd-addresses", 5, "Addresses that cannot be resolved, or have no route.") \
  X(RemovedUnread, "removed-unread", 3, \
    "A device is removed while events of its ids are unread.", kRemoveDevice) \
  X(ReplyCannotBeFollowed, "no-follow", 2, "A reply that the library cannot process.") \
  X(AbandonedHoldsUp, "held-up", 1, \
    "The destroy of an abandoned id waits for its request.", kTime) \
  X(Misuses, "misuse", 4, \
    "Calls on destroyed objects, and objects that are never destroyed.", kMisuse, kLanes) \
  X(PortsMeet, "ports", 4, "Ports that are taken, shared and freed.") \
  X(AttributesInEveryState, "attributes", 12, \
    "Attributes, ECE options and rdma_notify, in every state.") \
  X(SynchronousCalls, "synchronous", 6, \
    "A client or a server, or both, on synchronous ids.", kLanes) \
  X(DatagramServices, "datagrams", 9, "Datagram services are looked up, found and refused.") \
  X(ThreadsAtOnce, "threads", 8, \
    "Concurrent threads, on ids of their own, on one id and on one channel.", kLanes) \
  X(OptionsInEveryState, "options", 8, \
    "Options of ids in every state, shared ports, and timers of their own.") \
  X(IdsMove, "migration", 6, \
    "Ids move from channel to channel, with unread and unacknowledged events.", kLanes) \
  X(GroupsAreJoined, "multicast", 6, "Groups are joined and left, by ids in every state.") \
  X(EndpointsMeet, "endpoints", 6, \
    "Endpoints are looked up, created and destroyed by single calls.", kLanes) \
  X(AddressesForIds, "addrinfo", 4, \
    "Ids look addresses up, and events are written to them, in every state.", kLaterCalls, kLanes) \
  X(DataMoves, "data", 5, \
    "Messages, reads and writes; then the connection ends, with work requests posted.", \
    kData, kTime) \
  X(SubnetsAreAsked, "subnet", 12, \
    "The SA of a subnet is queried, and may be silent.", kSilenceSm, kTime) \
  X(HostCrashes, "crash", 4, \
    "A host stops without disconnecting, and may start again.", kHostCrash, kTime) \
  X(LinkFlaps, "flapping", 3, "The link flaps: it goes down and up repeatedly.", kFlap, kTime) \
  X(AddressDoubled, "doubled-address", 2, \
    "Another host answers for the address of a side.", kDuplicateAddress, kTime)
// clang-format on

namespace cm {

#define CM_WALK(function, ...) void function(ConversationBuilder& builder);
CM_WALKS(CM_WALK)
#undef CM_WALK

}  // namespace cm

#endif  // CONFORMANCE_WALKS_WALKS_H_
