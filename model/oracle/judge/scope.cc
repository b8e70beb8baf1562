#include "model/oracle/judge/scope.h"

#include "model/oracle/machine/guards.h"

namespace cm::model {
namespace {

// An id that joins while more than so many are not reported is not followed: the SA answers in any
// order.
constexpr size_t kMostJoining = 5;

const PrivateData* DataOf(const Call& call) {
  if (const auto* reject = std::get_if<call::Reject>(&call)) return &reject->private_data;
  if (const auto* reject = std::get_if<call::RejectEce>(&call)) return &reject->private_data;
  const std::optional<ConnParam>* param = ParamOf(call);
  return param != nullptr && *param ? &(*param)->private_data : nullptr;
}

bool Answers(const Call& call) {
  const CallKind kind = KindOf(call);
  return kind == CallKind::kAccept || kind == CallKind::kReject || kind == CallKind::kRejectEce ||
         kind == CallKind::kEstablish;
}

bool EndsIt(const Call& call) {
  const CallKind kind = KindOf(call);
  return kind == CallKind::kDisconnect || kind == CallKind::kDestroyId ||
         kind == CallKind::kDestroyEp;
}

}  // namespace

// Of RDMA_PS_IPOIB, and on no interface of InfiniBand: it has no Q_Key.
bool Scope::IsOfAnotherLink(IdRef id) const {
  const IdInfo& info = facts_.id(id);
  const bool on_one = machine_.over_infiniband() && info.interface != kNoDevice;
  return info.space == PortSpace::kIpoib && !on_one;
}

bool Scope::HasRowsFor(const Call& call) const {
  const IdRef id = IdOf(call);
  const IdInfo& info = facts_.id(id);
  if (std::holds_alternative<call::InitQpAttr>(call) && machine_.over_infiniband())
    return !IsOfAnotherLink(id);
  // There are no rows for unreliable connections.
  if (const std::optional<call::CreateQp> create = QpAskedBy(call))
    return create->type != QpType::kUc && !IsOfAnotherLink(id);
  // Nor for two paths that change at the same time.
  const auto* notify = std::get_if<call::Notify>(&call);
  if (notify != nullptr && notify->what == call::Notify::kPathMig)
    return !components_.MayBe(id, [](const IdState& state) { return state.lap_rcvd; });
  if (!std::holds_alternative<call::Connect>(call)) return true;
  // Nor, over InfiniBand, for loopback, which has a route, and a peer that rejects requests without
  // an interface.
  return !(machine_.over_infiniband() && info.destination.AnyOrLoopback());
}

bool Scope::CanFollow(const Call& call, const Window& window) {
  // With completion events that are not acknowledged rdma_destroy_ep waits first, and then destroys
  // the id. source: rdma-core 44 cma.c rdma_destroy_ep
  if (std::holds_alternative<call::DestroyEp>(call) && facts_.work.of(IdOf(call)).CqEventsUnacked())
    return false;
  const bool too_many = machine_.over_infiniband() && JoinsOf(call) &&
                        components_.MayBe(IdOf(call), [](const IdState& own) {
                          return own.joining.size() > kMostJoining;
                        });
  return !too_many && (!machine_.over_iwarp() || CanFollowOverIwarp(call, window));
}

bool MayConnectOverIwarp(IdRef id, const ConversationFacts& facts, Components& components) {
  return components.MayBe(id, [&](const IdState& own) {
    return own.state == State::kRouteResolved && !own.closed &&
           (own.qp != QpPhase::kNone || facts.numbers_name_qps);
  });
}

// A destination that is known, and a queue pair that no other connection uses.
bool Scope::ConnectionIsCovered(const call::Connect& call, bool covered) {
  const IdInfo& info = facts_.id(call.id);
  if (info.destination.AnyOrLoopback()) return false;
  const uint32_t number = call.param ? call.param->qp_num & 0xffffff : 0;
  const uint8_t there = facts_.DeviceOf(info.destination);
  std::vector<IdRef> others;
  for (const PortOwner& owner : facts_.ports) {
    const bool asked = there != kNoDevice && owner.kernel == facts_.KernelOf(there) &&
                       owner.address.port == info.destination.port;
    if (!asked) continue;
    // TCP knows no port spaces.
    if (owner.space != info.space || owner.address.kind == AddressKind::kLoopback) covered = false;
    if (facts_.id(owner.id).in_scope)
      others.push_back(owner.id);
    else
      covered = false;
  }
  for (uint16_t i = 0; i < facts_.id_count(); ++i) {
    const IdInfo& other = facts_.id(IdRef{i});
    const bool shares = number != 0 && other.exists && other.qp_key == uint64_t{number} + 1;
    if (shares && IdRef{i} != call.id && facts_.numbers_name_qps) covered = false;
  }
  if (!covered)
    for (const IdRef other : others) components_.MarkOutOfScope(other);
  return covered;
}

// Of parameters that have an effect.
bool Scope::ParametersAreCovered(const Call& call) {
  const IdRef id = IdOf(call);
  const auto* connect = std::get_if<call::Connect>(&call);
  const bool have_effect =
      connect != nullptr
          ? MayConnectOverIwarp(id, facts_, components_)
          : components_.MayBe(id, [](const IdState& own) { return own.iw == IwState::kConnRecv; });
  if (!have_effect) return true;
  const PrivateData* data = DataOf(call);
  const bool deep = facts_.id(id).space != PortSpace::kTcp && DepthTooLarge(call, profile_.limits);
  const bool covered = !deep && (data == nullptr || data->size() <= profile_.limits.request_data);
  return connect != nullptr ? ConnectionIsCovered(*connect, covered) : covered;
}

// Over iWARP an id finds its device by its interface, so that its source may be the address of
// another, or loopback. The rows are those of RoCE, where the address decides: such calls are not
// followed. source: linux 6.1 cma.c cma_validate_port; observed lab 6.1-siw, seeds 3001 and 3005
bool Scope::MayFindDeviceOfOther(const Call& call) const {
  const auto* resolve = std::get_if<call::ResolveAddr>(&call);
  if (resolve == nullptr && !std::holds_alternative<call::BindAddr>(call)) return false;
  const bool looks = components_.MayBe(IdOf(call), [&](const IdState& own) {
    return own.state == State::kIdle || (resolve != nullptr && own.state == State::kAddrBound);
  });
  if (!looks) return false;
  const IdInfo& info = facts_.id(IdOf(call));
  const bool loopback = AddressWantedBy(call).kind == AddressKind::kLoopback ||
                        info.bound.kind == AddressKind::kLoopback;
  if (resolve != nullptr && loopback)
    return facts_.LocalDevice(resolve->destination, info.kernel) != kNoDevice;
  return !AddressWantedBy(call).AnyOrLoopback() && info.interface != kNoDevice &&
         facts_.LocalDevice(AddressWantedBy(call), info.kernel) != info.interface;
}

bool Scope::CanFollowOverIwarp(const Call& call, const Window& window) {
  if (MayFindDeviceOfOther(call)) return false;
  const IdRef id = IdOf(call);
  IdInfo& info = facts_.id(id);
  // Soft-iWARP makes a queue pair of connections for an id of datagrams, where others would refuse
  // it; to what connecting with that comes the tables do not say.
  // source: rdma-core 44 cma.c rdma_create_qp_ex, linux 6.1 siw_verbs.c siw_create_qp
  const std::optional<call::CreateQp> create = QpAskedBy(call);
  if (create && create->type == QpType::kRc && IsDatagram(info.space)) return false;
  // To rdma_cm a loopback address is a wildcard, but TCP listens on that address alone, without
  // connections from outside. source: linux 6.1 cma.c cma_any_addr, siw_cm.c siw_create_listen
  if (std::holds_alternative<call::Listen>(call) && info.bound.kind == AddressKind::kLoopback)
    return false;
  const bool breaks_qp = std::holds_alternative<call::DestroyQp>(call) ||
                         std::holds_alternative<call::DestroyEp>(call);
  // The other calls look neither at parameters nor at a reply that is awaited.
  const bool parametrised = std::holds_alternative<call::Connect>(call) || Answers(call);
  if (!parametrised && !breaks_qp && !EndsIt(call)) return true;
  // What happens within a call that waits must not come before it.
  Verdict ignored;
  if (!search_.Close(id, parametrised ? window : window.AtBegin(), &ignored)) return true;
  if (parametrised && !ParametersAreCovered(call)) return false;
  if (!components_.MayBe(id, [](const IdState& own) { return own.iw == IwState::kConnSent; }))
    return true;
  // The request holds its queue pair, and destroying that waits until it is released. Without
  // one rdma_destroy_ep is rdma_destroy_id. source: linux 6.1 siw_verbs.c siw_destroy_qp, iwcm.c
  // iw_cm_connect, rdma-core 44 cma.c rdma_destroy_ep
  if (breaks_qp && components_.MayBe(id, [](const IdState& own) {
        return own.iw == IwState::kConnSent && own.qp != QpPhase::kNone;
      }))
    return false;
  // The library would wait twice: in the kernel for the reply, and then for an event, which may be
  // that of the reply. source: linux 6.1 iwcm.c iw_cm_disconnect, rdma-core 44 cma.c ucma_complete
  if (std::holds_alternative<call::Disconnect>(call) && info.synchronous()) return false;
  // An answer that is refused takes the guard away that calls wait at; what follows is a bug check.
  // source: linux 6.1 iwcm.c iw_cm_accept, iw_cm_reject, iw_cm_disconnect, destroy_cm_id
  if (EndsIt(call) && info.reply_unguarded) return false;
  if (Answers(call)) info.reply_unguarded = true;
  return true;
}

}  // namespace cm::model
