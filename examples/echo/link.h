// One end of a connection: code that both sides share.
#ifndef EXAMPLES_ECHO_LINK_H_
#define EXAMPLES_ECHO_LINK_H_

#include <rdma/rdma_cma.h>

#include <array>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "examples/echo/echo.h"

namespace echo {

inline constexpr size_t kLongest = 64;

// An event, after its acknowledgement.
struct Heard {
  rdma_cm_event_type type = RDMA_CM_EVENT_ADDR_ERROR;
  rdma_cm_id* id = nullptr;
};

// The outcome that a failure event means for a connecting side; kFailed for any other event.
Ending EndingOf(rdma_cm_event_type type);

// The next event of the channel; empty on an error.
std::optional<Heard> NextEvent(rdma_event_channel* channel, Mistake mistake);

// A queue pair with a buffer for each direction. The caller owns the id, which must outlive it.
class Link {
 public:
  explicit Link(rdma_cm_id* id) : id_(id) {}
  Link(const Link&) = delete;
  Link& operator=(const Link&) = delete;
  ~Link();

  // Creates the queue pair and posts a receive. False when that fails.
  bool Open();
  bool Send(std::string_view text);
  // A message, after the link's descriptor has become readable; empty when there is none.
  std::optional<std::string> Take();

  rdma_cm_id* id() const { return id_; }
  int descriptor() const { return id_->recv_cq_channel->fd; }
  bool broken() const { return broken_; }

 private:
  bool PostReceive();

  rdma_cm_id* id_;
  bool open_ = false;
  bool broken_ = false;
  ibv_mr* region_ = nullptr;
  std::array<char, kLongest> received_{};
};

// Waits for an event of the channel, and for a message of the link, which may be null. False on a
// timeout.
struct Ready {
  bool event = false;
  bool message = false;
  explicit operator bool() const { return event || message; }
};
Ready WaitFor(const rdma_event_channel* channel, const Link* link, int patience_ms);

}  // namespace echo

#endif  // EXAMPLES_ECHO_LINK_H_
