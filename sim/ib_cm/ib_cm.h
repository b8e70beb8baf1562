// The simulated IB CM: messages, timers and timewait of connection identifiers, as Linux has them.
//
// One object serves all kernels of a world; an id belongs to one of them and reaches the ids of
// others through messages alone.
#ifndef SIM_IB_CM_IB_CM_H_
#define SIM_IB_CM_IB_CM_H_

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "model/base/duration.h"
#include "model/base/errno.h"
#include "model/base/result.h"
#include "model/vocabulary/profile.h"
#include "sim/core/agenda.h"
#include "sim/core/fifo.h"
#include "sim/core/slab.h"
#include "sim/core/slot_table.h"
#include "sim/fabric/fabric.h"
#include "sim/fabric/mad.h"
#include "sim/ib_cm/cid_table.h"

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

// Whether the peer requests another path for the connection (LAP). No side here sends a LAP, so
// that the sender's states are not reached. source: linux 6.1 ib_cm.h enum ib_cm_lap_state
enum class LapState : uint8_t { kUninit, kIdle, kLapRcvd, kMraLapSent };

// A retransmission period, in whole milliseconds as derived from the protocol's exponents.
class Interval {
 public:
  constexpr Interval() = default;
  constexpr explicit Interval(Duration span) : ms_(static_cast<uint32_t>(span.milliseconds())) {}
  constexpr Duration span() const { return Duration::Milliseconds(ms_); }
  friend constexpr bool operator==(Interval, Interval) = default;

 private:
  uint32_t ms_ = 0;
};

// The part of an id that every event reads, in one cache line; rarely used parts, and the message
// to retransmit, are stored elsewhere.
struct alignas(64) IbId {
  bool live : 1 = false;
  bool dying : 1 = false;           // destroyed; waits for an unanswered message of its own
  bool outstanding : 1 = false;     // its message waits for an answer
  bool pathless : 1 = false;        // the alternate path took over, and there was none
  bool known_remotely : 1 = false;  // found by its peer's communication id and QP number
  bool asked : 1 = false;           // a SIDR_REQ, found by its peer's id
  bool counted : 1 = false;         // its message counts as outstanding on the port
  bool queued : 1 = false;          // its message is queued on the port
  LapState lap : 2 = LapState::kUninit;
  IbState state = IbState::kIdle;
  IbState message_state = IbState::kIdle;  // state when the message was sent
  MadKind message_kind = MadKind::kReq;
  uint8_t kernel = 0;
  uint8_t device = 0;
  uint8_t peer_device = 0;
  uint8_t peer_ca = 0;     // the first port of that device: identifies the peer's CA
  uint8_t av_timeout = 0;  // exponent: timewait, and the waits after an MRA
  uint8_t max_retries = 0;
  uint8_t retries_left = 0;
  uint32_t source_since = 0;  // fail-overs of the device's bond when the id got its GID
  Instant mad_timer = Instant::Never();
  Instant timewait_timer = Instant::Never();
  uint32_t local_cid = 0;
  uint32_t remote_cid = 0;
  uint32_t tid = 0;  // for its answers: of the REQ, or of the first DREQ received
  uint32_t local_qpn = 0;
  uint32_t remote_qpn = 0;
  uint32_t user = kNobody;     // the rdma_cm id above
  uint32_t message = kNobody;  // the stored message, unless it is rebuilt each time
  Interval interval;           // between two transmissions; an MRA changes it
  friend bool operator==(const IbId&, const IbId&) = default;
};
static_assert(sizeof(IbId) == 64);

// Rarely used parts of an id.
struct IbMore {
  ConnFields peer;          // the peer's parameters, for the queue pair
  uint8_t retry_count = 0;  // of the queue pair, from the REQ
  Interval base_interval;   // between the transmissions of every new message
  friend bool operator==(const IbMore&, const IbMore&) = default;
};

// A message until it is answered.
struct KeptMessage {
  bool live = false;
  Mad mad;
  friend bool operator==(const KeptMessage&, const KeptMessage&) = default;
};

// The queued messages of a port; see flow_control.cc.
struct PortQueue {
  uint32_t outstanding = 0;
  Fifo<uint32_t> backlog;  // ids
  friend bool operator==(const PortQueue&, const PortQueue&) = default;
};

// Work that a kernel's CM does in order; see work_queue.cc.
struct Work {
  uint32_t ib = kNobody;  // end of this id's timewait, if set
  uint32_t cid = 0;       // unique number of the id
  uint8_t device = 0;     // the receiving device
  Mad mad;
  friend bool operator==(const Work&, const Work&) = default;
};

// The work queue of a kernel whose CM is busy.
struct WorkQueue {
  uint8_t kernel = 0;
  Instant free_at;
  Fifo<Work> waiting;
  friend bool operator==(const WorkQueue&, const WorkQueue&) = default;
};

// Events of the IB CM for the layer above.
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

// The decision of the layer above about a request.
enum class RequestVerdict : uint8_t { kTaken, kNobodyListens, kDropped, kRejected };

// The layer above.
class IbCmUser {
 public:
  virtual ~IbCmUser() = default;
  // True when there is a listener for the service id on the device.
  virtual bool Listens(uint8_t device, const Mad& req) = 0;
  // A request that is neither a duplicate nor stale, with the new id `ib`.
  virtual RequestVerdict OnRequest(uint32_t ib, uint8_t device, const Mad& req) = 0;
  // `mad` is the message that caused the event, or null.
  virtual void OnIbEvent(uint32_t user, IbEventKind kind, const Mad* mad) = 0;
  // The destroy of an id has completed.
  virtual void OnIbGone(uint32_t user) = 0;
};

// State, access flags, P_Key index and port: the attributes for INIT.
inline constexpr uint32_t kInitAttrMask = 0x39;
inline constexpr uint32_t kDatagramAttrMask = 0x71;

// The timeout of an answer, as an exponent. source: linux 6.1 cm.c cm_ack_timeout
uint8_t AckTimeout(int ack_delay, int packet_lifetime);

class IbCm {
 public:
  // The surroundings of a call.
  struct Context {
    Agenda* agenda;
    Fabric* fabric;
    IbCmUser* user;
    const Profile* profile;
  };

  // `source_since`: the number of fail-overs of the device's bond when the id got its GID.
  uint32_t Create(uint8_t kernel, uint8_t device, uint32_t user, uint32_t source_since);
  const IbId& at(uint32_t ib) const { return ids_[ib]; }
  const IbMore& more(uint32_t ib) const { return more_[ib]; }
  // The message that is retransmitted until it is answered.
  Mad MessageOf(const IbId& id) const;
  void SetUser(uint32_t ib, uint32_t user) { ids_[ib].user = user; }

  // Local calls; return kNone on success, else the errno. Rows L of the protocol's tables.
  Errno SendReq(const Context& c, uint32_t ib, uint8_t to_device, uint8_t packet_lifetime,
                const Mad& req);
  Errno SendRep(const Context& c, uint32_t ib, const Mad& rep);
  Errno SendRtu(const Context& c, uint32_t ib);
  Errno SendRej(const Context& c, uint32_t ib, RejReason reason, const PrivateData& data);
  Errno SendDreq(const Context& c, uint32_t ib);
  Errno SendDrep(const Context& c, uint32_t ib);
  // The application reports an event of the queue pair. source: linux 6.1 cm.c ib_cm_notify
  Errno Notify(const Context& c, uint32_t ib, uint8_t event);
  // The attributes that a queue pair needs for the state, if it may come to that now.
  // source: linux 6.1 cm.c ib_cm_init_qp_attr
  Result<uint32_t> InitQpAttr(uint32_t ib, QpState state) const;
  // The address that the id sends from is gone.
  bool SourceLost(const Context& c, uint32_t ib) const { return SourceLost(c, ids_[ib]); }
  // datagram.cc
  Errno SendSidrReq(const Context& c, uint32_t ib, uint8_t to_device, const Mad& req);
  Errno SendSidrRep(const Context& c, uint32_t ib, Mad rep);
  // Rows D. False when it waits until the outstanding message is given up; then OnIbGone is called.
  bool Destroy(const Context& c, uint32_t ib);

  // Drops everything of the kernel, without notifications. Communication ids continue from their
  // last value: after a restart none is one that a peer may still know.
  void Crash(const Context& c, uint8_t kernel);

  // Events. Rows N, R and M.
  void Receive(const Context& c, uint8_t device, const Mad& mad);
  // The same, for a device that processes the message later.
  void Postpone(const Context& c, uint8_t device, const Mad& mad);
  void OnWorkGoesOn(const Context& c, uint8_t kernel);
  void OnMadTimer(const Context& c, uint32_t ib);
  void OnTimewaitOver(const Context& c, uint32_t ib);
  void OnSendFailed(const Context& c, uint32_t ib);

  // prefetch.cc: prefetches what the events' timers will read; those that are `near` were `coming`
  // before.
  void Foresee(std::span<const Event> coming, std::span<const Event> near) const;
  void Prefetch(uint32_t ib) const;

  const std::vector<WorkQueue>& busy() const { return busy_; }
  // By device, where messages are queued; else empty.
  const std::vector<PortQueue>& ports() const { return ports_; }
  bool Live(uint32_t ib) const { return ids_.Live(ib); }
  uint32_t live_count() const { return ids_.live_count(); }
  friend bool operator==(const IbCm& a, const IbCm& b) {
    return a.ids_ == b.ids_ && a.messages_ == b.messages_ && a.more_ == b.more_ &&
           a.ports_ == b.ports_ && a.busy_ == b.busy_ && a.last_cid_ == b.last_cid_;
  }

 private:
  static constexpr uint32_t kVast = 1 << 15;

  static bool SourceLost(const Context& c, const IbId& id);
  // receive.cc
  void Dispatch(const Context& c, uint8_t device, const Mad& mad);
  void ReceiveOther(const Context& c, uint8_t device, const Mad& mad);
  void ReceiveReq(const Context& c, uint8_t device, const Mad& req);
  std::optional<RejReason> PathRefusedBecause(const Context& c, const Mad& req) const;
  void ReceiveDuplicateReq(const Context& c, uint32_t ib);
  void ReceiveStaleReq(const Context& c, uint8_t device, const Mad& req, uint32_t old);
  void ReceiveMra(const Context& c, uint8_t device, const Mad& mra);
  void ReceiveRej(const Context& c, uint8_t device, const Mad& rej);
  void ReceiveRep(const Context& c, uint8_t device, const Mad& rep);
  void ReceiveRtu(const Context& c, uint8_t device, const Mad& rtu);
  void ReceiveDreq(const Context& c, uint8_t device, const Mad& dreq);
  void ReceiveDrep(const Context& c, uint8_t device, const Mad& drep);
  void ReceiveLap(const Context& c, uint8_t device, const Mad& lap);
  // datagram.cc
  void ReceiveSidrReq(const Context& c, uint8_t device, const Mad& req);
  void ReceiveSidrRep(const Context& c, uint8_t device, const Mad& rep);
  // prefetch.cc
  bool IsVast() const { return ids_.end() >= kVast; }
  static bool OnTimer(const Event& event) {
    return event.kind() == EventKind::kMadTimer || event.kind() == EventKind::kTimewaitOver;
  }
  void ForeseeArrival(const Context& c, const IbId& id, const Mad& mad);
  // lookup.cc
  // Key of a number that a peer has chosen, for a kernel.
  static uint32_t HashOf(uint8_t kernel, uint8_t ca, uint32_t number);
  uint32_t Match(const Context& c, uint8_t device, uint32_t local_cid, uint32_t remote_cid) const;
  uint32_t FindRemoteId(uint8_t kernel, uint8_t ca, uint32_t cid) const;
  uint32_t FindRemoteQp(uint8_t kernel, uint8_t ca, uint32_t qpn) const;
  uint32_t FindAsked(const Context& c, uint8_t kernel, uint8_t sender, uint32_t cid) const;
  static void Meet(const Context& c, IbId* id, uint8_t peer_device) {
    id->peer_device = peer_device;
    id->peer_ca = c.fabric->CaOf(peer_device);
  }
  // Indexes an id by its peer's numbers; removes it from the index.
  void KnowRemotely(IbId* id);
  void KnowAsked(IbId* id);
  void ForgetRemotely(IbId* id);
  void Free(uint32_t ib);

  // work_queue.cc
  WorkQueue* BusyQueue(uint8_t kernel);
  void Occupy(const Context& c, uint8_t device);
  void Leave(const Context& c, uint8_t kernel);
  bool TimewaitWaits(const IbId& id, uint32_t ib);
  void Do(const Context& c, const Work& work);

  // flow_control.cc
  bool TakesTurns(const Context& c, const IbId& id) const;
  void TransmitInTurn(const Context& c, uint32_t ib);
  void LeaveTurn(IbId* id);
  void GoOn(const Context& c);

  // ib_cm.cc
  static Instant TimerAt(const Context& c, Duration span);
  Mad Answer(const IbId& id, MadKind kind) const;
  Mad Disconnection(const IbId& id) const;
  Mad Rejection(const IbId& id, About about, RejReason reason) const;
  bool Send(const Context& c, const IbId& id, const Mad& mad) {
    if (IsVast()) ForeseeArrival(c, id, mad);
    return c.fabric->Send(c.agenda, id.device, id.peer_device, mad);
  }
  void Transmit(const Context& c, uint32_t ib);
  Mad& Keep(IbId* id, const Mad& message);
  void SendOutstanding(const Context& c, uint32_t ib, MadKind kind);
  void Cancel(IbId* id);
  void EnterTimewait(const Context& c, uint32_t ib);
  void ResetToIdle(IbId* id);
  void Exhausted(const Context& c, uint32_t ib);
  void GiveUp(const Context& c, uint32_t ib);
  void EndTimewait(const Context& c, IbId* id);
  bool DestroyByState(const Context& c, uint32_t ib);
  uint32_t NewCid() { return ++last_cid_; }

  Slab<IbId> ids_;
  Slab<KeptMessage> messages_;
  std::vector<IbMore, LargeMemory<IbMore>> more_;  // by id
  std::vector<PortQueue> ports_;                   // by device
  std::vector<WorkQueue> busy_;                    // mostly idle
  CidTable by_cid_;
  SlotTable by_remote_qpn_;
  uint32_t last_cid_ = 0;
  // Distance, in messages, between prefetching the index entry and prefetching the receiver.
  static constexpr uint32_t kMessagesAhead = 4;
  // The communication ids of the last messages that end connections; else 0.
  std::array<uint32_t, kMessagesAhead> awaited_{};
  uint32_t messages_sent_ = 0;
};

}  // namespace cm::sim

#endif  // SIM_IB_CM_IB_CM_H_
