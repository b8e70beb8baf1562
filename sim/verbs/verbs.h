// Queue pairs, shared receive queues, memory regions and completions, and the transport between
// queue pairs.
#ifndef SIM_VERBS_VERBS_H_
#define SIM_VERBS_VERBS_H_

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "model/base/errno.h"
#include "model/vocabulary/profile.h"
#include "model/vocabulary/protocol.h"
#include "model/vocabulary/work.h"
#include "sim/core/agenda.h"
#include "sim/core/fifo.h"
#include "sim/core/slab.h"
#include "sim/fabric/fabric.h"
#include "sim/verbs/memory.h"

namespace cm::sim {

inline constexpr uint32_t kDatagramHeader = 40;  // room for a GRH in front of every datagram

// A registered buffer. Its number is unique, and is its key.
struct Region {
  bool live = false;
  bool local_write = true;
  bool remote_read = false;
  bool remote_write = false;
  bool remote_atomic = false;
  uint8_t device = 0;          // by its first port: usable on all ports
  bool external = false;       // it is in the memory of a process, with this length
  std::vector<uint8_t> bytes;  // the buffer outlives its registration
  uint32_t process = 0;
  uint64_t address = 0;
  uint64_t length = 0;
  uint64_t domain = 0;  // protection domain: only queue pairs of the same one may use it
  uint64_t size() const { return external ? length : bytes.size(); }
  friend bool operator==(const Region&, const Region&) = default;
};

struct Piece {
  uint32_t region = kNobody;
  uint32_t offset = 0;
  uint32_t length = 0;
  friend bool operator==(const Piece&, const Piece&) = default;
};

// The global route header in front of a datagram. source: IBA 8.3
std::vector<uint8_t> RouteHeader(const std::array<uint8_t, 16>& from,
                                 const std::array<uint8_t, 16>& to, uint32_t length);

// The address of a queue pair for senders.
struct QpAddress {
  uint8_t device = kNoDevice;
  uint32_t number = 0;
  friend bool operator==(const QpAddress&, const QpAddress&) = default;
};

using Group = std::array<uint8_t, 16>;  // the group's GID

// Atomic operations, which conversations do not have. source: <infiniband/verbs.h> ibv_wc_opcode
inline constexpr WcOpcode kCompareAndSwap{3};
inline constexpr WcOpcode kFetchAndAdd{4};
constexpr bool IsAtomic(WcOpcode opcode) {
  return opcode == kCompareAndSwap || opcode == kFetchAndAdd;
}
struct AtomicOperands {
  uint64_t compare_or_add = 0;
  uint64_t swap = 0;
};

struct WorkRequest {
  WcOpcode opcode = WcOpcode::kSend;
  uint16_t context = 0;
  bool signaled = true;
  bool is_inline = false;
  std::vector<Piece> pieces;
  uint32_t empty_pieces = 0;          // elements of length 0; not stored in the list
  std::vector<uint8_t> data;          // inline data; or AtomicOperands; or the data to send
  Piece remote;                       // its length is that of the elements
  QpAddress to;                       // of datagrams
  Group group{};                      // zeros: unicast; else to all queue pairs attached to it
  std::vector<uint8_t> header;        // the GRH of a datagram, if there is one
  uint64_t wr_id = 0;                 // set by a program
  std::optional<uint32_t> immediate;  // sent with it
  uint32_t length() const {
    uint32_t sum = pieces.empty() ? static_cast<uint32_t>(data.size()) : 0;
    for (const Piece& piece : pieces) sum += piece.length;
    return sum;
  }
  friend bool operator==(const WorkRequest&, const WorkRequest&) = default;
};

// Counts all events so far: equal worlds may have different histories.
struct Stamp {
  uint64_t value = 0;
  friend constexpr bool operator==(Stamp, Stamp) { return true; }
};

// Its bytes are read when it is polled: the application looks no earlier.
struct Finished {
  Completion completion;
  std::vector<Piece> pieces;
  uint64_t wr_id = 0;
  std::optional<uint32_t> immediate;  // received with it
  bool by_write = false;              // a receive consumed by a write with immediate data
  uint32_t source_number = 0;         // of a datagram
  Stamp order;                        // order of completion over all queues
  friend bool operator==(const Finished&, const Finished&) = default;
};

// Asynchronous events of objects. source: <infiniband/verbs.h> enum ibv_event_type
enum class ObjectEvent : uint8_t {
  kCqErr = 0,  // a completion was lost
  kSqDrained = 5,
  kSrqLimitReached = 15,
  kQpLastWqeReached = 16,
};

struct News {
  ObjectEvent what = ObjectEvent::kCqErr;
  uint32_t object = 0;  // a completion queue, a queue pair, a shared receive queue
  friend bool operator==(const News&, const News&) = default;
};

// A completion queue that a program created, for any number of queue pairs. Completions stay after
// their queue pair was destroyed.
struct Cq {
  struct Entry {
    Finished finished;
    uint32_t qp_number = 0;
    bool datagram = false;
    friend bool operator==(const Entry&, const Entry&) = default;
  };
  bool live = false;
  uint32_t holds = 0;
  Fifo<Entry> done;
  friend bool operator==(const Cq&, const Cq&) = default;
};

// The depth of a queue, and the elements of a request.
struct Room {
  uint32_t work = QueueLimits::kWork;
  uint32_t pieces = QueueLimits::kSges;
  friend bool operator==(const Room&, const Room&) = default;
};

// The capacity of a queue pair's queues.
struct QpRoom {
  Room sends;
  Room receives;
  uint32_t inlined = QueueLimits::kInline;  // bytes
  friend bool operator==(const QpRoom&, const QpRoom&) = default;
};

struct Srq {
  bool live = false;
  bool orphaned = false;  // destroyed with its last queue pair
  Room room;
  uint32_t limit = 0;  // one event when there are fewer receives; 0: never
  Fifo<WorkRequest> receives;
  friend bool operator==(const Srq&, const Srq&) = default;
};

// Attributes of the connection, from RTR and RTS.
struct Connection {
  QpAddress peer;
  uint8_t retry_count = 7;
  uint8_t rnr_retry_count = 7;
  // The peer's permissions here: the access flags of the queue pair.
  bool remote_write = true;
  bool remote_read = true;
  bool remote_atomic = true;
  // Limits of outstanding reads and atomic operations. 0 as initiator: never starts; 0 as
  // responder: refused.
  uint8_t initiator_depth = 1;
  uint8_t responder_resources = 1;
  friend bool operator==(const Connection&, const Connection&) = default;
};

struct Qp {
  bool live = false;
  bool datagram = false;
  uint8_t device = 0;  // the port
  QpState state = QpState::kReset;
  uint32_t number = 0;
  uint32_t srq = kNobody;
  uint64_t domain = 0;  // protection domain: that of its regions
  QpRoom room;
  Connection connection;
  Fifo<WorkRequest> sends;
  Fifo<WorkRequest> receives;
  uint32_t send_cq = kNobody;      // of a program; else the queue pair has its own
  uint32_t receive_cq = kNobody;   // the same
  Fifo<Finished> sent;             // the completion queue of sends
  Fifo<Finished> received;         // and of receives
  Instant due = Instant::Never();  // execution time of the first of `sends`
  uint32_t draining = 0;           // number of `sends` that are still executed in SQD
  uint8_t retries_left = 0;
  uint8_t rnr_retries_left = 0;
  std::vector<Group> groups;  // attached multicast groups
  friend bool operator==(const Qp&, const Qp&) = default;
};

class Verbs {
 public:
  explicit Verbs(const Topology& topology);

  // The surroundings of an execution.
  struct Wires {
    Agenda* agenda;
    const Fabric* fabric;
    const Profile* profile;
    Memory* memory = nullptr;  // for external regions
  };

  uint32_t Create(uint8_t device, bool datagram, uint32_t srq = kNobody, const QpRoom& room = {},
                  uint64_t domain = 0);
  void Destroy(uint32_t qp);
  // EINVAL unless the transition is permitted; `connects` says whether the attributes required by
  // RTR and RTS are given.
  // `connects`: the address of a peer is given; `resolves`: the result of resolving it.
  Errno Modify(uint32_t qp, QpState state, bool connects = false, Errno resolves = Errno::kNone);
  // RESET to INIT; `datagram`: the attributes are those of a UD queue pair.
  Errno Initialize(uint32_t qp, bool datagram);
  void Connect(uint32_t qp, const Connection& connection) {
    qps_[qp].connection = connection;
    qps_[qp].retries_left = connection.retry_count;
    qps_[qp].rnr_retries_left = connection.rnr_retry_count;
  }
  // Moves the queue pair to another port of its device.
  void MoveTo(uint32_t qp, uint8_t port) { qps_[qp].device = port; }
  // Resets the device, and with it the numbers of its queue pairs.
  void Restart(uint8_t device) { next_number_[cas_[device]] = kFirstNumber; }
  const Qp& at(uint32_t qp) const { return qps_[qp]; }
  uint32_t live_count() const { return qps_.live_count(); }
  bool Live(uint32_t qp) const { return qps_.Live(qp); }
  uint32_t end() const { return qps_.end(); }

  // regions.cc
  uint32_t Register(uint8_t device, const std::vector<uint8_t>& bytes, bool remote_read,
                    bool remote_write);
  // Registers memory of a process.
  uint32_t Register(const Region& external);
  void Deregister(uint32_t region) { regions_[region].live = false; }
  const Region& region(uint32_t number) const { return regions_[number]; }
  const std::vector<Region>& regions() const { return regions_; }
  uint32_t live_regions() const;

  // posting.cc
  uint32_t CreateSrq(const Room& room = {}) { return srqs_.Add({.room = room}); }
  void Resize(uint32_t srq, uint32_t work) { srqs_[srq].room.work = work; }
  void Limit(uint32_t srq, uint32_t limit) { srqs_[srq].limit = limit; }
  void DestroySrq(uint32_t srq);
  uint32_t live_srqs() const { return srqs_.live_count(); }
  const Slab<Srq>& srqs() const { return srqs_; }
  Errno PostReceive(uint32_t qp, WorkRequest work);
  Errno PostToSrq(uint32_t srq, WorkRequest work);
  Errno PostSend(Wires w, uint32_t qp, WorkRequest work);
  // The next completion; empty when there is none.
  std::optional<Completion> PollSent(uint32_t qp) { return Poll(qp, &qps_[qp].sent); }
  std::optional<Completion> PollReceived(uint32_t qp) { return Poll(qp, &qps_[qp].received); }
  uint32_t CreateCq(uint32_t holds) { return cqs_.Add({.holds = holds}); }
  void ResizeCq(uint32_t cq, uint32_t holds) { cqs_[cq].holds = holds; }
  // True when no queue pair uses it.
  void DestroyCq(uint32_t cq) { cqs_.Free(cq); }
  const Cq& cq(uint32_t number) const { return cqs_[number]; }
  void ReportTo(uint32_t qp, uint32_t send_cq, uint32_t receive_cq) {
    qps_[qp].send_cq = send_cq;
    qps_[qp].receive_cq = receive_cq;
  }
  // The next completion of a queue that is not empty.
  Cq::Entry Take(uint32_t cq);
  // Asynchronous events of programs' objects since the last call.
  bool has_news() const { return !news_.empty(); }
  std::vector<News> TakeNews() { return std::exchange(news_, {}); }
  // The stamp of the last completion.
  uint64_t last_finished() const { return finished_.value; }

  void Attach(uint32_t qp, const Group& group) { qps_[qp].groups.push_back(group); }
  // False when it is not attached.
  bool Detach(uint32_t qp, const Group& group);

  // carrying.cc
  void OnWorkDue(Wires w, uint32_t qp);
  // Called before a queue pair is destroyed: a posted datagram has been sent when the call returns,
  // where other requests take a moment. source: linux 6.1 rxe_verbs.c rxe_post_send, rxe_qp.c
  // rxe_qp_do_cleanup
  void SendRest(Wires w, uint32_t qp);

  friend bool operator==(const Verbs&, const Verbs&) = default;

 private:
  static constexpr uint32_t kFirstNumber = 17;  // the first that a user of Soft-RoCE gets

  // The progress of a request: done, to be retried, failed, or it stays in the queue.
  struct Carried {
    WcStatus status = WcStatus::kSuccess;
    std::optional<Duration> again;
    bool stays = false;
  };

  // regions.cc
  // Whether a queue pair may access it, before its access flags are checked.
  bool Reaches(const Qp& qp, const Piece& piece) const;
  // As elements of a local request, read from or written to.
  bool MayRead(const Qp& qp, const std::vector<Piece>& pieces) const;
  bool MayWrite(const Qp& qp, const std::vector<Piece>& pieces) const;
  // False when some of the memory does not exist. Its bytes are zeros then, or are not written.
  bool Gather(Memory* memory, const std::vector<Piece>& pieces, std::vector<uint8_t>* bytes) const;
  bool Scatter(Memory* memory, const std::vector<Piece>& pieces, const std::vector<uint8_t>& bytes,
               uint32_t skip = 0);
  bool ScatterOne(Memory* memory, const Piece& piece, std::span<const uint8_t> bytes);

  // posting.cc
  static Errno Take(Fifo<WorkRequest>* queue, const Room& room, WorkRequest work);
  std::optional<Completion> Poll(uint32_t qp, Fifo<Finished>* done) const;
  // The completion to fill in further; null when the queue is full.
  Finished* FinishSend(uint32_t qp, const WorkRequest& work, WcStatus status, uint32_t length) {
    return Finish(qps_[qp], qps_[qp].send_cq, &qps_[qp].sent, work, status, length);
  }
  Finished* FinishReceive(uint32_t qp, const WorkRequest& work, WcStatus status, uint32_t length) {
    return Finish(qps_[qp], qps_[qp].receive_cq, &qps_[qp].received, work, status, length);
  }
  Finished* Finish(const Qp& qp, uint32_t cq, Fifo<Finished>* own, const WorkRequest& work,
                   WcStatus status, uint32_t length);
  void Flush(uint32_t qp);
  WorkRequest TakeReceive(uint32_t qp);
  bool Shared(uint32_t srq) const;

  // carrying.cc
  Carried Carry(Wires w, uint32_t qp, WorkRequest* work);
  bool Fetch(Wires w, uint32_t qp, WorkRequest* work) const;
  Carried CarryMessage(Wires w, uint32_t qp, uint32_t peer, const WorkRequest& work);
  Carried CarryDatagram(Wires w, uint32_t qp, const WorkRequest& work);
  void Deliver(Wires w, uint32_t qp, uint32_t peer, const WorkRequest& work);
  Carried CarryWrite(Wires w, uint32_t qp, uint32_t peer, const WorkRequest& work);
  Carried WriteThere(Wires w, uint32_t peer, const WorkRequest& work);
  Carried CarryRead(Wires w, uint32_t qp, uint32_t peer, const WorkRequest& work);
  Carried CarryAtomic(Wires w, uint32_t qp, uint32_t peer, const WorkRequest& work);
  Carried Refuse(uint32_t peer, WcStatus status);
  Carried NotReady(uint32_t qp);
  Carried Overrun(Wires w, uint32_t qp, uint32_t peer);
  Carried Retry(Wires w, uint32_t qp);
  uint32_t FindQp(const QpAddress& address) const;
  QpAddress OwnAddress(uint32_t qp) const { return {qps_[qp].device, qps_[qp].number}; }
  Fifo<WorkRequest>* ReceivesOf(uint32_t qp);
  static bool CarriesOut(const Qp& qp) {
    return qp.state == QpState::kRts || (qp.state == QpState::kSqd && qp.draining != 0);
  }
  void Drained(uint32_t qp);
  void SetError(uint32_t qp);
  void Schedule(Wires w, uint32_t qp, Duration after);

  Slab<Qp> qps_;
  Slab<Srq> srqs_;
  Slab<Cq> cqs_;
  std::vector<Region> regions_;
  std::vector<uint8_t> cas_;           // first port of the device, by port
  std::vector<uint32_t> next_number_;  // by device
  Stamp finished_;
  std::vector<News> news_;
};

}  // namespace cm::sim

#endif  // SIM_VERBS_VERBS_H_
