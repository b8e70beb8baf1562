// Which guard a call meets in a possibility.
#ifndef MODEL_ORACLE_GUARDS_H_
#define MODEL_ORACLE_GUARDS_H_

#include <optional>

#include "model/base/inline_vector.h"
#include "model/oracle/knowledge.h"
#include "model/oracle/state.h"
#include "model/oracle/surroundings.h"

namespace cm::model {

// Who else holds the port that a call wants.
struct PortClash {
  Tri same_address = Tri::kNo;
  Tri wildcard = Tri::kNo;
};

// What rdma_connect and rdma_accept are given; null for other calls.
const std::optional<ConnParam>* ParamOf(const Call& call);
// A depth is left to the device.
bool LeavesDepthOpen(const std::optional<ConnParam>& param);
// The call names a depth that the device does not have.
bool DepthTooLarge(const Call& call, const Limits& limits);

class GuardFinder {
 public:
  GuardFinder(const Knowledge& knowledge, const Surroundings& surroundings, const Window& window,
              const PortClash& clash)
      : knowledge_(knowledge), surroundings_(surroundings), window_(window), clash_(clash) {}

  // The first guard that holds, in the order of GuardsOf; more than one where it is not certain
  // whether the earlier ones hold.
  InlineVector<Guard, 6> Find(const Possibility& p, uint8_t id, const Call& call) const;

  // The rows of lower tables that were asked on the way to the guard.
  RuleBits Consulted(const IdState& id, const Call& call, Guard guard) const;

  // The address that a call would bind the id to; kNone when it binds nothing.
  static Address Wanted(const Call& call);

 private:
  Tri Holds(Guard guard, const IdState& id, const IdInfo& info, const Call& call) const;
  // What the port space alone decides; empty where it makes no difference.
  std::optional<Tri> HoldsBesideTcp(Guard guard, const IdState& id, const IdInfo& info,
                                    const Call& call) const;
  // Of rdma_set_option and rdma_migrate_id; empty for what is looked at as everywhere.
  static std::optional<Tri> HoldsForOption(Guard guard, const IdState& id, const IdInfo& info,
                                           const Call& call);
  // Of the calls of the library's map 1.4, in the same way.
  std::optional<Tri> HoldsForInfo(Guard guard, const IdState& id, const Call& call) const;
  // What is different over iWARP; empty where nothing is. iw_guards.cc
  std::optional<Tri> OfTransport(Guard guard, const Possibility& p, uint8_t id,
                                 const Call& call) const;
  std::optional<Tri> OfConnecting(Guard guard, const Possibility& p, uint8_t id,
                                  const Call& call) const;
  RuleBits ConsultedOverIwarp(const IdState& id, const Call& call, Guard guard) const;
  std::optional<Tri> OfGroups(Guard guard, const IdState& id, const IdInfo& info,
                              const Call& call) const;
  RuleBits ConsultedForDatagrams(const IdState& id, const Call& call, Guard guard) const;
  Tri AddressGuard(Guard guard, const IdInfo& info, const Address& wanted) const;
  bool NoRoute(const IdInfo& info, const IdState& id, const Call& call) const;
  bool FromLoopback(const IdInfo& info, const IdState& id, const Call& call) const;
  Tri SourceLost(const IdInfo& info, const IdState& id) const;
  Tri NoDeviceAtAll(const IdInfo& info, const IdState& id, const Call& call) const;

  const Knowledge& knowledge_;
  const Surroundings& surroundings_;
  const Window& window_;
  const PortClash& clash_;
};

}  // namespace cm::model

#endif  // MODEL_ORACLE_GUARDS_H_
