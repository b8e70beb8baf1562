// The calls that look names, addresses and devices up, and those of the library's map RDMACM_1.4.
#include <rdma/rdma_cma.h>

#include <string>
#include <string_view>

#include "conformance/adapters/dl/c_enum.h"
#include "conformance/adapters/dl/calls.h"
#include "model/vocabulary/sockaddr.h"

namespace cm {
namespace {

// The arguments as C structs. Must not move: it points into itself.
class Lookup {
 public:
  template <typename Call>
  Lookup(const Call& c, const Topology& topology)
      : has_node_(c.node.kind != AddressKind::kNone),
        has_service_(c.service.has_value()),
        has_hints_(c.hints.has_value()),
        node_(HostHere(c.node, topology)),
        service_(std::to_string(c.service.value_or(0))),
        source_(c.hints.value_or(AddrHints{}).source, topology),
        destination_(c.hints.value_or(AddrHints{}).destination, topology),
        hints_(HintsOf(c.hints.value_or(AddrHints{}))) {}
  Lookup(const Lookup&) = delete;
  Lookup& operator=(const Lookup&) = delete;

  const char* node() const { return has_node_ ? node_.c_str() : nullptr; }
  const char* service() const { return has_service_ ? service_.c_str() : nullptr; }
  const rdma_addrinfo* hints() const { return has_hints_ ? &hints_ : nullptr; }

 private:
  rdma_addrinfo HintsOf(const AddrHints& hints) {
    rdma_addrinfo info{};
    info.ai_flags = static_cast<int>(hints.flags);
    info.ai_family = hints.family;
    info.ai_qp_type = hints.type ? static_cast<int>(*hints.type) : 0;
    info.ai_port_space = hints.space ? static_cast<int>(*hints.space) : 0;
    info.ai_src_addr = source_.get();
    info.ai_src_len = LengthOf(info.ai_src_addr);
    info.ai_dst_addr = destination_.get();
    info.ai_dst_len = LengthOf(info.ai_dst_addr);
    return info;
  }

  bool has_node_;
  bool has_service_;
  bool has_hints_;
  std::string node_;
  std::string service_;
  SockAddr source_;
  SockAddr destination_;
  rdma_addrinfo hints_;
};

AddrInfoOutput FieldsOf(const rdma_addrinfo& info, const Topology& topology) {
  AddrInfoOutput fields{.flags = static_cast<uint32_t>(info.ai_flags),
                        .family = static_cast<uint8_t>(info.ai_family)};
  if (info.ai_qp_type != 0) fields.type = static_cast<QpType>(info.ai_qp_type);
  if (info.ai_port_space != 0) fields.space = static_cast<PortSpace>(info.ai_port_space);
  fields.source = AddressOf(info.ai_src_addr, topology);
  fields.destination = AddressOf(info.ai_dst_addr, topology);
  fields.source_length = static_cast<uint8_t>(info.ai_src_len);
  fields.destination_length = static_cast<uint8_t>(info.ai_dst_len);
  fields.route_length = static_cast<uint32_t>(info.ai_route_len);
  fields.connect_length = static_cast<uint32_t>(info.ai_connect_len);
  return fields;
}

DevicesOutput NamesOf(ibv_context** devices, const Application& app) {
  DevicesOutput names;
  for (; *devices != nullptr; ++devices) {
    const std::string_view name = app.api->ibv_get_device_name((*devices)->device);
    if (const auto device = app.topology.DeviceNamed(name))
      names.known |= BitOfDevice(*device);
    else
      ++names.unknown;
  }
  return names;
}

}  // namespace

int Make(const call::GetAddrInfo& c, Application& app, Products* products) {
  const Lookup lookup(c, app.topology);
  const int value =
      app.api->rdma_getaddrinfo(lookup.node(), lookup.service(), lookup.hints(), &products->info);
  if (value == 0) products->output = FieldsOf(*products->info, app.topology);
  return value;
}

int Make(const call::FreeAddrInfo& c, Application& app, Products* /*products*/) {
  app.api->rdma_freeaddrinfo(app.objects.InfoAt(c.info));
  return 0;
}

int Make(const call::GetDevices& /*c*/, Application& app, Products* products) {
  int count = 0;
  products->devices = app.api->rdma_get_devices(&count);
  if (products->devices == nullptr) return -1;
  products->output = NamesOf(products->devices, app);
  return 0;
}

int Make(const call::FreeDevices& c, Application& app, Products* /*products*/) {
  app.api->rdma_free_devices(app.objects.DevicesAt(c.devices));
  return 0;
}

int Make(const call::ResolveAddrInfo& c, Application& app, Products* /*products*/) {
  const Lookup lookup(c, app.topology);
  return app.api->rdma_resolve_addrinfo(app.At(c.id), lookup.node(), lookup.service(),
                                        lookup.hints());
}

int Make(const call::QueryAddrInfo& c, Application& app, Products* products) {
  const int value = app.api->rdma_query_addrinfo(app.At(c.id), &products->info);
  if (value == 0) products->output = FieldsOf(*products->info, app.topology);
  return value;
}

int Make(const call::WriteCmEvent& c, Application& app, Products* /*products*/) {
  return WithNumbers(app.api->rdma_write_cm_event)(app.At(c.id), c.type, c.status, c.argument);
}

}  // namespace cm
