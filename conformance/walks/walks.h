// The walks of the catalogue, by the file that has them.
#ifndef CONFORMANCE_WALKS_WALKS_H_
#define CONFORMANCE_WALKS_WALKS_H_

#include "conformance/walks/conversation_builder.h"

namespace cm {

// random_walk.cc: anything, legal or not, in any order.
void RandomWalk(ConversationBuilder& builder);
// addrinfo_walk.cc
void AddressesForIds(ConversationBuilder& builder);
// attribute_walk.cc
void AttributesInEveryState(ConversationBuilder& builder);
// data_walk.cc
void DataMoves(ConversationBuilder& builder);
// datagram_walk.cc
void DatagramServices(ConversationBuilder& builder);
// directed_walks.cc
void LifeOfAConnection(ConversationBuilder& builder);
void MessagesAreLost(ConversationBuilder& builder);
void MessagesAreDisturbed(ConversationBuilder& builder);
void NobodyAnswers(ConversationBuilder& builder);
void Refusals(ConversationBuilder& builder);
void AnswersOutOfPlace(ConversationBuilder& builder);
void DestroyWaits(ConversationBuilder& builder);
void Crowd(ConversationBuilder& builder);
void ArgumentLimits(ConversationBuilder& builder);
void OddAddresses(ConversationBuilder& builder);
void ReplyCannotBeFollowed(ConversationBuilder& builder);
void AbandonedHoldsUp(ConversationBuilder& builder);
void PortsMeet(ConversationBuilder& builder);
// endpoint_walk.cc
void EndpointsMeet(ConversationBuilder& builder);
// environment_walks.cc
void DeviceRemoved(ConversationBuilder& builder);
void AddressChanges(ConversationBuilder& builder);
void SourceGoes(ConversationBuilder& builder);
void NeighbourChanges(ConversationBuilder& builder);
void LinkGoesDown(ConversationBuilder& builder);
void PeerExits(ConversationBuilder& builder);
void RemovedUnread(ConversationBuilder& builder);
void HostCrashes(ConversationBuilder& builder);
void LinkFlaps(ConversationBuilder& builder);
void AddressDoubled(ConversationBuilder& builder);
// migration_walk.cc
void IdsMove(ConversationBuilder& builder);
// misuse_walk.cc
void Misuses(ConversationBuilder& builder);
// multicast_walk.cc
void GroupsAreJoined(ConversationBuilder& builder);
// option_walk.cc
void OptionsInEveryState(ConversationBuilder& builder);
// random_walk.cc
// stray_walk.cc
void StrayMessages(ConversationBuilder& builder);
// subnet_walk.cc
void SubnetsAreAsked(ConversationBuilder& builder);
// synchronous_walk.cc
void SynchronousCalls(ConversationBuilder& builder);
// thread_walk.cc
void ThreadsAtOnce(ConversationBuilder& builder);

}  // namespace cm

#endif  // CONFORMANCE_WALKS_WALKS_H_
