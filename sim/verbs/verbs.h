// Queue pairs, shared receive queues, memory regions and completions; the bytes that move between
// them.
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

// A registered buffer. Its number is never used again, and is its key.
struct Region {
  bool live = false;
  bool local_write = true;
  bool remote_read = false;
  bool remote_write = false;
  bool remote_atomic = false;
  uint8_t device = 0;          // by its first port: all of them reach it
  bool external = false;       // it lies in the memory of a process, and is of this length
  std::vector<uint8_t> bytes;  // the buffer outlives its registration
  uint32_t process = 0;
  uint64_t address = 0;
  uint64_t length = 0;
  uint64_t domain = 0;  // of protection: queue pairs of the same one reach it
  uint64_t size() const { return external ? length : bytes.size(); }
  friend bool operator==(const Region&, const Region&) = default;
};

struct Piece {
  uint32_t region = kNobody;
  uint32_t offset = 0;
  uint32_t length = 0;
  friend bool operator==(const Piece&, const Piece&) = default;
};

// What a datagram finds in front of itself: the global route header. source: IBA 8.3
std::vector<uint8_t> RouteHeader(const std::array<uint8_t, 16>& from,
                                 const std::array<uint8_t, 16>& to, uint32_t length);

// A queue pair as those who send to it know it.
struct QpAddress {
  uint8_t device = kNoDevice;
  uint32_t number = 0;
  friend bool operator==(const QpAddress&, const QpAddress&) = default;
};

using Group = std::array<uint8_t, 16>;  // its GID

// Atomic operations, which conversations do not know. source: <infiniband/verbs.h> ibv_wc_opcode
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
  uint32_t empty_pieces = 0;          // of no bytes; they are not among those
  std::vector<uint8_t> data;          // of an inline request; or AtomicOperands; or what is sent
  Piece remote;                       // its length is that of the pieces
  QpAddress to;                       // of datagrams
  Group group{};                      // zeros: to that address; else to all that are attached to it
  std::vector<uint8_t> header;        // what stands in front of a datagram, if it is to be seen
  uint64_t wr_id = 0;                 // of a program's own
  std::optional<uint32_t> immediate;  // sent with it
  uint32_t length() const {
    uint32_t sum = pieces.empty() ? static_cast<uint32_t>(data.size()) : 0;
    for (const Piece& piece : pieces) sum += piece.length;
    return sum;
  }
  friend bool operator==(const WorkRequest&, const WorkRequest&) = default;
};

// Of what has happened in all: equal worlds may have come about in different ways.
struct Stamp {
  uint64_t value = 0;
  friend constexpr bool operator==(Stamp, Stamp) { return true; }
};

// Its bytes are read when it is polled: the application looks no earlier.
struct Finished {
  Completion completion;
  std::vector<Piece> pieces;
  uint64_t wr_id = 0;
  std::optional<uint32_t> immediate;  // that came with it
  bool by_write = false;              // a receive that a write with immediate data took
  uint32_t source_number = 0;         // of a datagram
  Stamp order;                        // before those that finished later, on whatever queue
  friend bool operator==(const Finished&, const Finished&) = default;
};

// What the owner of an object may be told of it. source: <infiniband/verbs.h> enum ibv_event_type
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

// A completion queue of a program's own, to which several queue pairs may report. What one of them
// has reported stays there when it is gone.
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

// How much a queue holds, and of how many pieces one request may be.
struct Room {
  uint32_t work = QueueLimits::kWork;
  uint32_t pieces = QueueLimits::kSges;
  friend bool operator==(const Room&, const Room&) = default;
};

// Of the queues of a queue pair.
struct QpRoom {
  Room sends;
  Room receives;
  uint32_t inlined = QueueLimits::kInline;  // bytes
  friend bool operator==(const QpRoom&, const QpRoom&) = default;
};

struct Srq {
  bool live = false;
  bool orphaned = false;  // it goes with the last queue pair that takes from it
  Room room;
  uint32_t limit = 0;  // its owner is told, once, when there are fewer; 0: never
  Fifo<WorkRequest> receives;
  friend bool operator==(const Srq&, const Srq&) = default;
};

// What RTR and RTS say of the connection.
struct Connection {
  QpAddress peer;
  uint8_t retry_count = 7;
  uint8_t rnr_retry_count = 7;
  // What its peer may do here: the access flags of the queue pair.
  bool remote_write = true;
  bool remote_read = true;
  bool remote_atomic = true;
  // How many reads and atomic operations are under way at once. None of them ever starts where it
  // may start none; none is taken where none may come.
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
  uint64_t domain = 0;  // of protection: that of the regions which it reaches
  QpRoom room;
  Connection connection;
  Fifo<WorkRequest> sends;
  Fifo<WorkRequest> receives;
  uint32_t send_cq = kNobody;      // of a program's own; else completions stay with the queue pair
  uint32_t receive_cq = kNobody;   // the same
  Fifo<Finished> sent;             // the completion queue of what is sent
  Fifo<Finished> received;         // and of what is received
  Instant due = Instant::Never();  // when the first of `sends` is carried out
  uint32_t draining = 0;           // so many of `sends` are still carried out in SQD
  uint8_t retries_left = 0;
  uint8_t rnr_retries_left = 0;
  std::vector<Group> groups;  // that it is attached to
  friend bool operator==(const Qp&, const Qp&) = default;
};

class Verbs {
 public:
  explicit Verbs(const Topology& topology);

  // What work is carried out with.
  struct Wires {
    Agenda* agenda;
    const Fabric* fabric;
    const Profile* profile;
    Memory* memory = nullptr;  // of external regions
  };

  uint32_t Create(uint8_t device, bool datagram, uint32_t srq = kNobody, const QpRoom& room = {},
                  uint64_t domain = 0);
  void Destroy(uint32_t qp);
  // EINVAL unless the transition is one that a queue pair may make; `connects` says whether the
  // attributes that RTR and RTS need are given.
  // `connects`: the address of a peer is given; `resolves`: what looking for the way there says.
  Errno Modify(uint32_t qp, QpState state, bool connects = false, Errno resolves = Errno::kNone);
  // RESET to INIT; `datagram`: the attributes are those of a queue pair for datagrams.
  Errno Initialize(uint32_t qp, bool datagram);
  void Connect(uint32_t qp, const Connection& connection) {
    qps_[qp].connection = connection;
    qps_[qp].retries_left = connection.retry_count;
    qps_[qp].rnr_retries_left = connection.rnr_retry_count;
  }
  // The queue pair is on another port of its device from now on.
  void MoveTo(uint32_t qp, uint8_t port) { qps_[qp].device = port; }
  // The device starts anew, and with it the numbers of its queue pairs.
  void Restart(uint8_t device) { next_number_[cas_[device]] = kFirstNumber; }
  const Qp& at(uint32_t qp) const { return qps_[qp]; }
  uint32_t live_count() const { return qps_.live_count(); }
  bool Live(uint32_t qp) const { return qps_.Live(qp); }
  uint32_t end() const { return qps_.end(); }

  // regions.cc
  uint32_t Register(uint8_t device, const std::vector<uint8_t>& bytes, bool remote_read,
                    bool remote_write);
  // A region in the memory of a process.
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
  // The next completion, if there is one.
  std::optional<Completion> PollSent(uint32_t qp) { return Poll(qp, &qps_[qp].sent); }
  std::optional<Completion> PollReceived(uint32_t qp) { return Poll(qp, &qps_[qp].received); }
  uint32_t CreateCq(uint32_t holds) { return cqs_.Add({.holds = holds}); }
  void ResizeCq(uint32_t cq, uint32_t holds) { cqs_[cq].holds = holds; }
  // No queue pair reports to it.
  void DestroyCq(uint32_t cq) { cqs_.Free(cq); }
  const Cq& cq(uint32_t number) const { return cqs_[number]; }
  void ReportTo(uint32_t qp, uint32_t send_cq, uint32_t receive_cq) {
    qps_[qp].send_cq = send_cq;
    qps_[qp].receive_cq = receive_cq;
  }
  // The next one of a queue that is not empty.
  Cq::Entry Take(uint32_t cq);
  // What has happened since they were taken last to objects of programs' own.
  bool has_news() const { return !news_.empty(); }
  std::vector<News> TakeNews() { return std::exchange(news_, {}); }
  // Of what finished last.
  uint64_t last_finished() const { return finished_.value; }

  void Attach(uint32_t qp, const Group& group) { qps_[qp].groups.push_back(group); }
  // False when it is not attached.
  bool Detach(uint32_t qp, const Group& group);

  // carrying.cc
  void OnWorkDue(Wires w, uint32_t qp);
  // Before a queue pair is destroyed: a datagram that was posted is on its way when the call
  // returns, where everything else takes a moment.
  // source: linux 6.1 rxe_verbs.c rxe_post_send, rxe_qp.c rxe_qp_do_cleanup
  void SendRest(Wires w, uint32_t qp);

  friend bool operator==(const Verbs&, const Verbs&) = default;

 private:
  static constexpr uint32_t kFirstNumber = 17;  // the first that a user of Soft-RoCE gets

  // How far a request came: done, to be tried again, failed, or it stays where it is.
  struct Carried {
    WcStatus status = WcStatus::kSuccess;
    std::optional<Duration> again;
    bool stays = false;
  };

  // regions.cc
  // Whether the work of a queue pair may touch it, where nothing is said of its access flags.
  bool Reaches(const Qp& qp, const Piece& piece) const;
  // As pieces of a request of its own, from which it reads or to which it writes.
  bool MayRead(const Qp& qp, const std::vector<Piece>& pieces) const;
  bool MayWrite(const Qp& qp, const std::vector<Piece>& pieces) const;
  // False: some of the memory is not there. Bytes of it are zeros then, or are not written.
  bool Gather(Memory* memory, const std::vector<Piece>& pieces, std::vector<uint8_t>* bytes) const;
  bool Scatter(Memory* memory, const std::vector<Piece>& pieces, const std::vector<uint8_t>& bytes,
               uint32_t skip = 0);
  bool ScatterOne(Memory* memory, const Piece& piece, std::span<const uint8_t> bytes);

  // posting.cc
  static Errno Take(Fifo<WorkRequest>* queue, const Room& room, WorkRequest work);
  std::optional<Completion> Poll(uint32_t qp, Fifo<Finished>* done) const;
  // -> what to write more about it; null when the queue has no room for it.
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
  std::vector<uint8_t> cas_;           // by port, the first port of its device
  std::vector<uint32_t> next_number_;  // by device
  Stamp finished_;
  std::vector<News> news_;
};

}  // namespace cm::sim

#endif  // SIM_VERBS_VERBS_H_
