// Calls on the C functions that hand out what is to be given back.
#include <sys/socket.h>

#include <string>

#include "conformance/adapters/dl/caller.h"
#include "conformance/adapters/dl/sockaddr.h"

namespace cm {
namespace {

rdma_addrinfo HintsOf(const AddrHints& hints, SockAddr* source, SockAddr* destination) {
  rdma_addrinfo info{};
  info.ai_flags = static_cast<int>(hints.flags);
  info.ai_family = hints.family;
  info.ai_qp_type = hints.type ? static_cast<int>(*hints.type) : 0;
  info.ai_port_space = hints.space ? static_cast<int>(*hints.space) : 0;
  info.ai_src_addr = source->get();
  info.ai_src_len = LengthOf(info.ai_src_addr);
  info.ai_dst_addr = destination->get();
  info.ai_dst_len = LengthOf(info.ai_dst_addr);
  return info;
}

// What is asked for, as C has it.
class Lookup {
 public:
  template <typename Call>
  Lookup(const Call& c, const Topology& topology)
      : has_node_(c.node.kind != AddressKind::kNone),
        has_service_(c.service.has_value()),
        has_hints_(c.hints.has_value()),
        node_(NumericHost(c.node, topology)),
        service_(std::to_string(c.service.value_or(0))),
        source_(c.hints.value_or(AddrHints{}).source, topology),
        destination_(c.hints.value_or(AddrHints{}).destination, topology),
        hints_(HintsOf(c.hints.value_or(AddrHints{}), &source_, &destination_)) {}
  Lookup(const Lookup&) = delete;
  Lookup& operator=(const Lookup&) = delete;

  const char* node() const { return has_node_ ? node_.c_str() : nullptr; }
  const char* service() const { return has_service_ ? service_.c_str() : nullptr; }
  const rdma_addrinfo* hints() const { return has_hints_ ? &hints_ : nullptr; }

 private:
  bool has_node_;
  bool has_service_;
  bool has_hints_;
  std::string node_;
  std::string service_;
  SockAddr source_;
  SockAddr destination_;
  rdma_addrinfo hints_;
};

}  // namespace

int Caller::One(const call::GetAddrInfo& c, Products* products) const {
  const Lookup lookup(c, *conversation_->topology);
  const int value =
      api_->rdma_getaddrinfo(lookup.node(), lookup.service(), lookup.hints(), &products->info);
  if (value == 0) products->handed = FieldsOf(*products->info);
  return value;
}

int Caller::One(const call::ResolveAddrInfo& c, Products* /*products*/) const {
  const Lookup lookup(c, *conversation_->topology);
  return api_->rdma_resolve_addrinfo(At(c.id), lookup.node(), lookup.service(), lookup.hints());
}

int Caller::One(const call::QueryAddrInfo& c, Products* products) const {
  const int value = api_->rdma_query_addrinfo(At(c.id), &products->info);
  if (value == 0) products->handed = FieldsOf(*products->info);
  return value;
}

int Caller::One(const call::WriteCmEvent& c, Products* /*products*/) const {
  return api_->rdma_write_cm_event(At(c.id), static_cast<rdma_cm_event_type>(c.type), c.status,
                                   c.argument);
}

int Caller::One(const call::FreeAddrInfo& c, Products* /*products*/) const {
  api_->rdma_freeaddrinfo(At(infos_, c.info));
  return 0;
}

int Caller::One(const call::GetDevices& /*c*/, Products* products) const {
  int count = 0;
  products->devices = api_->rdma_get_devices(&count);
  if (products->devices == nullptr) return -1;
  products->handed = NamesOf(products->devices);
  return 0;
}

int Caller::One(const call::FreeDevices& c, Products* /*products*/) const {
  api_->rdma_free_devices(At(devices_, c.devices));
  return 0;
}

AddrInfoHanded Caller::FieldsOf(const rdma_addrinfo& info) const {
  const Topology& topology = *conversation_->topology;
  AddrInfoHanded fields{.flags = static_cast<uint32_t>(info.ai_flags),
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

DevicesHanded Caller::NamesOf(ibv_context** devices) const {
  const Topology& topology = *conversation_->topology;
  DevicesHanded names;
  for (; *devices != nullptr; ++devices) {
    const std::string_view name = api_->ibv_get_device_name((*devices)->device);
    bool known = false;
    for (uint8_t device = 0; device < topology.devices.size(); ++device) {
      if (topology.devices[device].name != name) continue;
      known = true;
      names.known |= 1U << device;
    }
    if (!known) ++names.unknown;
  }
  return names;
}

}  // namespace cm
