// Arguments of rdma_getaddrinfo and rdma_resolve_addrinfo.
#ifndef CONFORMANCE_ADAPTERS_DL_LOOKUP_H_
#define CONFORMANCE_ADAPTERS_DL_LOOKUP_H_

#include <rdma/rdma_cma.h>

#include <string>

#include "model/vocabulary/call.h"
#include "model/vocabulary/sockaddr.h"
#include "model/vocabulary/topology.h"

namespace cm {

// The arguments as C structs. Must not move: it points into itself.
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

}  // namespace cm

#endif  // CONFORMANCE_ADAPTERS_DL_LOOKUP_H_
