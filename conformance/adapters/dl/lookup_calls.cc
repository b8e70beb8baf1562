// Calls on the C functions whose results the application must release.
#include <string_view>

#include "conformance/adapters/dl/caller.h"
#include "conformance/adapters/dl/lookup.h"
#include "model/vocabulary/sockaddr.h"

namespace cm {
int Caller::One(const call::GetAddrInfo& c, Products* products) const {
  const Lookup lookup(c, *conversation_->topology);
  const int value =
      api_->rdma_getaddrinfo(lookup.node(), lookup.service(), lookup.hints(), &products->info);
  if (value == 0) products->handed = FieldsOf(*products->info);
  return value;
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
    if (const auto device = topology.DeviceNamed(name))
      names.known |= 1U << *device;
    else
      ++names.unknown;
  }
  return names;
}

}  // namespace cm
