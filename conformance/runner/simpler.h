// What is a little simpler than a conversation: the moves of the shrinker.
#ifndef CONFORMANCE_RUNNER_SIMPLER_H_
#define CONFORMANCE_RUNNER_SIMPLER_H_

#include <cstddef>
#include <vector>

#include "model/conversation/conversation.h"

namespace cm {

// Without the lines [from, from + count).
Conversation WithoutLines(const Conversation& conversation, size_t from, size_t count);
Conversation WithoutTwo(const Conversation& conversation, size_t a, size_t b);

// Without every line that speaks of one id, of one channel and its ids, of one fetched event.
std::vector<Conversation> WithoutOneName(const Conversation& conversation);
// One id, or one channel, does what two did.
std::vector<Conversation> WithTwoNamesAsOne(const Conversation& conversation);
// Who connects or accepts without a queue pair has a number of his own: with one number for both
// ends of a device the kernel takes the reply for one of a stale connection.
void GiveNumbers(Conversation* conversation);
// A call that is to be made at once with others, none of which is left, is an ordinary one.
void LetGoAlone(Conversation* conversation);
// Without a queue pair: those who connect give a number instead.
std::vector<Conversation> WithoutQueuePairs(const Conversation& conversation);
// One line says the same more plainly: default parameters, no private data, the first lane.
std::vector<Conversation> WithOneLineSimpler(const Conversation& conversation);
// An event is left where it is; the world settles instead.
std::vector<Conversation> WithoutOneFetch(const Conversation& conversation);
// Who connects has no queue pair, and establishes itself rather than fetch ESTABLISHED.
std::vector<Conversation> WithOneEstablishing(const Conversation& conversation);
// A listener with a smaller backlog, and one id fewer to fill it.
std::vector<Conversation> WithSmallerBacklog(const Conversation& conversation);

// Not simpler by themselves, but something may become unnecessary by them: a fault hits the other
// side, a request is rejected rather than accepted, both sides are one, nobody hears a side, the
// sides change their parts from some line on.
std::vector<Conversation> Detours(const Conversation& conversation);

}  // namespace cm

#endif  // CONFORMANCE_RUNNER_SIMPLER_H_
