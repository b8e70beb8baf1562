// The parts of an IB CM message that RDMA CM itself defines: the service id, and the header at the
// beginning of the private data of REQ and SIDR_REQ.
// source: linux 6.1 cma.c struct cma_hdr, cma_format_hdr, rdma_get_service_id
#ifndef MODEL_MAD_CMA_HEADER_H_
#define MODEL_MAD_CMA_HEADER_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <tuple>

#include "model/mad/field.h"
#include "model/mad/messages.h"
#include "model/vocabulary/protocol.h"

namespace cm::mad {

// The port is that of the active side; the destination port is in the service id only.
struct CmaHeader {
  uint8_t cma_version = 0;
  uint8_t ip_version = 4;
  uint8_t reserved_1 = 0;
  uint16_t port = 0;
  Gid source_address{};
  Gid destination_address{};
  friend bool operator==(const CmaHeader&, const CmaHeader&) = default;
};

template <>
struct Layout<CmaHeader> {
  static constexpr std::string_view kName = "cma";
  static constexpr size_t kSize = 36;
  static constexpr auto kRows = std::tuple{
      At("cma_version", 0, 0, 8, &CmaHeader::cma_version),
      At("ip_version", 1, 0, 4, &CmaHeader::ip_version),
      At("reserved_1", 1, 4, 4, &CmaHeader::reserved_1, Show::kReserved),
      At("port", 2, 0, 16, &CmaHeader::port),
      At("source_address", 4, 0, 128, &CmaHeader::source_address, Show::kGid),
      At("destination_address", 20, 0, 128, &CmaHeader::destination_address, Show::kGid)};
};

constexpr uint64_t MakeServiceId(PortSpace space, uint16_t port) {
  return uint64_t{static_cast<uint16_t>(space)} << 16 | port;
}

// The port space and port of a service id; empty for one that RDMA CM does not make. With one of
// RDMA_PS_IB there may be no CmaHeader, because AF_IB has none.
struct Service {
  PortSpace space = PortSpace::kTcp;
  uint16_t port = 0;
  friend bool operator==(const Service&, const Service&) = default;
};
std::optional<Service> ServiceOf(uint64_t service_id);

// The beginning of the private data of a REQ or SIDR_REQ, whatever its content.
template <typename M>
CmaHeader CmaHeaderOf(const M& message) {
  return Get<CmaHeader>(message.private_data.data());
}
// Whether the private data begins with the header: where the service id is RDMA CM's, except for
// AF_IB, whose service ids RDMA_PS_IB shares; there, whether it looks like one.
template <typename M>
bool HasCmaHeader(const M& message) {
  const auto service = ServiceOf(message.service_id);
  if (!service) return false;
  const CmaHeader header = CmaHeaderOf(message);
  return service->space != PortSpace::kIb ||
         (header.cma_version == 0 && (header.ip_version == 4 || header.ip_version == 6));
}
template <typename M>
void SetCmaHeader(M& message, const CmaHeader& header) {
  Put(header, message.private_data.data());
}

}  // namespace cm::mad

#endif  // MODEL_MAD_CMA_HEADER_H_
