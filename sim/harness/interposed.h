// Functions that programs call and the harness answers or observes: poll of the C library,
// rdma_get_cm_event and rdma_ack_cm_event.
#ifndef SIM_HARNESS_INTERPOSED_H_
#define SIM_HARNESS_INTERPOSED_H_

#include <poll.h>

#include <span>
#include <string>

namespace cm::sim {

// Hears of the calls that are made on a fiber.
class CallObserver {
 public:
  virtual ~CallObserver() = default;
  // poll(2): returns the number of ready descriptors; negative timeout: no limit.
  virtual int Poll(std::span<pollfd> descriptors, int timeout_ms) = 0;
  // A program has fetched an event, described by `words`, or has acknowledged it.
  virtual void Fetched(const void* event, std::string words) = 0;
  virtual void Acknowledged(const void* event) = 0;
};

// From now on calls go to `observer`; to nothing but the libraries if it is null.
void SetObserver(CallObserver* observer);

// Makes librdmacm run its initialization, once in a process.
void InitializeLibrary();

// The system's poll with a timeout of 0: returns the number of ready descriptors, or -1 and errno.
int PollNow(std::span<pollfd> descriptors);

}  // namespace cm::sim

#endif  // SIM_HARNESS_INTERPOSED_H_
