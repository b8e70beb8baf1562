// The simulated IB CM: messages, timers and timewait of connection identifiers, as Linux has them.
//
// One object serves all kernels of a world; an id belongs to one of them and meets the ids of
// others through messages alone.
#ifndef SIM_IB_CM_IB_CM_H_
#define SIM_IB_CM_IB_CM_H_

#include <cstdint>
#include <optional>
#include <vector>

#include "model/base/errno.h"
#include "model/base/result.h"
#include "model/vocabulary/profile.h"
#include "sim/core/agenda.h"
#include "sim/core/defects.h"
#include "sim/core/slab.h"
#include "sim/fabric/fabric.h"
#include "sim/fabric/mad.h"

namespace cm::sim {

// source: linux 6.1 ib_cm.h enum ib_cm_state
enum class IbState : uint8_t {
  kIdle,
  kReqSent,
  kReqRcvd,
  kMraReqSent,
  kMraReqRcvd,
  kRepSent,
  kRepRcvd,
  kMraRepSent,
  kMraRepRcvd,
  kEstablished,
  kDreqSent,
  kDreqRcvd,
  kTimewait,
  kSidrReqSent,
  kSidrReqRcvd,
};

struct IbId {
  bool live = false;
  bool dying = false;  // destroyed; waits for a message of its own that was never answered
  IbState state = IbState::kIdle;
  uint8_t kernel = 0;
  uint8_t device = 0;
  uint8_t peer_device = 0;
  uint8_t av_timeout = 0;  // exponent: timewait, and the waits after an MRA
  uint8_t max_retries = 0;
  uint8_t retries_left = 0;
  bool outstanding = false;     // `message` waits for an answer
  bool pathless = false;        // the alternate path took over, and there was none
  bool noticed = false;         // the application was first to say that the connection stands
  bool known_remotely = false;  // its peer's communication id and QP number are in the tables
  IbState message_state = IbState::kIdle;  // the state that `message` was sent in
  uint32_t local_cid = 0;
  uint32_t remote_cid = 0;
  uint32_t local_qpn = 0;
  uint32_t remote_qpn = 0;
  uint8_t retry_count = 0;  // of the queue pair, as REQ has it
  ConnFields peer;          // what the peer has said, for the queue pair
  uint32_t user = kNobody;  // the rdma_cm id above
  Duration interval;        // between two transmissions of `message`; an MRA changes it
  Duration base_interval;   // and of every new message
  Instant mad_timer = Instant::Never();
  Instant timewait_timer = Instant::Never();
  uint32_t source_since = 0;  // fail-overs of the device's bond when the id took its GID
  Mad message;                // what is transmitted again
  friend bool operator==(const IbId&, const IbId&) = default;
};

// What the IB CM reports to the layer above.
enum class IbEventKind : uint8_t {
  kReqError,
  kRepError,
  kRepReceived,
  kRtuReceived,
  kDreqReceived,
  kDrepReceived,
  kDreqError,
  kTimewaitExit,
  kRejReceived,
  kUserEstablished,
  kSidrRepReceived,
  kSidrReqError,
};

// What the layer above makes of a request.
enum class RequestVerdict : uint8_t { kTaken, kNobodyListens, kDropped, kRejected };

// The layer above.
class IbCmUser {
 public:
  virtual ~IbCmUser() = default;
  // Somebody listens for the service id on the device.
  virtual bool Listens(uint8_t device, const Mad& req) = 0;
  // A request that is neither a duplicate nor stale, on the new id `ib`.
  virtual RequestVerdict OnRequest(uint32_t ib, uint8_t device, const Mad& req) = 0;
  // `mad` is the message that caused the event, or null.
  virtual void OnIbEvent(uint32_t user, IbEventKind kind, const Mad* mad) = 0;
  // A destroyed id is gone at last.
  virtual void OnIbGone(uint32_t user) = 0;
};

// State, access flags, P_Key index and port: the attributes for INIT.
inline constexpr uint32_t kInitAttrMask = 0x39;
inline constexpr uint32_t kDatagramAttrMask = 0x71;

class IbCm {
 public:
  // What a call needs besides the ids themselves.
  struct Context {
    Agenda* agenda;
    Fabric* fabric;
    IbCmUser* user;
    const Profile* profile;
    Defect defect;
  };

  // `source_since`: how often the device's bond had failed over when the id took its GID.
  uint32_t Create(uint8_t kernel, uint8_t device, uint32_t user, uint32_t source_since);
  const IbId& at(uint32_t ib) const { return ids_[ib]; }
  void SetUser(uint32_t ib, uint32_t user) { ids_[ib].user = user; }

  // Local calls; the errno is kNone on success. Rows L of the protocol's tables.
  Errno SendReq(Context c, uint32_t ib, uint8_t to_device, uint8_t packet_lifetime, Mad req);
  Errno SendRep(Context c, uint32_t ib, Mad rep);
  Errno SendRtu(Context c, uint32_t ib);
  Errno SendRej(Context c, uint32_t ib, RejReason reason, const PrivateData& data);
  Errno SendDreq(Context c, uint32_t ib);
  Errno SendDrep(Context c, uint32_t ib);
  // What the application noticed of the queue pair. source: linux 6.1 cm.c ib_cm_notify
  Errno Notify(Context c, uint32_t ib, uint8_t event);
  // The attributes that a queue pair needs for the state, if it may come to that now.
  // source: linux 6.1 cm.c ib_cm_init_qp_attr
  Result<uint32_t> InitQpAttr(Context c, uint32_t ib, QpState state) const;
  // The address that the id sends from is gone.
  bool SourceLost(Context c, uint32_t ib) const { return SourceLost(c, ids_[ib]); }
  // datagram.cc
  Errno SendSidrReq(Context c, uint32_t ib, uint8_t to_device, Mad req);
  Errno SendSidrRep(Context c, uint32_t ib, Mad rep);
  // Rows D. False when it goes on until the outstanding message has run out; OnIbGone tells.
  bool Destroy(Context c, uint32_t ib);

  // Events. Rows N, R and M.
  void Receive(Context c, uint8_t device, const Mad& mad);
  void OnMadTimer(Context c, uint32_t ib);
  void OnTimewaitOver(Context c, uint32_t ib);
  void OnSendFailed(Context c, uint32_t ib);

  uint32_t live_count() const { return ids_.live_count(); }
  friend bool operator==(const IbCm&, const IbCm&) = default;

 private:
  static bool SourceLost(Context c, const IbId& id);
  // receive.cc
  void ReceiveReq(Context c, uint8_t device, const Mad& req);
  void ReceiveDuplicateReq(Context c, uint32_t ib);
  void ReceiveStaleReq(Context c, uint8_t device, const Mad& req, uint32_t old);
  void ReceiveMra(Context c, uint8_t device, const Mad& mra);
  void ReceiveRej(Context c, uint8_t device, const Mad& rej);
  void ReceiveRep(Context c, uint8_t device, const Mad& rep);
  void ReceiveRtu(Context c, uint8_t device, const Mad& rtu);
  void ReceiveDreq(Context c, uint8_t device, const Mad& dreq);
  void ReceiveDrep(Context c, uint8_t device, const Mad& drep);
  // datagram.cc
  void ReceiveSidrReq(Context c, uint8_t device, const Mad& req);
  void ReceiveSidrRep(Context c, uint8_t device, const Mad& rep);
  uint32_t Match(uint8_t device, uint32_t local_cid, uint32_t remote_cid) const;
  uint32_t FindRemoteId(uint8_t kernel, uint8_t guid, uint32_t cid) const;
  uint32_t FindRemoteQp(uint8_t kernel, uint8_t guid, uint32_t qpn) const;

  // ib_cm.cc
  Mad Answer(const IbId& id, MadKind kind) const;
  Mad Rejection(const IbId& id, About about, RejReason reason) const;
  void Transmit(Context c, uint32_t ib);
  void SendOutstanding(Context c, uint32_t ib, Mad message);
  void Cancel(IbId* id);
  void EnterTimewait(Context c, uint32_t ib);
  void ResetToIdle(IbId* id);
  void Exhausted(Context c, uint32_t ib);
  void GiveUp(Context c, uint32_t ib);
  bool DestroyByState(Context c, uint32_t ib);
  uint32_t NewCid() { return ++last_cid_; }

  Slab<IbId> ids_;
  uint32_t last_cid_ = 0;
};

}  // namespace cm::sim

#endif  // SIM_IB_CM_IB_CM_H_
