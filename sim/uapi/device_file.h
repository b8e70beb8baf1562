// The kernel end of the rdma_cm device file: command bytes in, answer bytes out.
//
// Each command checks what the kernel checks, in its order. source: linux 6.1 ucma.c
#ifndef SIM_UAPI_DEVICE_FILE_H_
#define SIM_UAPI_DEVICE_FILE_H_

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <utility>

#include "model/base/errno.h"
#include "model/base/result.h"
#include "sim/rdma_cm/commands.h"
#include "sim/uapi/asker.h"
#include "sim/uapi/groups.h"
#include "sim/uapi/request.h"
#include "sim/world/world.h"

struct rdma_ucm_ud_param;

namespace cm::sim::uapi {

class DeviceFile {
 public:
  explicit DeviceFile(World* world) : world_(world) {}

  // `nonblocking`: the file has O_NONBLOCK; only GET_EVENT looks at it.
  Outcome Write(Asker asker, uint32_t file, bool nonblocking, std::span<const uint8_t> written);
  // The result of a destroy that waited; empty while it waits.
  std::optional<Answer> Destroyed(uint32_t ticket, size_t written) const;

  // The id whose connection uses the queue pair of this number.
  std::optional<uint32_t> IdThatNames(uint8_t device, uint32_t qp_number) const;
  // The connection attributes of the thread's last request.
  std::optional<response::QpAttr> LastAttributes(Asker asker) const;
  // As they were before requests that were only tried.
  void SetLastAttributes(Asker asker, const std::optional<response::QpAttr>& attributes);
  void Forget(uint32_t process);

 private:
  // A parsed command.
  struct Command {
    Asker asker;
    FileIndex file;
    uint32_t number = 0;
    uint16_t in = 0;   // its length
    uint16_t out = 0;  // room for its answer
    bool nonblocking = false;
    std::span<const uint8_t> body;  // after the header
    size_t written = 0;
  };
  using SockaddrIb = std::array<uint8_t, 48>;

  KernelContext Kernel() const { return world_->Kernel(); }
  bool Live(uint32_t id) const { return Kernel().cma->ids.Live(CmIdIndex(id)); }
  const CmId& IdOf(uint32_t id) const { return Kernel().cma->ids[CmIdIndex(id)]; }
  Outcome Carry(const Command& c);
  Outcome CarryLater(const Command& c);

  // commands.cc
  Address AddressIn(std::span<const uint8_t> address);
  Outcome CreateId(const Command& c);
  Outcome DestroyId(const Command& c);
  Outcome Bind(const Command& c, uint32_t id, std::span<const uint8_t> address);
  Outcome BindAddr(const Command& c);
  Outcome BindIp(const Command& c);
  Outcome ResolveAddr(const Command& c);
  Outcome ResolveIp(const Command& c);
  Outcome ResolveRoute(const Command& c);
  Outcome Connect(const Command& c);
  Outcome Listen(const Command& c);
  Outcome Accept(const Command& c);
  Outcome Reject(const Command& c);
  Outcome Disconnect(const Command& c);
  Outcome SetOption(const Command& c);
  Outcome Notify(const Command& c);
  Outcome JoinIpMcast(const Command& c);
  Outcome JoinMcast(const Command& c);
  Outcome LeaveMcast(const Command& c);
  Outcome MigrateId(const Command& c);
  Outcome ResolveIbService(const Command& c);
  Outcome WriteCmEvent(const Command& c);
  // Called when the number belonged to another id before.
  void StartAfresh(uint32_t id);
  void NameQp(uint32_t id, command::ConnectionParam* param) const;
  void NoteQp(uint32_t id, const command::ConnectionParam& param);

  // answers.cc
  Outcome Query(const Command& c);
  Outcome QueryAddr(const Command& c, uint32_t id);
  Outcome QueryPath(const Command& c, uint32_t id);
  Outcome QueryGid(const Command& c, uint32_t id);
  Outcome QueryRoute(const Command& c);
  Outcome InitQpAttr(const Command& c);
  Outcome GetEvent(const Command& c);
  void PutDatagram(const response::Event& event, rdma_ucm_ud_param* ud) const;

  World* world_;
  Groups groups_;
  // The AF_IB address of each id that is bound to one.
  std::map<uint32_t, SockaddrIb> infiniband_;
  using QpName = std::pair<uint8_t, uint32_t>;     // device and QP number
  std::map<QpName, uint32_t> named_;               // ids
  std::map<uint32_t, std::set<QpName>> names_of_;  // the same by id, and what others name since
  std::map<Asker, response::QpAttr> attributes_;
};

}  // namespace cm::sim::uapi

#endif  // SIM_UAPI_DEVICE_FILE_H_
