// Simplifications of a conversation: the moves of the shrinker.
#ifndef CONFORMANCE_RUNNER_SIMPLER_H_
#define CONFORMANCE_RUNNER_SIMPLER_H_

#include <cstddef>
#include <vector>

#include "model/conversation/conversation.h"

namespace cm {

// Without the lines [from, from + count).
Conversation WithoutLines(const Conversation& conversation, size_t from, size_t count);
Conversation WithoutTwo(const Conversation& conversation, size_t a, size_t b);

// Without every line that names one id, one channel and its ids, one fetched event.
std::vector<Conversation> WithoutOneName(const Conversation& conversation);
// Merges two ids, or two channels, into one.
std::vector<Conversation> WithTwoNamesAsOne(const Conversation& conversation);
// Without a queue pair the application gives a number of its own: with one number for both ends of
// a device the kernel takes the reply for one of a stale connection.
void GiveNumbers(Conversation* conversation);
// A concurrent call that is alone becomes an ordinary one.
void LetGoAlone(Conversation* conversation);
// Without a queue pair: connecting sides give a number instead.
std::vector<Conversation> WithoutQueuePairs(const Conversation& conversation);
// Simplifies one line: default parameters, no private data, the first lane.
std::vector<Conversation> WithOneLineSimpler(const Conversation& conversation);
// Leaves an event unfetched; the world settles instead.
std::vector<Conversation> WithoutOneFetch(const Conversation& conversation);
// The connecting side has no queue pair, and calls rdma_establish instead of fetching ESTABLISHED.
std::vector<Conversation> WithOneEstablishing(const Conversation& conversation);
// A listener with a smaller backlog, and one id fewer to fill it.
std::vector<Conversation> WithSmallerBacklog(const Conversation& conversation);

// Not simpler by themselves, but they may make other lines unnecessary: a fault hits the other
// side, a request is rejected instead of accepted, both sides become one, a side's messages are
// dropped, the sides swap their parts from some line on.
std::vector<Conversation> Detours(const Conversation& conversation);

}  // namespace cm

#endif  // CONFORMANCE_RUNNER_SIMPLER_H_
