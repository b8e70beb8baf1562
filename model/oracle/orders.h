// Calls that several threads made at once: what was seen of them must be what some order of them,
// one after the other, would have shown.
#ifndef MODEL_ORACLE_ORDERS_H_
#define MODEL_ORACLE_ORDERS_H_

#include <functional>

#include "model/conversation/history.h"
#include "model/oracle/judge.h"
#include "model/vocabulary/profile.h"

namespace cm::model {

// A history with its records in one order in which they may have come about, and the judgement of
// it. Only records of calls that were made at once change places.
struct InOrder {
  History history;
  HistoryVerdict verdict;
};

// Whether calls are made at once in it.
bool HasTogether(const Conversation& conversation);

// The first order that the rows permit and that is `enough` for whoever asks; else the first that
// they permit; else, refused, the one that came furthest. Inconclusive after some thousand orders.
InOrder FindOrder(
    const History& history, const Profile& profile,
    const std::function<bool(const History&)>& enough = [](const History&) { return true; });

// The same as if one thread after the other had been let go: no line is made at once with another,
// and those of them that could not be made are left out, as are messages on the wire.
History InSequence(const History& in_order);

}  // namespace cm::model

#endif  // MODEL_ORACLE_ORDERS_H_
