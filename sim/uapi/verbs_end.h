// The kernel end of verbs: the objects of processes, over the queue pairs of the simulator.
#ifndef SIM_UAPI_VERBS_END_H_
#define SIM_UAPI_VERBS_END_H_

#include <cstdint>
#include <map>
#include <optional>

#include "model/base/errno.h"
#include "model/base/result.h"
#include "sim/fabric/names.h"
#include "sim/uapi/asker.h"
#include "sim/uapi/device_events.h"
#include "sim/uapi/device_file.h"
#include "sim/uapi/request.h"
#include "sim/uapi/xrc_domains.h"
#include "sim/verbs/verbs.h"
#include "sim/world/world.h"

namespace cm::sim::uapi {

class VerbsEnd {
 public:
  VerbsEnd(World* world, const DeviceFile* device_file, DeviceEvents* device_events)
      : world_(world), device_file_(device_file), device_events_(device_events) {}

  Outcome Carry(Asker asker, uint8_t kernel, const Request& request);
  // Destroys all that the process has.
  void Forget(uint32_t process);
  // Reports events of objects to their receivers.
  void TellNews();
  // True where a kModifyQp of a queue pair that has come to the state `from`, of its own one if
  // empty, would certainly be answered with 0, and would change nothing else: the usual ones of
  // connections.
  bool WouldMove(Asker asker, const Request& modify, std::optional<QpState> from) const;
  // True where the completion queue would certainly be destroyed, without events to acknowledge.
  bool WouldDestroyCq(uint32_t process, uint32_t number) const;

 private:
  struct OwnCq {
    uint32_t process = 0;
    uint32_t cq = 0;
    ToldRecord told;
    uint32_t used = 0;  // by queues of queue pairs
  };
  struct OwnSrq {
    uint32_t process = 0;
    uint32_t srq = 0;
    ToldRecord told;
    uint32_t queue = 0;  // of XRC: its completion queue
    uint32_t xrcd = 0;   // the same: an opened XRC domain
  };
  struct OwnQp {
    uint32_t process = 0;
    uint8_t device = 0;
    uint32_t qp = 0;
    uint32_t send_queue = 0;
    uint32_t receive_queue = 0;
    uint32_t srq = kNobody;
    bool signal_all = false;
    bool unreliable = false;
    bool connected = false;  // over iWARP
    Connection connection;   // as far as it is set
    ToldRecord told;
    uint32_t xrcd = 0;  // of a target of XRC; processes may have the same one
  };

  Verbs& verbs() const { return *world_->Context().verbs; }
  bool OverIwarp() const { return world_->profile().transport == Transport::kIwarp; }

  // verbs_end.cc
  Outcome CarryQp(Asker asker, const Request& request);
  CapacityRecord CapacityOf(const OwnQp& own) const;
  Outcome CarryCq(uint32_t process, const Request& request);
  Outcome CarrySrq(uint32_t process, const Request& request);
  Outcome CreateCq(uint32_t process, const Request& request);
  Outcome ResizeCq(const OwnCq& own, uint64_t completions);
  Outcome DestroyCq(uint32_t cq);
  uint32_t HeldWhereAskedFor(uint64_t work) const;
  Room RoomFor(const RoomRecord& asked) const;
  Outcome CreateSrq(uint32_t process, const SrqRecord& asked);
  Errno ModifySrq(const OwnSrq& own, const SrqRecord& asked);
  Outcome QuerySrq(const OwnSrq& own) const;
  Outcome DestroySrq(uint32_t srq);
  void Use(uint32_t queue);
  void Release(uint32_t queue);
  Outcome CreateQp(uint32_t process, uint8_t kernel, const Request& request);
  void DestroyQp(uint32_t number);
  Outcome Released(uint32_t object);
  template <typename Own>
  void Tell(const std::map<uint32_t, Own>& objects, uint32_t Own::*index, const News& news);
  Outcome CarryRegion(uint32_t process, uint8_t kernel, const Request& request);
  Outcome Attach(const OwnQp& own, const Request& request);
  bool HasDepth(const ModifyRecord& record) const;
  Errno Modify(Asker asker, OwnQp* own, const ModifyRecord& record);
  Errno Move(Asker asker, OwnQp* own, const ModifyRecord& record);
  Errno ToReceive(Asker asker, OwnQp* own, const ModifyRecord& record);
  Errno ToSend(OwnQp* own, const ModifyRecord& record);
  void Break(const OwnQp& own);

  // iwarp.cc
  void FollowConnections();
  const IwId* ConnectionOf(const OwnQp& own) const;
  const OwnQp* PeerOf(const IwId& connection) const;
  void Join(const OwnQp& own, const OwnQp& peer);

  // work.cc: objects of XRC; memory windows; posting and polling
  Outcome CarryXrcd(uint32_t process, uint8_t kernel, const Request& request);
  Outcome CreateXrcSrq(uint32_t process, const SrqRecord& asked);
  Outcome CreateXrcQp(uint32_t process, uint8_t device, const QpRecord& record);
  Outcome OpenQp(uint32_t process, const Request& request);
  bool IsShared(uint32_t number) const;
  void ShareConnection(const OwnQp& own);
  Outcome CarryWindow(uint32_t process, uint8_t kernel, const Request& request);
  Outcome AllocateWindow(uint32_t process, uint8_t kernel, const WindowRecord& asked);
  void ForgetWindows(uint32_t process);
  WindowUse BindingIn(uint32_t process, const Request& request) const;
  Outcome PostSend(const OwnQp& own, const Request& request);
  bool MakeAtomic(const OwnQp& own, const WorkRecord& record, WorkRequest* work) const;
  Outcome PostReceive(const OwnQp& own, const Request& request);
  Outcome PostToSrq(const OwnSrq& own, const Request& request);
  Result<WorkRequest> WorkOf(uint32_t process, const Request& request) const;
  Errno AddRemote(const OwnQp& own, const Request& request, WorkRequest* work) const;
  Piece PieceOf(uint32_t process, const PieceRecord& record) const;
  Piece RemoteOf(const WorkRecord& record, uint32_t length) const;
  void SendTo(const OwnQp& own, const WorkRecord& record, WorkRequest* work) const;
  Outcome Poll(OwnCq* own, uint64_t at_most);
  CompletionRecord PollOne(uint32_t cq);
  Outcome TakeEvent(uint32_t process, const Request& request);

  World* world_;
  const DeviceFile* device_file_;
  DeviceEvents* device_events_;
  std::map<uint32_t, OwnCq> cqs_;
  std::map<uint32_t, OwnSrq> srqs_;
  std::map<uint32_t, OwnQp> qps_;
  XrcDomains xrc_domains_;
  uint32_t last_number_ = 0;  // the last one of any object
};

}  // namespace cm::sim::uapi

#endif  // SIM_UAPI_VERBS_END_H_
