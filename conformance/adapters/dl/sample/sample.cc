// The distribution's librdmacm on the simulated kernel, with the hooks of ../hooks.h.
#include <infiniband/verbs.h>
#include <netinet/in.h>
#include <rdma/rdma_cma.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>

#include "conformance/adapters/dl/hooks.h"
#include "conformance/adapters/lib/libraries.h"
#include "conformance/adapters/lib/simulated_backend.h"
#include "model/base/sanitized.h"
#include "model/conversation/conversation.h"

namespace {

using cm::CallKind;

// What a call has returned.
struct Result {
  int value = 0;
  int error = 0;  // errno
};

// The world of this process.
struct World {
  World(const cm::Conversation& conversation, const cm::Profile* profile, cm::Libraries with)
      : libraries(std::move(with)), backend(conversation, profile, &libraries) {}

  cm::Libraries libraries;
  cm::SimulatedBackend backend;
  cm::Lane lane;
  std::map<cm::Lane, std::shared_ptr<Result>> pending;
};

World* the_world = nullptr;  // lives as long as the process

// The library of the entered side.
const cm::RdmaCmApi& Real() { return the_world->backend.api(); }

// Makes a call that may wait, on a stack of its own. Where it does, it stays pending on the lane.
int Make(CallKind kind, const std::function<int()>& call) {
  auto result = std::make_shared<Result>();
  const bool returned = the_world->backend.Make(kind, [=] {
    errno = 0;
    result->value = call();
    result->error = errno;
  });
  if (!returned) the_world->pending[the_world->lane] = result;
  errno = result->error;
  return result->value;
}

// The arguments of rdma_create_ep, which reads them again after it has waited.
struct Endpoint {
  Endpoint(const rdma_addrinfo& given, const ibv_qp_init_attr* pair) : info(given) {
    if (info.ai_src_addr != nullptr) std::memcpy(&source, info.ai_src_addr, info.ai_src_len);
    if (info.ai_dst_addr != nullptr) std::memcpy(&destination, info.ai_dst_addr, info.ai_dst_len);
    if (info.ai_src_addr != nullptr) info.ai_src_addr = reinterpret_cast<sockaddr*>(&source);
    if (info.ai_dst_addr != nullptr) info.ai_dst_addr = reinterpret_cast<sockaddr*>(&destination);
    if (pair != nullptr) attributes = *pair;
  }
  Endpoint(const Endpoint&) = delete;
  Endpoint& operator=(const Endpoint&) = delete;

  rdma_addrinfo info;
  sockaddr_storage source{};
  sockaddr_storage destination{};
  std::optional<ibv_qp_init_attr> attributes;
};

std::string_view Defect() {
  const char* const named = std::getenv("CMCHECK_SAMPLE_DEFECT");
  return named == nullptr ? "" : named;
}
constexpr std::string_view kWrongErrno = "connect-wrong-errno";

}  // namespace

extern "C" {

// Calls that may wait.

int rdma_resolve_addr(rdma_cm_id* id, sockaddr* src_addr, sockaddr* dst_addr, int timeout_ms) {
  return Make(CallKind::kResolveAddr,
              [=] { return Real().rdma_resolve_addr(id, src_addr, dst_addr, timeout_ms); });
}
int rdma_resolve_route(rdma_cm_id* id, int timeout_ms) {
  return Make(CallKind::kResolveRoute, [=] { return Real().rdma_resolve_route(id, timeout_ms); });
}
int rdma_connect(rdma_cm_id* id, rdma_conn_param* conn_param) {
  const int value = Make(CallKind::kConnect, [=] { return Real().rdma_connect(id, conn_param); });
  if (value == -1 && errno == EINVAL && Defect() == kWrongErrno) errno = ENOTCONN;
  return value;
}
int rdma_accept(rdma_cm_id* id, rdma_conn_param* conn_param) {
  return Make(CallKind::kAccept, [=] { return Real().rdma_accept(id, conn_param); });
}
int rdma_disconnect(rdma_cm_id* id) {
  return Make(CallKind::kDisconnect, [=] { return Real().rdma_disconnect(id); });
}
int rdma_get_request(rdma_cm_id* listen, rdma_cm_id** id) {
  return Make(CallKind::kGetRequest, [=] { return Real().rdma_get_request(listen, id); });
}
int rdma_get_cm_event(rdma_event_channel* channel, rdma_cm_event** event) {
  return Make(CallKind::kGetCmEvent, [=] { return Real().rdma_get_cm_event(channel, event); });
}
int rdma_migrate_id(rdma_cm_id* id, rdma_event_channel* channel) {
  return Make(CallKind::kMigrateId, [=] { return Real().rdma_migrate_id(id, channel); });
}
int rdma_join_multicast(rdma_cm_id* id, sockaddr* addr, void* context) {
  return Make(CallKind::kJoinMulticast,
              [=] { return Real().rdma_join_multicast(id, addr, context); });
}
int rdma_join_multicast_ex(rdma_cm_id* id, rdma_cm_join_mc_attr_ex* attr, void* context) {
  return Make(CallKind::kJoinMulticastEx,
              [=] { return Real().rdma_join_multicast_ex(id, attr, context); });
}
int rdma_leave_multicast(rdma_cm_id* id, sockaddr* addr) {
  return Make(CallKind::kLeaveMulticast, [=] { return Real().rdma_leave_multicast(id, addr); });
}
int rdma_create_ep(rdma_cm_id** id, rdma_addrinfo* res, ibv_pd* pd, ibv_qp_init_attr* pair) {
  const auto kept = std::make_shared<Endpoint>(*res, pair);
  return Make(CallKind::kCreateEp, [=] {
    ibv_qp_init_attr* const attributes = kept->attributes ? &*kept->attributes : nullptr;
    return Real().rdma_create_ep(id, &kept->info, pd, attributes);
  });
}
int rdma_destroy_id(rdma_cm_id* id) {
  return Make(CallKind::kDestroyId, [=] { return Real().rdma_destroy_id(id); });
}
void rdma_destroy_ep(rdma_cm_id* id) {
  Make(CallKind::kDestroyEp, [=] { return Real().rdma_destroy_ep(id), 0; });
}
void rdma_destroy_event_channel(rdma_event_channel* channel) {
  Make(CallKind::kDestroyEventChannel,
       [=] { return Real().rdma_destroy_event_channel(channel), 0; });
}

// All others.

rdma_event_channel* rdma_create_event_channel(void) { return Real().rdma_create_event_channel(); }
int rdma_create_id(rdma_event_channel* channel, rdma_cm_id** id, void* context,
                   rdma_port_space ps) {
  return Real().rdma_create_id(channel, id, context, ps);
}
int rdma_bind_addr(rdma_cm_id* id, sockaddr* addr) { return Real().rdma_bind_addr(id, addr); }
int rdma_listen(rdma_cm_id* id, int backlog) { return Real().rdma_listen(id, backlog); }
int rdma_create_qp(rdma_cm_id* id, ibv_pd* pd, ibv_qp_init_attr* qp_init_attr) {
  return Real().rdma_create_qp(id, pd, qp_init_attr);
}
int rdma_create_qp_ex(rdma_cm_id* id, ibv_qp_init_attr_ex* qp_init_attr) {
  return Real().rdma_create_qp_ex(id, qp_init_attr);
}
void rdma_destroy_qp(rdma_cm_id* id) { Real().rdma_destroy_qp(id); }
int rdma_reject(rdma_cm_id* id, const void* private_data, uint8_t length) {
  return Real().rdma_reject(id, private_data, length);
}
int rdma_reject_ece(rdma_cm_id* id, const void* private_data, uint8_t length) {
  return Real().rdma_reject_ece(id, private_data, length);
}
int rdma_establish(rdma_cm_id* id) { return Real().rdma_establish(id); }
int rdma_ack_cm_event(rdma_cm_event* event) { return Real().rdma_ack_cm_event(event); }
int rdma_notify(rdma_cm_id* id, ibv_event_type event) { return Real().rdma_notify(id, event); }
int rdma_init_qp_attr(rdma_cm_id* id, ibv_qp_attr* qp_attr, int* qp_attr_mask) {
  return Real().rdma_init_qp_attr(id, qp_attr, qp_attr_mask);
}
int rdma_set_local_ece(rdma_cm_id* id, ibv_ece* ece) { return Real().rdma_set_local_ece(id, ece); }
int rdma_get_remote_ece(rdma_cm_id* id, ibv_ece* ece) {
  return Real().rdma_get_remote_ece(id, ece);
}
uint16_t rdma_get_src_port(rdma_cm_id* id) { return Real().rdma_get_src_port(id); }
uint16_t rdma_get_dst_port(rdma_cm_id* id) { return Real().rdma_get_dst_port(id); }
const char* rdma_event_str(rdma_cm_event_type event) { return Real().rdma_event_str(event); }
int rdma_set_option(rdma_cm_id* id, int level, int optname, void* optval, size_t optlen) {
  return Real().rdma_set_option(id, level, optname, optval, optlen);
}
int rdma_getaddrinfo(const char* node, const char* service, const rdma_addrinfo* hints,
                     rdma_addrinfo** res) {
  return Real().rdma_getaddrinfo(node, service, hints, res);
}
void rdma_freeaddrinfo(rdma_addrinfo* res) { Real().rdma_freeaddrinfo(res); }
ibv_context** rdma_get_devices(int* num_devices) { return Real().rdma_get_devices(num_devices); }
void rdma_free_devices(ibv_context** list) { Real().rdma_free_devices(list); }
int ibv_query_qp(ibv_qp* qp, ibv_qp_attr* attr, int attr_mask, ibv_qp_init_attr* init) {
  return Real().ibv_query_qp(qp, attr, attr_mask, init);
}
const char* ibv_get_device_name(ibv_device* device) { return Real().ibv_get_device_name(device); }

// The hooks.

const char* cmcheck_capabilities(void) {
  static const auto* const words =
      new std::string(cm::ToString(cm::Profiles()
                                       .front()
                                       .capabilities.Without(cm::Capability::kData)
                                       .Without(cm::Capability::kTester)));
  return words->c_str();
}

int cmcheck_start(const char* topology, const char* profile, uint64_t seed) {
  const cm::Topology* const where = cm::FindTopology(topology);
  const cm::Profile* const how = cm::FindProfile(profile);
  const bool known = where != nullptr && how != nullptr;
  // ThreadSanitizer does not know stacks of that kind.
  if (!known || cm::kThreadSanitized || !(Defect().empty() || Defect() == kWrongErrno)) return -1;
  auto loaded = cm::LoadLibraries("librdmacm.so.1");
  auto* const libraries = std::get_if<cm::Libraries>(&loaded);
  if (libraries == nullptr) return -1;
  cm::Conversation conversation;
  conversation.topology = where;
  conversation.origin = cm::Origin{.seed = seed};
  cm::InitialiseLibraries(conversation, *how, *libraries);
  the_world = new World(conversation, how, std::move(*libraries));
  return 0;
}

void cmcheck_enter(uint8_t side, uint8_t lane) {
  the_world->lane = {.side = side, .number = lane};
  the_world->backend.Enter(the_world->lane);
}

int64_t cmcheck_now(void) { return the_world->backend.Now().nanoseconds(); }

int64_t cmcheck_next(void) {
  const std::optional<cm::Instant> next = the_world->backend.NextAt();
  return next ? next->nanoseconds() : -1;
}

void cmcheck_step(void) { the_world->backend.Step(); }

void cmcheck_advance(int64_t until_ns) {
  the_world->backend.Advance(cm::Instant::FromNanoseconds(until_ns));
}

int cmcheck_blocked(void) { return the_world->pending.contains(the_world->lane) ? 1 : 0; }

int cmcheck_continue(int* value) {
  if (!the_world->backend.Continue(nullptr)) return 0;
  const auto node = the_world->pending.extract(the_world->lane);
  *value = node.mapped()->value;
  errno = node.mapped()->error;
  return 1;
}

int cmcheck_readable(struct rdma_event_channel* channel) {
  return the_world->backend.Readable(channel) ? 1 : 0;
}

int cmcheck_fault(const struct cmcheck_fault_line* fault) {
  const std::optional<cm::FaultKind> kind = cm::ParseFaultKind(fault->kind);
  if (!kind) return -1;
  cm::MadKinds messages = fault->messages == 0 ? cm::MadKinds() : cm::MadKinds::All();
  for (const cm::MadKind one : cm::kMads)
    if (fault->messages == 1u << static_cast<int>(one)) messages = cm::MadKinds(one);
  const bool done = the_world->backend.Inject(
      {.kind = *kind,
       .side = fault->side,
       .to = fault->to,
       .messages = messages,
       .first = fault->first,
       .last = fault->last,
       .by = cm::Duration::Nanoseconds(fault->by_ns),
       .at_most = cm::Duration::Nanoseconds(fault->at_most_ns),
       .shape = fault->tail == 1 ? cm::DelayShape::kTail : cm::DelayShape::kUniform,
       .after = cm::Duration::Nanoseconds(fault->after_ns),
       .window = cm::Duration::Nanoseconds(fault->window_ns)});
  return done ? 0 : -1;
}

int cmcheck_heal(void) { return the_world->backend.Heal() ? 0 : -1; }

const char* cmcheck_leaks(void) {
  static auto* const words = new std::string;
  *words = the_world->backend.Leaks();
  return words->c_str();
}

}  // extern "C"
