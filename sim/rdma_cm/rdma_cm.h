// The simulated kernel rdma_cm: ids, ports, address and route resolution, event queues.
//
// One object serves all kernels of a world. Applications use it by the commands of commands.h; what
// differs between InfiniBand, RoCE and iWARP is behind transport.h.
#ifndef SIM_RDMA_CM_RDMA_CM_H_
#define SIM_RDMA_CM_RDMA_CM_H_

#include <cstdint>

#include "model/vocabulary/neighbours.h"
#include "model/vocabulary/profile.h"
#include "sim/core/agenda.h"
#include "sim/fabric/fabric.h"
#include "sim/ib_cm/ib_cm.h"
#include "sim/iw_cm/iw_cm.h"
#include "sim/rdma_cm/cm_id.h"
#include "sim/rdma_cm/commands.h"
#include "sim/rdma_cm/event_files.h"
#include "sim/rdma_cm/pending_destroys.h"
#include "sim/rdma_cm/port_table.h"

namespace cm::sim {

class CmTransport;

// The state of all kernels' rdma_cm: a value.
struct RdmaCm {
  CmIds ids;
  EventFiles files;
  Memberships memberships;
  PortTable ports;
  PendingDestroys destroys;
  uint32_t attachments = 0;  // of ids to devices, so far

  friend bool operator==(const RdmaCm& a, const RdmaCm& b) {
    return a.ids == b.ids && a.files == b.files && a.destroys == b.destroys &&
           a.memberships == b.memberships;
  }
};

// What a command or event of a kernel works on; the world makes one for each.
struct KernelContext {
  RdmaCm* cma;
  Agenda* agenda;
  Fabric* fabric;
  IbCm* ib;
  IwCm* iw;
  const Profile* profile;
  const CmTransport* transport;
};

// Destroys the file's ids. False while one of them has an outstanding message: the file is open
// until that is given up. source: linux 6.1 ucma.c ucma_close
bool CloseFile(const KernelContext& k, FileIndex file);
// The registered devices of the kernel: bits by index.
DeviceBits RegisteredDevices(const KernelContext& k, uint8_t kernel);
// The id's queue pair was destroyed, or is in an error state. `handle` may be of no id.
void QueuePairBreaks(const KernelContext& k, uint32_t handle);

// Events of the agenda. An event is ignored if its id has no such work by now.
void OnAddressWork(const KernelContext& k, CmIdIndex id);
void OnRouteWork(const KernelContext& k, CmIdIndex id);
void OnNeighbourWork(const KernelContext& k, CmIdIndex id);
void OnNeighbourFails(const KernelContext& k, uint8_t device, uint8_t peer);
void OnAddrChangeWork(const KernelContext& k, CmIdIndex id);
void OnCloseWork(const KernelContext& k, CmIdIndex id);
void OnMembershipWork(const KernelContext& k, MembershipIndex membership);

// Changes from outside.
// All ids of the device report DEVICE_REMOVAL and are closed. source: linux 6.1 cma.c
// cma_process_remove
void RemoveDevice(const KernelContext& k, uint8_t device);
// Drops everything of the kernel, without notifications.
void CrashKernel(const KernelContext& k, uint8_t kernel);
// The other interface of the device's bond becomes active. source: cma_netdev_change
void FailOver(const KernelContext& k, uint8_t device);
// The device's neighbour table has changed; `before` is what it was. source: cma_netevent_callback
void NeighboursChanged(const KernelContext& k, uint8_t device, const NeighbourTable& before);

}  // namespace cm::sim

#endif  // SIM_RDMA_CM_RDMA_CM_H_
