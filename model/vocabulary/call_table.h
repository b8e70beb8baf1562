// The table of calls: what there is to know of each beside its struct, once. Reading, printing,
// digests, the scope of names, shrinking, the symbols of a shared object, `cmcheck list functions`
// and docs/language.md follow from it. A call without a row does not compile.
#ifndef MODEL_VOCABULARY_CALL_TABLE_H_
#define MODEL_VOCABULARY_CALL_TABLE_H_

#include <tuple>

#include "model/vocabulary/call.h"
#include "model/vocabulary/field.h"

namespace cm {

template <typename... Fields>
struct CallRow {
  CallTraits traits;
  std::tuple<Fields...> fields;
};
template <typename... Fields>
constexpr CallRow<Fields...> Row(CallTraits traits, Fields... fields) {
  return {traits, std::tuple(fields...)};
}

// The row of a call, and the fields of a structure that a call is given. The compiler names these
// types, with the call, where there is none.
template <typename Call>
struct CallHasNoRow;
template <typename Call>
inline constexpr CallHasNoRow<Call> kRow{};
template <typename Structure>
struct StructureHasNoFields;
template <typename Structure>
inline constexpr StructureHasNoFields<Structure> kFields{};

template <>
inline constexpr auto kFields<ConnParam> = std::tuple(
    Key("responder_resources", &ConnParam::responder_resources),
    Key("initiator_depth", &ConnParam::initiator_depth),
    Key("flow_control", &ConnParam::flow_control), Key("retry_count", &ConnParam::retry_count),
    Key("rnr_retry_count", &ConnParam::rnr_retry_count), Key("srq", &ConnParam::srq),
    Key("qp_num", &ConnParam::qp_num), Key("private", &ConnParam::private_data));

template <>
inline constexpr auto kFields<AddrHints> =
    std::tuple(Key("flags", &AddrHints::flags).Within(0, 255), Key("family", &AddrHints::family),
               Key("type", &AddrHints::type), Key("ps", &AddrHints::space),
               Key("src", &AddrHints::source), Key("dst", &AddrHints::destination));

template <>
inline constexpr auto kFields<EceOptions> = std::tuple(
    Key("vendor_id", &EceOptions::vendor_id).Always(),
    Key("options", &EceOptions::options).Always(), Key("comp_mask", &EceOptions::comp_mask));

// Fields that several calls share.
template <typename Call>
constexpr auto OfId() {
  return Uses("an id", &Call::id);
}
template <typename Call>
constexpr auto NewRegion() {
  return Makes("a region", &Call::mr);
}
template <typename Call>
constexpr auto RegionLength() {
  return Key("length", &Call::length).Always().Within(1, kLongestRegion);
}
inline constexpr auto kWorkId = Uses("an id", &call::Work::id);
inline constexpr auto kWorkContext = Key("context", &call::Work::context).Always();
inline constexpr auto kWorkPieces = Key("sge", &call::Work::sges);
inline constexpr auto kWorkFlags = Key("flags", &call::Work::flags).Within(0, 15);
inline constexpr auto kNoWorkFlags = Hidden(&call::Work::flags);
inline constexpr auto kWorkRemote = Key("remote", &call::Work::remote).Needed();

// -------------------------------------------------------------------------- channels and events

template <>
inline constexpr auto kRow<call::CreateEventChannel> =
    Row({.manual = "man rdma_create_event_channel(3)"},
        Makes("a channel", &call::CreateEventChannel::channel),
        Key("nonblocking", &call::CreateEventChannel::nonblocking));
template <>
inline constexpr auto kRow<call::DestroyEventChannel> =
    Row({.manual = "man rdma_destroy_event_channel(3)", .returns_void = true, .may_block = true},
        Frees("a channel", &call::DestroyEventChannel::channel));
template <>
inline constexpr auto kRow<call::GetCmEvent> =
    Row({.manual = "man rdma_get_cm_event(3)", .may_block = true},
        Uses("a channel", &call::GetCmEvent::channel),
        Makes("an event", &call::GetCmEvent::event).Named("as"),
        Makes("an id", &call::GetCmEvent::request).Named("id").Derived());
template <>
inline constexpr auto kRow<call::AckCmEvent> = Row({.manual = "man rdma_ack_cm_event(3)"},
                                                   Frees("an event", &call::AckCmEvent::event));
template <>
inline constexpr auto kRow<call::EventStr> =
    Row({.manual = "man rdma_event_str(3)", .only_asks = true},
        Word("the number of an event type", &call::EventStr::type));

// ------------------------------------------------------------------------------ the life of an id

template <>
inline constexpr auto kRow<call::CreateId> =
    Row({.manual = "man rdma_create_id(3)"}, Makes("an id", &call::CreateId::id),
        Uses("a channel", &call::CreateId::channel).Named("on").OrNull(),
        Key("ps", &call::CreateId::space));
template <>
inline constexpr auto kRow<call::DestroyId> = Row({.manual = "man rdma_destroy_id(3)",
                                                   .may_block = true},
                                                  Frees("an id", &call::DestroyId::id));
template <>
inline constexpr auto kRow<call::MigrateId> =
    Row({.manual = "man rdma_migrate_id(3)", .may_block = true}, OfId<call::MigrateId>(),
        Uses("a channel", &call::MigrateId::channel).Named("to").OrNull());
template <>
inline constexpr auto kRow<call::BindAddr> = Row({.manual = "man rdma_bind_addr(3)"},
                                                 OfId<call::BindAddr>(),
                                                 Key("addr", &call::BindAddr::address).Needed());
template <>
inline constexpr auto kRow<call::Listen> = Row({.manual = "man rdma_listen(3)", .in_kernel = true},
                                               OfId<call::Listen>(),
                                               Key("backlog", &call::Listen::backlog).Always());
template <>
inline constexpr auto kRow<call::ResolveAddr> = Row(
    {.manual = "man rdma_resolve_addr(3)", .completes = true, .may_block = true, .in_kernel = true},
    OfId<call::ResolveAddr>(), Key("src", &call::ResolveAddr::source),
    Key("dst", &call::ResolveAddr::destination).Needed(),
    Key("timeout_ms", &call::ResolveAddr::timeout_ms).Always());
template <>
inline constexpr auto kRow<call::ResolveRoute> =
    Row({.manual = "man rdma_resolve_route(3)",
         .completes = true,
         .may_block = true,
         .in_kernel = true},
        OfId<call::ResolveRoute>(), Key("timeout_ms", &call::ResolveRoute::timeout_ms).Always());
template <>
inline constexpr auto kRow<call::SetOption> = Row({.manual = "man rdma_set_option(3)"},
                                                  OfId<call::SetOption>(),
                                                  Key("option", &call::SetOption::option).Needed(),
                                                  Key("value", &call::SetOption::value).Always(),
                                                  Key("length", &call::SetOption::length));
template <>
inline constexpr auto kRow<call::GetSrcPort> =
    Row({.manual = "man rdma_get_src_port(3)", .only_asks = true}, OfId<call::GetSrcPort>());
template <>
inline constexpr auto kRow<call::GetDstPort> =
    Row({.manual = "man rdma_get_dst_port(3)", .only_asks = true}, OfId<call::GetDstPort>());
template <>
inline constexpr auto kRow<call::Show> = Row({.manual = "struct rdma_cm_id in <rdma/rdma_cma.h>",
                                              .only_asks = true},
                                             OfId<call::Show>());
template <>
inline constexpr auto kRow<call::ShowEvent> =
    Row({.manual = "struct rdma_cm_id in <rdma/rdma_cma.h>", .only_asks = true},
        OfId<call::ShowEvent>());

// ------------------------------------------------------------------------------------ connections

template <>
inline constexpr auto kRow<call::Connect> =
    Row({.manual = "man rdma_connect(3)", .completes = true, .may_block = true},
        OfId<call::Connect>(), Key("noparam", &call::Connect::param));
template <>
inline constexpr auto kRow<call::Accept> =
    Row({.manual = "man rdma_accept(3)", .completes = true, .may_block = true},
        OfId<call::Accept>(), Key("noparam", &call::Accept::param));
template <>
inline constexpr auto kRow<call::Reject> = Row({.manual = "man rdma_reject(3)", .in_kernel = true},
                                               OfId<call::Reject>(),
                                               Key("private", &call::Reject::private_data));
template <>
inline constexpr auto kRow<call::RejectEce> = Row({.manual = "man rdma_reject(3)",
                                                   .in_kernel = true},
                                                  OfId<call::RejectEce>(),
                                                  Key("private", &call::RejectEce::private_data));
template <>
inline constexpr auto kRow<call::Establish> = Row({.manual = "man rdma_establish(3)"},
                                                  OfId<call::Establish>());
template <>
inline constexpr auto kRow<call::Disconnect> = Row(
    {.manual = "man rdma_disconnect(3)", .completes = true, .may_block = true, .in_kernel = true},
    OfId<call::Disconnect>());
template <>
inline constexpr auto kRow<call::Notify> = Row({.manual = "man rdma_notify(3)", .in_kernel = true},
                                               OfId<call::Notify>(),
                                               Key("event", &call::Notify::what).Always());
template <>
inline constexpr auto kRow<call::SetLocalEce> = Row({.manual = "man rdma_set_local_ece(3)"},
                                                    OfId<call::SetLocalEce>(),
                                                    Key("", &call::SetLocalEce::ece));
template <>
inline constexpr auto kRow<call::GetRemoteEce> =
    Row({.manual = "man rdma_get_remote_ece(3)", .only_asks = true}, OfId<call::GetRemoteEce>());
template <>
inline constexpr auto kRow<call::InitQpAttr> = Row({.manual = "man rdma_init_qp_attr(3)",
                                                    .only_asks = true},
                                                   OfId<call::InitQpAttr>(),
                                                   Key("state", &call::InitQpAttr::state).Always());
template <>
inline constexpr auto kRow<call::GetRequest> =
    Row({.manual = "man rdma_get_request(3)", .may_block = true}, OfId<call::GetRequest>(),
        Makes("an id", &call::GetRequest::request).Named("id"));

// -------------------------------------------------------------------------------------- endpoints

template <>
inline constexpr auto kRow<call::CreateEp> =
    Row({.manual = "man rdma_create_ep(3)", .may_block = true}, Makes("an id", &call::CreateEp::id),
        Key("src", &call::CreateEp::source), Key("dst", &call::CreateEp::destination),
        Key("passive", &call::CreateEp::passive), Key("qp", &call::CreateEp::with_qp),
        Key("ps", &call::CreateEp::space), Key("type", &call::CreateEp::type));
template <>
inline constexpr auto kRow<call::DestroyEp> =
    Row({.manual = "man rdma_destroy_ep(3)", .returns_void = true, .may_block = true},
        Frees("an id", &call::DestroyEp::id));

// ---------------------------------------------------------------------------------------- look-ups

template <typename Call>
constexpr auto Lookup(auto name, CallTraits traits) {
  return Row(traits, name, Key("node", &Call::node).WithoutPort(), Key("service", &Call::service),
             Key("nohints", &Call::hints));
}
template <>
inline constexpr auto kRow<call::GetAddrInfo> = Lookup<call::GetAddrInfo>(
    Makes("an address info", &call::GetAddrInfo::info), {.manual = "man rdma_getaddrinfo(3)"});
template <>
inline constexpr auto kRow<call::FreeAddrInfo> =
    Row({.manual = "man rdma_getaddrinfo(3)", .returns_void = true},
        Frees("an address info", &call::FreeAddrInfo::info));
template <>
inline constexpr auto kRow<call::ResolveAddrInfo> = Lookup<call::ResolveAddrInfo>(
    OfId<call::ResolveAddrInfo>(),
    {.manual = "man rdma_resolve_addrinfo(3)", .map = "1.4", .completes = true, .may_block = true});
template <>
inline constexpr auto kRow<call::QueryAddrInfo> =
    Row({.manual = "man rdma_query_addrinfo(3)", .map = "1.4"}, OfId<call::QueryAddrInfo>(),
        Makes("an address info", &call::QueryAddrInfo::info).Named("info"));
template <>
inline constexpr auto kRow<call::WriteCmEvent> =
    Row({.manual = "man rdma_write_cm_event(3)", .map = "1.4", .in_kernel = true},
        OfId<call::WriteCmEvent>(), Key("event", &call::WriteCmEvent::type),
        Key("status", &call::WriteCmEvent::status),
        Key("argument", &call::WriteCmEvent::argument).Hexadecimal());
template <>
inline constexpr auto kRow<call::GetDevices> = Row({.manual = "man rdma_get_devices(3)"},
                                                   Makes("a list of devices",
                                                         &call::GetDevices::devices));
template <>
inline constexpr auto kRow<call::FreeDevices> =
    Row({.manual = "man rdma_free_devices(3)", .returns_void = true},
        Frees("a list of devices", &call::FreeDevices::devices));

// --------------------------------------------------------------------------------------- multicast

template <>
inline constexpr auto kRow<call::JoinMulticast> =
    Row({.manual = "man rdma_join_multicast(3)", .completes = true, .may_block = true},
        OfId<call::JoinMulticast>(), Key("addr", &call::JoinMulticast::address).Needed(),
        Key("context", &call::JoinMulticast::context));
template <>
inline constexpr auto kRow<call::JoinMulticastEx> =
    Row({.manual = "man rdma_join_multicast_ex(3)", .completes = true, .may_block = true},
        OfId<call::JoinMulticastEx>(), Key("addr", &call::JoinMulticastEx::address).Needed(),
        Key("context", &call::JoinMulticastEx::context),
        Key("flags", &call::JoinMulticastEx::flags).Always(),
        Key("comp_mask", &call::JoinMulticastEx::comp_mask));
template <>
inline constexpr auto kRow<call::LeaveMulticast> =
    Row({.manual = "man rdma_leave_multicast(3)", .may_block = true}, OfId<call::LeaveMulticast>(),
        Key("addr", &call::LeaveMulticast::address).Needed());

// ------------------------------------------------------------------------------ queues and regions

template <>
inline constexpr auto kRow<call::CreateQp> = Row({.manual = "man rdma_create_qp(3)"},
                                                 OfId<call::CreateQp>(),
                                                 Key("type", &call::CreateQp::type).HashedIfSet());
template <>
inline constexpr auto kRow<call::CreateQpEx> =
    Row({.manual = "man rdma_create_qp(3)"}, OfId<call::CreateQpEx>(),
        Key("type", &call::CreateQpEx::type).HashedIfSet());
template <>
inline constexpr auto kRow<call::DestroyQp> = Row(
    {.manual = "man rdma_destroy_qp(3)", .returns_void = true, .may_block = true, .on_cq = true},
    OfId<call::DestroyQp>());
template <>
inline constexpr auto kRow<call::CreateSrq> =
    Row({.manual = "man rdma_create_srq(3)", .moves_data = true}, OfId<call::CreateSrq>());
template <>
inline constexpr auto kRow<call::CreateSrqEx> =
    Row({.manual = "man rdma_create_srq(3)", .moves_data = true}, OfId<call::CreateSrqEx>(),
        Key("untyped", &call::CreateSrqEx::typed).Inverted());
template <>
inline constexpr auto kRow<call::DestroySrq> =
    Row({.manual = "man rdma_destroy_srq(3)", .returns_void = true, .moves_data = true},
        OfId<call::DestroySrq>());
template <>
inline constexpr auto kRow<call::RegMsgs> =
    Row({.manual = "man rdma_reg_msgs(3)", .moves_data = true}, OfId<call::RegMsgs>().Named("id"),
        NewRegion<call::RegMsgs>(), RegionLength<call::RegMsgs>());
template <>
inline constexpr auto kRow<call::RegRead> =
    Row({.manual = "man rdma_reg_read(3)", .moves_data = true}, OfId<call::RegRead>().Named("id"),
        NewRegion<call::RegRead>(), RegionLength<call::RegRead>());
template <>
inline constexpr auto kRow<call::RegWrite> =
    Row({.manual = "man rdma_reg_write(3)", .moves_data = true}, OfId<call::RegWrite>().Named("id"),
        NewRegion<call::RegWrite>(), RegionLength<call::RegWrite>());
template <>
inline constexpr auto kRow<call::DeregMr> = Row({.manual = "man rdma_dereg_mr(3)",
                                                 .moves_data = true},
                                                Frees("a region", &call::DeregMr::mr));

template <>
inline constexpr auto kRow<call::PostRecv> =
    Row({.manual = "man rdma_post_recv(3)", .moves_data = true, .posts = Posting::kReceive},
        kWorkId, kWorkContext, kWorkPieces.OnePiece(), kNoWorkFlags);
template <>
inline constexpr auto kRow<call::PostRecvv> =
    Row({.manual = "man rdma_post_recvv(3)", .moves_data = true, .posts = Posting::kReceive},
        kWorkId, kWorkContext, kWorkPieces, kNoWorkFlags);
template <>
inline constexpr auto kRow<call::PostSend> =
    Row({.manual = "man rdma_post_send(3)", .moves_data = true, .posts = Posting::kSend}, kWorkId,
        kWorkContext, kWorkPieces.OnePiece(), kWorkFlags);
template <>
inline constexpr auto kRow<call::PostSendv> =
    Row({.manual = "man rdma_post_sendv(3)", .moves_data = true, .posts = Posting::kSend}, kWorkId,
        kWorkContext, kWorkPieces, kWorkFlags);
template <>
inline constexpr auto kRow<call::PostRead> =
    Row({.manual = "man rdma_post_read(3)", .moves_data = true, .posts = Posting::kRead}, kWorkId,
        kWorkContext, kWorkPieces.OnePiece(), kWorkFlags, kWorkRemote);
template <>
inline constexpr auto kRow<call::PostReadv> =
    Row({.manual = "man rdma_post_readv(3)", .moves_data = true, .posts = Posting::kRead}, kWorkId,
        kWorkContext, kWorkPieces, kWorkFlags, kWorkRemote);
template <>
inline constexpr auto kRow<call::PostWrite> =
    Row({.manual = "man rdma_post_write(3)", .moves_data = true, .posts = Posting::kWrite}, kWorkId,
        kWorkContext, kWorkPieces.OnePiece(), kWorkFlags, kWorkRemote);
template <>
inline constexpr auto kRow<call::PostWritev> =
    Row({.manual = "man rdma_post_writev(3)", .moves_data = true, .posts = Posting::kWrite},
        kWorkId, kWorkContext, kWorkPieces, kWorkFlags, kWorkRemote);
template <>
inline constexpr auto kRow<call::PostUdSend> =
    Row({.manual = "man rdma_post_ud_send(3)", .moves_data = true, .posts = Posting::kSend},
        kWorkId, kWorkContext, kWorkPieces.OnePiece(), kWorkFlags);
template <>
inline constexpr auto kRow<call::GetSendComp> = Row({.manual = "man rdma_get_send_comp(3)",
                                                     .may_block = true,
                                                     .moves_data = true,
                                                     .completion = true,
                                                     .on_cq = true},
                                                    OfId<call::GetSendComp>());
template <>
inline constexpr auto kRow<call::GetRecvComp> = Row({.manual = "man rdma_get_recv_comp(3)",
                                                     .may_block = true,
                                                     .moves_data = true,
                                                     .completion = true,
                                                     .on_cq = true},
                                                    OfId<call::GetRecvComp>());
template <>
inline constexpr auto kRow<call::ReqNotifyCq> =
    Row({.manual = "man ibv_req_notify_cq(3)", .moves_data = true, .on_cq = true},
        OfId<call::ReqNotifyCq>(), Key("recv", &call::ReqNotifyCq::receives),
        Key("solicited", &call::ReqNotifyCq::solicited_only));
template <>
inline constexpr auto kRow<call::GetCqEvent> =
    Row({.manual = "man ibv_get_cq_event(3)", .may_block = true, .moves_data = true, .on_cq = true},
        OfId<call::GetCqEvent>(), Key("recv", &call::GetCqEvent::receives));
template <>
inline constexpr auto kRow<call::AckCqEvents> = Row(
    {.manual = "man ibv_ack_cq_events(3)", .returns_void = true, .moves_data = true, .on_cq = true},
    OfId<call::AckCqEvents>(), Key("recv", &call::AckCqEvents::receives),
    Key("events", &call::AckCqEvents::events));

}  // namespace cm

#endif  // MODEL_VOCABULARY_CALL_TABLE_H_
