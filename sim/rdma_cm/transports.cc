#include "sim/rdma_cm/transports.h"

#include <cstdlib>

#include "sim/rdma_cm/ib_transport.h"
#include "sim/rdma_cm/iw_transport.h"

namespace cm::sim {

const CmTransport& TransportOf(const Profile& profile) {
  static const InfinibandTransport kInfiniband;
  static const RoceTransport kRoce;
  static const IwTransport kIwarp;
  switch (profile.transport) {
    case Transport::kInfiniband:
      return kInfiniband;
    case Transport::kRoce:
      return kRoce;
    case Transport::kIwarp:
      return kIwarp;
  }
  std::abort();
}

}  // namespace cm::sim
