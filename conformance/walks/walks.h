// The walks of the catalogue, by the file that has them.
#ifndef CONFORMANCE_WALKS_WALKS_H_
#define CONFORMANCE_WALKS_WALKS_H_

#include "conformance/walks/stage.h"

namespace cm {

// random_walk.cc: anything, legal or not, in any order.
void RandomWalk(Stage& stage);
// addrinfo_walk.cc
void AddressesForIds(Stage& stage);
// attribute_walk.cc
void AttributesInEveryState(Stage& stage);
// data_walk.cc
void DataMoves(Stage& stage);
// datagram_walk.cc
void DatagramServices(Stage& stage);
// directed_walks.cc
void LifeOfAConnection(Stage& stage);
void MessagesAreLost(Stage& stage);
void MessagesAreDisturbed(Stage& stage);
void NobodyAnswers(Stage& stage);
void Refusals(Stage& stage);
void AnswersOutOfPlace(Stage& stage);
void DestroyWaits(Stage& stage);
void Crowd(Stage& stage);
void ArgumentLimits(Stage& stage);
void OddAddresses(Stage& stage);
void ReplyCannotBeFollowed(Stage& stage);
void AbandonedHoldsUp(Stage& stage);
void PortsMeet(Stage& stage);
// endpoint_walk.cc
void EndpointsMeet(Stage& stage);
// environment_walks.cc
void DeviceRemoved(Stage& stage);
void AddressChanges(Stage& stage);
void SourceGoes(Stage& stage);
void NeighbourChanges(Stage& stage);
void LinkGoesDown(Stage& stage);
void PeerExits(Stage& stage);
void RemovedUnread(Stage& stage);
void HostCrashes(Stage& stage);
void LinkFlaps(Stage& stage);
void AddressDoubled(Stage& stage);
// migration_walk.cc
void IdsMove(Stage& stage);
// misuse_walk.cc
void Misuses(Stage& stage);
// multicast_walk.cc
void GroupsAreJoined(Stage& stage);
// option_walk.cc
void OptionsInEveryState(Stage& stage);
// random_walk.cc
// stray_walk.cc
void StrayMessages(Stage& stage);
// subnet_walk.cc
void SubnetsAreAsked(Stage& stage);
// synchronous_walk.cc
void SynchronousCalls(Stage& stage);
// thread_walk.cc
void ThreadsAtOnce(Stage& stage);

}  // namespace cm

#endif  // CONFORMANCE_WALKS_WALKS_H_
