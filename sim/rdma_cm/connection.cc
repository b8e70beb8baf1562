// Connecting, accepting, rejecting, disconnecting. source: linux 6.1 cma.c rdma_connect_locked,
// rdma_accept, rdma_reject, rdma_disconnect
#include "sim/rdma_cm/ids.h"
#include "sim/rdma_cm/transport.h"

namespace cm::sim {
namespace {

// The application gives a number, which may be of no state.
bool IsKnown(QpState state) {
  switch (state) {
    case QpState::kReset:
    case QpState::kInit:
    case QpState::kRtr:
    case QpState::kRts:
    case QpState::kSqd:
    case QpState::kSqe:
    case QpState::kErr:
      return true;
  }
  return false;
}

}  // namespace

Errno Execute(const KernelContext& k, FileIndex file, const command::Connect& cmd) {
  const Result<CmIdIndex> id = LookupWithDevice(k, file, cmd.id);
  if (!id.ok()) return id.error();
  if (k.cma->ids[id.value()].state != CmState::kRouteResolved) return Errno::kInval;
  return k.transport->Connect(k, id.value(), cmd);
}

Errno Execute(const KernelContext& k, FileIndex file, const command::Accept& cmd) {
  const Result<CmIdIndex> id = LookupWithDevice(k, file, cmd.id);
  if (!id.ok()) return id.error();
  CmId& own = k.cma->ids[id.value()];
  if (own.state != CmState::kConnect) {
    // Unlike linux 6.1 cma.c rdma_accept, which rejects nothing in a wrong state.
    if (own.iw.valid()) k.transport->Reject(k, id.value(), {});
    return Errno::kInval;
  }
  const uint64_t before = own.uid;
  // Over iWARP the connection is established within the call, and an event reports it.
  if (cmd.valid) own.uid = cmd.uid;
  const Errno accepted = k.transport->Accept(k, id.value(), cmd);
  if (accepted == Errno::kNone) return Errno::kNone;
  own.uid = before;
  k.transport->Reject(k, id.value(), {});
  return accepted;
}

Errno Execute(const KernelContext& k, FileIndex file, const command::Reject& cmd) {
  const Result<CmIdIndex> id = LookupWithDevice(k, file, cmd.id);
  return id.ok() ? k.transport->Reject(k, id.value(), cmd) : id.error();
}

Errno Execute(const KernelContext& k, FileIndex file, const command::Disconnect& cmd) {
  const Result<CmIdIndex> id = LookupWithDevice(k, file, cmd.id);
  return id.ok() ? k.transport->Disconnect(k, id.value()) : id.error();
}

Errno Execute(const KernelContext& k, FileIndex file, const command::Notify& cmd) {
  const Result<CmIdIndex> id = LookupWithDevice(k, file, cmd.id);
  return id.ok() ? k.transport->Notify(k, id.value(), cmd.event) : id.error();
}

Result<response::QpAttr> Execute(const KernelContext& k, FileIndex file,
                                 const command::InitQpAttr& cmd) {
  if (!IsKnown(cmd.state)) return Errno::kInval;
  const Result<CmIdIndex> id = LookupWithDevice(k, file, cmd.id);
  if (!id.ok()) return id.error();
  return k.transport->Attributes(k, id.value(), cmd.state);
}

}  // namespace cm::sim
