// Concurrent calls of several threads: their observations must be possible for some order of the
// calls.
#ifndef MODEL_ORACLE_ORDERS_H_
#define MODEL_ORACLE_ORDERS_H_

#include <functional>

#include "model/conversation/history.h"
#include "model/oracle/judge.h"
#include "model/vocabulary/profile.h"

namespace cm::model {

// A history with its records in a possible order, and the verdict on it. Only records of
// concurrent calls are reordered.
struct InOrder {
  History history;
  HistoryResult verdict;
};

// Whether it has concurrent calls.
bool HasTogether(const Conversation& conversation);

// The first order that the rows permit and for which `enough` returns true; else the first that
// they permit; else, refused, the one that got furthest. Inconclusive after some thousand orders.
InOrder FindOrder(
    const History& history, const Profile& profile,
    const std::function<bool(const History&)>& enough = [](const History&) { return true; });

// The equivalent sequential history: no line is concurrent with another, and calls that could not
// be made are left out, as are messages on the wire.
History InSequence(const History& in_order);

}  // namespace cm::model

#endif  // MODEL_ORACLE_ORDERS_H_
