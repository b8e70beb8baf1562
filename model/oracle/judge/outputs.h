// Outputs of calls besides their value: attributes, options, ports, address infos.
#ifndef MODEL_ORACLE_JUDGE_OUTPUTS_H_
#define MODEL_ORACLE_JUDGE_OUTPUTS_H_

#include <vector>

#include "model/oracle/belief/conversation_facts.h"
#include "model/oracle/belief/state.h"
#include "model/vocabulary/call.h"
#include "model/vocabulary/reply.h"

namespace cm::model {

// Whether a successful call on an id has an output that depends on the id's state.
bool HasOutput(CallKind kind);
// The permitted outputs of such a call in a possibility.
std::vector<HandedOut> OutputsOf(const ConversationFacts& facts, const Possibility& p,
                                 const Call& call);
// Ports that the kernel chooses have no meaning.
bool SameOutput(const HandedOut& expected, const HandedOut& seen);

}  // namespace cm::model

#endif  // MODEL_ORACLE_JUDGE_OUTPUTS_H_
