// Ids that look alike: a possibility stands for all that come of it by exchanging such ids, and is
// stored once. Seven that ask one listener with the same words are in 7! orders otherwise.
//
// Ids look alike where the same was seen of them at the same time (judge/lookalikes.h); they have
// the same `IdState::alike`. Where they are exchanged, what their requests have made goes with
// them.
#ifndef MODEL_ORACLE_BELIEF_ALIKE_H_
#define MODEL_ORACLE_BELIEF_ALIKE_H_

#include <utility>
#include <vector>

#include "model/oracle/belief/state.h"

namespace cm::model {

// Exchanges ids that look alike until what is so of them is in order: the same for all that stand
// for one another.
void OrderAlike(Possibility* p);
// Old names, and new ones.
using NewNames = std::vector<std::pair<IdRef, IdRef>>;
void Rename(Possibility* p, const NewNames& names);
// Exchanges two ids, with what their requests have made.
void Exchange(Possibility* p, IdRef a, IdRef b);

}  // namespace cm::model

#endif  // MODEL_ORACLE_BELIEF_ALIKE_H_
