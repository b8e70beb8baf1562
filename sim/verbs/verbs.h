// Queue pairs, and the transport between them.
//
// One object serves all processes of a world. Indices must be live. source: <infiniband/verbs.h>,
// linux 6.1 drivers/infiniband/sw/rxe
#ifndef SIM_VERBS_VERBS_H_
#define SIM_VERBS_VERBS_H_

#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "model/base/errno.h"
#include "model/vocabulary/profile.h"
#include "model/vocabulary/protocol.h"
#include "model/vocabulary/topology.h"
#include "model/vocabulary/work.h"
#include "sim/core/agenda.h"
#include "sim/core/fifo.h"
#include "sim/core/slab.h"
#include "sim/fabric/fabric.h"
#include "sim/verbs/completions.h"
#include "sim/verbs/memory.h"
#include "sim/verbs/queue_pair.h"
#include "sim/verbs/regions.h"
#include "sim/verbs/shared_queues.h"
#include "sim/verbs/windows.h"
#include "sim/verbs/work_request.h"

namespace cm::sim {

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

class Verbs {
 public:
  explicit Verbs(const Topology& topology);

  // The surroundings of a step.
  struct Context {
    Agenda* agenda;
    Fabric* fabric;  // observed by those who watch it
    const Profile* profile;
    Memory* memory = nullptr;  // for external regions
  };

  // In RESET, with the next number of its device.
  uint32_t Create(uint8_t device, bool datagram, uint32_t srq = kNobody, const QpRoom& room = {},
                  uint64_t domain = 0, const XrcPart& xrc = {});
  // With its requests, and with the completions in queues of its own.
  void Destroy(uint32_t qp);
  // `connects`: the address of a peer is given; `resolves`: the result of resolving it, which RTR
  // returns. EINVAL for a transition that is not permitted, or lacks the peer. ERR flushes.
  // source: linux 6.1 verbs.c qp_state_table, ib_resolve_eth_dmac
  Errno Modify(uint32_t qp, QpState state, bool connects = false, Errno resolves = Errno::kNone);
  // RESET to INIT; EINVAL when `datagram`, that the attributes are those of a UD queue pair, is
  // wrong.
  Errno Initialize(uint32_t qp, bool datagram);
  void Connect(uint32_t qp, const Connection& connection);
  // Moves the queue pair to another port of its device.
  void MoveTo(uint32_t qp, uint8_t port) { qps_[qp].device = port; }
  // Completions go to these queues from now on.
  void ReportTo(uint32_t qp, uint32_t send_cq, uint32_t receive_cq);
  void Attach(uint32_t qp, const Group& group) { qps_[qp].groups.push_back(group); }
  // False when it is not attached.
  bool Detach(uint32_t qp, const Group& group);
  // Resets the device, and with it the numbers of its queue pairs.
  void Restart(uint8_t device) { next_number_[cas_[device]] = kFirstNumber; }

  // EINVAL for too many elements, too much inline data, and states before RTS (sends only) or with
  // a shared queue (receives); ENOMEM when the queue is full, or has no room for `behind` more. In
  // ERR a send is flushed at once, or stays. source: linux 6.1 rxe_verbs.c rxe_post_send, rdma-core
  // 44 providers/rxe/rxe.c
  Errno PostSend(const Context& c, uint32_t qp, WorkRequest work, uint64_t behind = 0);
  // The part of it that the provider looks at, before it asks the kernel to send.
  Errno CheckSend(uint32_t qp, const WorkRequest& work, uint64_t behind = 0) const;
  Errno PostReceive(uint32_t qp, WorkRequest work);
  // The next completion of the queue pair's own queues; empty when there is none.
  std::optional<Completion> Poll(uint32_t qp, bool receives) {
    return TakeFrom(qp, &OwnQueue(qp, receives).done);
  }
  CqEvents& EventsOf(uint32_t qp, bool receives) { return OwnQueue(qp, receives).events; }

  // Something of what the queue pair has sent is due: an event of the agenda.
  void OnWorkDue(const Context& c, uint32_t qp);
  // Called before a queue pair is destroyed: a posted datagram has been sent when the call returns,
  // where other requests take a moment. source: linux 6.1 rxe_verbs.c rxe_post_send, rxe_qp.c
  // rxe_qp_do_cleanup
  void SendRest(const Context& c, uint32_t qp);

  // Asynchronous events of programs' objects since the last call.
  std::vector<News> TakeNews() { return std::exchange(news_, {}); }

  const Qp& at(uint32_t qp) const { return qps_[qp]; }
  const Slab<Qp>& qps() const { return qps_; }
  Regions& regions() { return regions_; }
  const Regions& regions() const { return regions_; }
  Windows& windows() { return windows_; }
  SharedQueues& srqs() { return srqs_; }
  const SharedQueues& srqs() const { return srqs_; }
  CompletionQueues& cqs() { return cqs_; }

  friend bool operator==(const Verbs&, const Verbs&) = default;

 private:
  class Delivery;
  static constexpr uint32_t kFirstNumber = 17;  // the first that a user of Soft-RoCE gets

  uint32_t FindQp(const QpAddress& address) const;
  // transport.cc
  bool MaySendNext(const Qp& own) const;
  void SendNext(const Context& c, uint32_t qp);
  void Launch(const Context& c, uint32_t qp, size_t at);
  void ArriveAll(const Context& c, uint32_t qp);
  bool Arrives(const Context& c, uint32_t qp);
  void DropEarly(const Context& c, uint32_t qp);
  static std::optional<Instant> AnswerReaches(const Context& c, const Qp& own, uint64_t bytes);
  static bool AnswersBefore(Qp* own, size_t at, Instant answered);
  void AwaitReceive(const Context& c, uint32_t qp, Instant heard);
  void Answer(const Context& c, uint32_t qp, size_t at);
  void CompleteAll(const Context& c, uint32_t qp);
  void SendAgain(const Context& c, uint32_t qp);
  void AwaitAgain(const Context& c, uint32_t qp, Instant when);
  void SetError(uint32_t qp);
  void Report(ObjectEvent what, uint32_t object) { news_.push_back({what, object}); }

  // posting.cc
  OwnCq& OwnQueue(uint32_t qp, bool receives) {
    return receives ? qps_[qp].received : qps_[qp].sent;
  }
  std::optional<Completion> TakeFrom(uint32_t qp, Fifo<Finished>* done) const;
  // The completion to fill in further; null when the queue is full.
  Finished* FinishSend(uint32_t qp, const WorkRequest& work, WcStatus status);
  Finished* FinishReceive(uint32_t qp, const WorkRequest& work, WcStatus status, bool solicited,
                          uint32_t length = 0);
  Finished* Finish(const Qp& qp, uint32_t cq, OwnCq* own, const WorkRequest& work,
                   Completion completion, bool solicited);
  void Flush(uint32_t qp);
  Fifo<WorkRequest>* ReceivesOf(uint32_t qp);
  WorkRequest TakeReceive(uint32_t qp);
  // Before a request is executed at `qp`, a target of XRC: the shared queue that it names. False
  // when there is none that the target may use.
  bool FindXrcQueue(uint32_t qp, const WorkRequest& work);

  Slab<Qp> qps_;
  Regions regions_;
  Windows windows_;
  SharedQueues srqs_;
  CompletionQueues cqs_;
  std::vector<uint8_t> cas_;           // first port of the device, by port
  std::vector<uint32_t> next_number_;  // by device
  std::vector<News> news_;
};

}  // namespace cm::sim

#endif  // SIM_VERBS_VERBS_H_
