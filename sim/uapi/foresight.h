// What threads request next, mostly: librdmacm asks the same after each event of a type, and after
// each new queue pair, for the id and the queue pair at hand; and with a queue pair it destroys its
// completion queues.
//
// 1. Answers to what is expected go to a thread along with the one that it waits for. They are
//    valid as long as nothing else happens, and for these requests in this order. So two switches
//    of the processor are saved with each.
// 2. The thread takes the answer and sends its request all the same, which is carried out as any
//    other. Nothing of the conversation depends on what is foreseen.
#ifndef SIM_UAPI_FORESIGHT_H_
#define SIM_UAPI_FORESIGHT_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "sim/uapi/asker.h"
#include "sim/uapi/machine.h"
#include "sim/uapi/request.h"

namespace cm::sim::uapi {

class Foresight {
 public:
  // The machine must outlive it.
  explicit Foresight(Machine* machine) : machine_(machine) {}

  // Call for each request that has been answered. Returns what is expected then.
  std::vector<Foreseen> After(Asker asker, const Request& request, const Answer& answer);
  void Forget(uint32_t process);

 private:
  // A request, and the type of the event that the thread has fetched last.
  using Beginning = std::pair<Op, uint32_t>;
  // The completion queues of a queue pair, for sends and receives.
  using Queues = std::array<uint32_t, 2>;
  // A command of the id; a change of the queue pair's state by the attributes that the command
  // before has returned; or the end of one of the queues.
  struct Step {
    Op op = Op::kWrite;
    std::vector<uint8_t> command = {};
    size_t queue = 0;
  };
  using Steps = std::vector<Step>;
  struct Thread {
    std::optional<Beginning> beginning;
    Steps steps;  // since then
    uint32_t file = 0;
    uint32_t id = 0;
    uint32_t event = 0;  // its type
    std::optional<uint32_t> qp;
    std::optional<Queues> queues;  // of the queue pair that it has destroyed last
  };
  struct Process {
    std::map<Beginning, Steps> habits;
    std::map<uint32_t, uint32_t> qp_of;    // ids
    std::map<uint32_t, Queues> queues_of;  // queue pairs
  };

  // The next step, where the request is one.
  static std::optional<Step> StepOf(const Thread& thread, const Request& request);
  bool GoesOn(Process* process, Thread* thread, const Request& request);
  static bool Begins(Process* process, Thread* thread, const Request& request,
                     const Answer& answer);
  // The request of a step, after those before it.
  static std::optional<Request> RequestOf(const Thread& thread, const Step& step,
                                          const std::vector<Foreseen>& before);

  Machine* machine_;
  std::map<Asker, Thread> threads_;
  std::map<uint32_t, Process> processes_;
};

}  // namespace cm::sim::uapi

#endif  // SIM_UAPI_FORESIGHT_H_
