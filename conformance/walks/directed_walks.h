// Walks that make one kind of trouble certain.
#ifndef CONFORMANCE_WALKS_DIRECTED_WALKS_H_
#define CONFORMANCE_WALKS_DIRECTED_WALKS_H_

#include "conformance/walks/stage.h"

namespace cm {

void LifeOfAConnection(Stage& stage);
void MessagesAreLost(Stage& stage);
void MessagesAreDisturbed(Stage& stage);
void NobodyAnswers(Stage& stage);
void Refusals(Stage& stage);
void AnswersOutOfPlace(Stage& stage);
void DeviceRemoved(Stage& stage);
void AddressChanges(Stage& stage);
void SourceGoes(Stage& stage);
void NeighbourChanges(Stage& stage);
void SubnetsAreAsked(Stage& stage);
void LinkGoesDown(Stage& stage);
void PeerExits(Stage& stage);
void DestroyWaits(Stage& stage);
void Crowd(Stage& stage);
void ArgumentLimits(Stage& stage);
void OddAddresses(Stage& stage);
void RemovedUnread(Stage& stage);
void ReplyCannotBeFollowed(Stage& stage);
void AbandonedHoldsUp(Stage& stage);
void PortsMeet(Stage& stage);
void DatagramServices(Stage& stage);  // datagram_walk.cc
// host_walks.cc
void HostCrashes(Stage& stage);
void LinkFlaps(Stage& stage);
void AddressDoubled(Stage& stage);
// misuse_walk.cc
void Misuses(Stage& stage);

}  // namespace cm

#endif  // CONFORMANCE_WALKS_DIRECTED_WALKS_H_
