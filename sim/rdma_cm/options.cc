// Options of ids. source: linux 6.1 ucma.c ucma_set_option, cma.c rdma_set_reuseaddr,
// rdma_set_afonly, rdma_set_ack_timeout, rdma_set_ib_path
#include "sim/rdma_cm/ids.h"
#include "sim/rdma_cm/transport.h"

namespace cm::sim {
namespace {

constexpr uint32_t kCopiedAtMost = 4u << 20;  // KMALLOC_MAX_SIZE
constexpr uint32_t kByte = 1;
constexpr uint32_t kNumber = 4;
constexpr uint32_t kPathRecord = 72;  // struct ib_path_rec_data
constexpr uint32_t kOwnPath = 0x2b;   // IB_PATH_GMP, IB_PATH_PRIMARY, IB_PATH_BIDIRECTIONAL

Errno SetIdOption(CmId* own, const command::SetOption& cmd) {
  const bool byte = cmd.option == kTosOption || cmd.option == kAckTimeoutOption;
  const bool fits = cmd.length == (byte ? kByte : kNumber);
  if (!fits) return Errno::kInval;
  if (cmd.option == kReuseAddrOption) {
    const bool shares = cmd.value != 0;
    if (own->state != CmState::kIdle && (!shares || own->state == CmState::kListen))
      return Errno::kInval;
    own->shares_port = shares;
  } else if (cmd.option == kAfOnlyOption) {
    if (own->state != CmState::kIdle && own->state != CmState::kAddrBound) return Errno::kInval;
    own->family_only = cmd.value != 0;
    own->family_only_given = true;
  } else if (cmd.option == kAckTimeoutOption) {
    const bool only_answers = own->type == command::IdType::kXrcReceive;
    if (IsDatagram(own->space) || only_answers) return Errno::kInval;
    own->ack_timeout = static_cast<uint8_t>(cmd.value);
  }
  return Errno::kNone;
}

// The record has flags and nothing else: its path has no addresses.
Errno SetPath(const KernelContext& k, CmIdIndex id, const command::SetOption& cmd) {
  CmId& own = k.cma->ids[id];
  const bool whole = cmd.length != 0 && cmd.length % kPathRecord == 0;
  if (!whole || cmd.value != kOwnPath || own.device == kNoDevice) return Errno::kInval;
  if (own.state != CmState::kAddrResolved) return Errno::kInval;
  if (k.transport->paths_need_interface() && own.interface == kNoDevice) return Errno::kNoDev;
  own.num_paths = 1;
  own.path_given = true;
  RouteResolved(k, id);
  return Errno::kNone;
}

}  // namespace

Errno Execute(const KernelContext& k, FileIndex file, const command::SetOption& cmd) {
  if (cmd.length > kCopiedAtMost) return Errno::kInval;
  const Result<CmIdIndex> id = Lookup(k, file, cmd.id);
  if (!id.ok()) return id.error();
  if (cmd.option == kIbPathOption) return SetPath(k, id.value(), cmd);
  for (const IdOption known : {kTosOption, kReuseAddrOption, kAfOnlyOption, kAckTimeoutOption})
    if (cmd.option == known) return SetIdOption(&k.cma->ids[id.value()], cmd);
  return Errno::kNoSys;
}

}  // namespace cm::sim
