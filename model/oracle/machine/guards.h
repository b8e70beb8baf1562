// Which guard a call meets in a possibility.
#ifndef MODEL_ORACLE_MACHINE_GUARDS_H_
#define MODEL_ORACLE_MACHINE_GUARDS_H_

#include <optional>

#include "model/base/inline_vector.h"
#include "model/oracle/belief/conversation_facts.h"
#include "model/oracle/belief/fault_model.h"
#include "model/oracle/belief/state.h"
#include "model/oracle/machine/guard_row.h"

namespace cm::model {

// What rdma_connect and rdma_accept are given; null for other calls.
const std::optional<ConnParam>* ParamOf(const Call& call);
// A depth is left to the device.
bool LeavesDepthOpen(const std::optional<ConnParam>& param);
// The device does not have the depth, and it is not the one that is left to it.
bool DepthTooLarge(uint8_t depth, const Limits& limits);
// The call names such a depth.
bool DepthTooLarge(const Call& call, const Limits& limits);
bool SpaceKnown(PortSpace space);
// The address that a call would bind the id to; kNone when it binds nothing.
Address AddressWantedBy(const Call& call);
// What a call asks to join; `address` is that of the group.
struct Joins {
  Address address;
  uint16_t context = 0;
  bool send_only = false;
};
// None for calls that join nothing.
std::optional<Joins> JoinsOf(const Call& call);
// Which question rdma_init_qp_attr asks the IB CM; none where it refuses unasked.
std::optional<IbStimulus> AsksFor(const call::InitQpAttr& call);
// What rdma_notify tells the IB CM, if it listens to that.
std::optional<IbStimulus> Tells(const call::Notify& call);

// The first guard that holds, in the order of GuardsOf; more than one where it is not certain
// whether the earlier ones hold.
InlineVector<Guard, 6> GuardsMet(const Situation& s);
// The rows of lower tables that were asked on the way to the guard.
RuleBits ConsultedBy(const ConversationFacts& facts, const IdState& id, const Call& call,
                     Guard guard);

}  // namespace cm::model

#endif  // MODEL_ORACLE_MACHINE_GUARDS_H_
