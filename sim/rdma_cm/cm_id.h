// An id of the kernel, with its ucma context.
#ifndef SIM_RDMA_CM_CM_ID_H_
#define SIM_RDMA_CM_CM_ID_H_

#include <cstdint>

#include "model/base/duration.h"
#include "model/vocabulary/address.h"
#include "model/vocabulary/protocol.h"
#include "sim/core/index.h"
#include "sim/core/slab.h"
#include "sim/fabric/fabric.h"
#include "sim/ib_cm/ib_cm.h"
#include "sim/iw_cm/iw_cm.h"
#include "sim/rdma_cm/commands.h"

namespace cm::sim {

using FileIndex = Index<struct File>;

// source: linux 6.1 cma_priv.h enum rdma_cm_state
enum class CmState : uint8_t {
  kIdle,
  kAddrQuery,
  kAddrResolved,
  kRouteQuery,
  kRouteResolved,
  kConnect,
  kDisconnect,
  kAddrBound,
  kListen,
  kDeviceRemoval,
  kDestroying,
};

// An SA query with its retries.
struct SmQuery {
  Duration interval;
  int64_t left = 0;       // retries left
  bool answered = false;  // the response is in flight
  friend bool operator==(const SmQuery&, const SmQuery&) = default;
};

struct CmId {
  bool live = false;
  bool closed = false;  // its device was removed: every command but destroy returns ENXIO
  bool owns_port = false;
  bool listens_on_device = false;  // it has an IB CM id of its own, in a state of its own
  bool family_only = true;
  bool family_only_given = false;  // by an option
  bool shares_port = false;        // REUSEADDR
  bool path_given = false;         // by an option, without a destination
  uint8_t ack_timeout = 0;         // an exponent; 0: that of the path
  uint8_t packet_lifetime = 0;     // of the path
  bool destroy_wanted = false;     // by its owner, not by a device removal
  uint8_t path_to = kNoDevice;     // of an id whose destination may be forgotten: its route
  bool neighbour_tracked = false;
  bool resolved_wrong_neighbour = false;  // it has a wrong hardware address of its peer
  CmState state = CmState::kIdle;
  PortSpace space = PortSpace::kTcp;
  command::IdType type = command::IdType::kUsual;
  uint8_t kernel = 0;
  uint8_t device = kNoDevice;
  uint8_t interface = kNoDevice;  // bound_dev_if: sticks, also after a failure
  uint8_t bond_slave = 0;         // of the interface, when it was bound
  uint32_t peer_fail_overs = 0;   // of the destination's bond, when the route was resolved
  uint32_t source_since = 0;      // fail-overs of the device's bond when the id got its GID
  uint8_t num_paths = 0;
  uint8_t addr_change_due = 0;  // reports in progress; not for the next id in this slot
  uint8_t neighbour_due = 0;
  FileIndex file;
  uint64_t uid = 0;  // 0 on a request that is not accepted: its events are discarded
  IbIndex ib;
  IwIndex iw;              // over iWARP, in place of `ib`
  CmIdIndex listener;      // of a request
  uint32_t attached = 0;   // number of its attachment to a device: the order of removal
  uint32_t took_port = 0;  // number of its port ownership: the newest is the first
  uint32_t events_reported = 0;
  int32_t backlog = 0;  // room for unfetched requests
  Address source;
  Address destination;
  uint8_t resolve_interface = kNoDevice;  // result of the address resolution in progress
  int32_t resolve_status = 0;
  Instant work = Instant::Never();  // when its resolution ends; another event is stale
  SmQuery asking;                   // route query, over InfiniBand
  friend bool operator==(const CmId&, const CmId&) = default;
};

using CmIds = Slab<CmId, CmIdIndex>;

// An id's membership in a group.
struct Membership {
  bool live = false;
  CmIdIndex id;
  uint64_t uid = 0;
  uint32_t events_reported = 0;
  Address address;
  SmQuery asking;  // over InfiniBand
  bool send_only = false;
  bool joined = false;              // and reported
  bool left = false;                // kept until the work is over, which then does nothing
  Instant work = Instant::Never();  // when it is reported
  friend bool operator==(const Membership&, const Membership&) = default;
};

using MembershipIndex = Index<Membership>;
using Memberships = Slab<Membership, MembershipIndex>;

}  // namespace cm::sim

#endif  // SIM_RDMA_CM_CM_ID_H_
