// The functions of librdmacm that create endpoints, and those whose results the application
// releases.
#include <infiniband/verbs.h>
#include <netinet/in.h>
#include <rdma/rdma_cma.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <optional>
#include <string>
#include <variant>

#include "conformance/adapters/dl/c_enum.h"
#include "conformance/adapters/dl/sample/sample.h"
#include "model/vocabulary/sockaddr.h"

namespace {

using cm::sample::Id;
using cm::sample::Sample;
using cm::sample::TheSample;

// An rdma_addrinfo with room for its addresses; the C structure comes first.
struct Info {
  rdma_addrinfo c{};
  sockaddr_storage source{};
  sockaddr_storage destination{};
};

std::optional<cm::QpType> TypeOf(int type) {
  if (type == 0) return std::nullopt;
  return static_cast<cm::QpType>(type);
}

std::optional<cm::PortSpace> SpaceOf(int space) {
  if (space == 0) return std::nullopt;
  return static_cast<cm::PortSpace>(space);
}

cm::AddrHints HintsOf(const rdma_addrinfo& c) {
  return {.flags = static_cast<uint32_t>(c.ai_flags),
          .family = static_cast<uint8_t>(c.ai_family),
          .type = TypeOf(c.ai_qp_type),
          .space = SpaceOf(c.ai_port_space),
          .source = TheSample().AddressOf(c.ai_src_addr),
          .destination = TheSample().AddressOf(c.ai_dst_addr)};
}

cm::Address NodeOf(const char* node) {
  if (node == nullptr) return {};
  const std::string host(node);
  const bool v6 = host.find(':') != std::string::npos;
  const std::string text = v6 ? "[" + host + "]:0" : host + ":0";
  const auto known = cm::AddressOfNumeric(text, TheSample().topology());
  return known ? *known : cm::Address{.kind = cm::AddressKind::kForeign, .v6 = v6};
}

// Copies the address there; null for none.
sockaddr* Copy(const cm::Address& address, sockaddr_storage* to) {
  cm::SockAddr c(address, TheSample().topology());
  if (c.get() == nullptr) return nullptr;
  std::memcpy(to, c.get(), sizeof(*to));
  return reinterpret_cast<sockaddr*>(to);
}

// The list that the application receives and releases.
rdma_addrinfo* Handed(const cm::AddrInfoHanded& found) {
  auto* const info = new Info;
  info->c.ai_flags = static_cast<int>(found.flags);
  info->c.ai_family = found.family;
  info->c.ai_qp_type = found.type ? static_cast<int>(*found.type) : 0;
  info->c.ai_port_space = found.space ? static_cast<int>(*found.space) : 0;
  info->c.ai_src_addr = Copy(found.source, &info->source);
  info->c.ai_src_len = found.source_length;
  info->c.ai_dst_addr = Copy(found.destination, &info->destination);
  info->c.ai_dst_len = found.destination_length;
  return &info->c;
}

// A resolver's error number is returned as it is.
int Refused(const cm::Reply& reply) {
  if (reply.error != cm::Errno::kNone) errno = static_cast<int>(reply.error);
  return reply.value;
}

}  // namespace

extern "C" {

int rdma_create_ep(rdma_cm_id** id, rdma_addrinfo* res, ibv_pd* /*pd*/,
                   ibv_qp_init_attr* qp_init_attr) {
  const cm::call::CreateEp ep{.id = {},
                              .source = TheSample().AddressOf(res->ai_src_addr),
                              .destination = TheSample().AddressOf(res->ai_dst_addr),
                              .passive = (res->ai_flags & RAI_PASSIVE) != 0,
                              .with_qp = qp_init_attr != nullptr,
                              .space = static_cast<cm::PortSpace>(res->ai_port_space),
                              .type = TypeOf(res->ai_qp_type)};
  return TheSample().CreateEp(ep, id);
}

void rdma_destroy_ep(rdma_cm_id* id) { TheSample().DestroyEp(reinterpret_cast<Id*>(id)); }

int rdma_getaddrinfo(const char* node, const char* service, const rdma_addrinfo* hints,
                     rdma_addrinfo** res) {
  cm::call::GetAddrInfo get{.info = {}, .node = NodeOf(node)};
  if (service != nullptr) get.service = static_cast<uint16_t>(std::strtoul(service, nullptr, 10));
  if (hints != nullptr) get.hints = HintsOf(*hints);
  Sample& sample = TheSample();
  const cm::woven::Progress progress = sample.Do(get);
  if (!progress.reply.succeeded()) return Refused(progress.reply);
  *res = Handed(std::get<cm::AddrInfoHanded>(*progress.handed));
  return 0;
}

int rdma_resolve_addrinfo(rdma_cm_id* id, const char* node, const char* service,
                          const rdma_addrinfo* hints) {
  cm::call::ResolveAddrInfo resolve{.id = {}, .node = NodeOf(node)};
  if (service != nullptr)
    resolve.service = static_cast<uint16_t>(std::strtoul(service, nullptr, 10));
  if (hints != nullptr) resolve.hints = HintsOf(*hints);
  return TheSample().Do(reinterpret_cast<Id*>(id), resolve);
}

int rdma_query_addrinfo(rdma_cm_id* id, rdma_addrinfo** info) {
  Sample& sample = TheSample();
  const uint32_t number = reinterpret_cast<Id*>(id)->number;
  const cm::woven::Progress progress = sample.Do(cm::call::QueryAddrInfo{}, {.id = number});
  if (!progress.reply.succeeded()) return Refused(progress.reply);
  *info = Handed(std::get<cm::AddrInfoHanded>(*progress.handed));
  return 0;
}

int rdma_write_cm_event(rdma_cm_id* id, rdma_cm_event_type event, int status, uint64_t arg) {
  const auto type = static_cast<uint8_t>(cm::ValueOf(event));
  return TheSample().Do(reinterpret_cast<Id*>(id),
                        cm::call::WriteCmEvent{.type = type, .status = status, .argument = arg});
}

void rdma_freeaddrinfo(rdma_addrinfo* res) {
  if (res == nullptr) return;
  TheSample().Do(cm::call::FreeAddrInfo{});
  delete reinterpret_cast<Info*>(res);
}

ibv_context** rdma_get_devices(int* num_devices) {
  Sample& sample = TheSample();
  const cm::woven::Progress progress = sample.Do(cm::call::GetDevices{});
  const bool found = progress.reply.succeeded();
  if (!found) errno = static_cast<int>(progress.reply.error);
  const uint32_t known = found ? std::get<cm::DevicesHanded>(*progress.handed).known : 0;
  int count = 0;
  ibv_context** const list = found ? sample.NewList(known, &count) : nullptr;
  if (num_devices != nullptr) *num_devices = count;
  return list;
}

void rdma_free_devices(ibv_context** list) {
  TheSample().Do(cm::call::FreeDevices{});
  delete[] list;
}

}  // extern "C"
