#include "examples/echo/link.h"

#include <infiniband/verbs.h>
#include <poll.h>
#include <rdma/rdma_verbs.h>

#include <algorithm>

namespace echo {

Ending EndingOf(rdma_cm_event_type type) {
  switch (type) {
    case RDMA_CM_EVENT_ADDR_ERROR:
    case RDMA_CM_EVENT_ROUTE_ERROR:
    case RDMA_CM_EVENT_ADDR_CHANGE:
    case RDMA_CM_EVENT_DEVICE_REMOVAL:
      return Ending::kNoWay;
    case RDMA_CM_EVENT_REJECTED:
      return Ending::kRefused;
    case RDMA_CM_EVENT_UNREACHABLE:
    case RDMA_CM_EVENT_CONNECT_ERROR:
      return Ending::kUnreachable;
    case RDMA_CM_EVENT_DISCONNECTED:
    case RDMA_CM_EVENT_TIMEWAIT_EXIT:
      return Ending::kLost;
    default:
      return Ending::kFailed;
  }
}

std::optional<Heard> NextEvent(rdma_event_channel* channel, Mistake mistake) {
  rdma_cm_event* event = nullptr;
  if (rdma_get_cm_event(channel, &event) != 0) return std::nullopt;
  const Heard heard = {.type = event->event, .id = event->id};
  const bool failure = heard.type == RDMA_CM_EVENT_UNREACHABLE;
  if (failure && mistake == Mistake::kForgetsToAcknowledgeFailures) return heard;
  rdma_ack_cm_event(event);
  return heard;
}

Link::~Link() {
  if (region_ != nullptr) rdma_dereg_mr(region_);
  if (open_) rdma_destroy_qp(id_);
}

bool Link::Open() {
  ibv_qp_init_attr wanted{};
  wanted.cap = {.max_send_wr = 2,
                .max_recv_wr = 2,
                .max_send_sge = 1,
                .max_recv_sge = 1,
                .max_inline_data = kLongest};
  wanted.qp_type = IBV_QPT_RC;
  if (rdma_create_qp(id_, nullptr, &wanted) != 0) return false;
  open_ = true;
  region_ = rdma_reg_msgs(id_, received_.data(), received_.size());
  return region_ != nullptr && ibv_req_notify_cq(id_->recv_cq, 0) == 0 && PostReceive();
}

bool Link::PostReceive() {
  return rdma_post_recv(id_, nullptr, received_.data(), received_.size(), region_) == 0;
}

bool Link::Send(std::string_view text) {
  std::array<char, kLongest> bytes{};
  const size_t size = std::min(text.size(), bytes.size());
  std::copy_n(text.begin(), size, bytes.begin());
  return rdma_post_send(id_, nullptr, bytes.data(), size, nullptr, IBV_SEND_INLINE) == 0;
}

// The queue is armed before it is polled, so that no completion is missed in between.
std::optional<std::string> Link::Take() {
  ibv_cq* queue = nullptr;
  void* context = nullptr;
  if (ibv_get_cq_event(id_->recv_cq_channel, &queue, &context) != 0) return std::nullopt;
  ibv_ack_cq_events(queue, 1);
  if (ibv_req_notify_cq(queue, 0) != 0) return std::nullopt;
  ibv_wc completion{};
  if (ibv_poll_cq(queue, 1, &completion) != 1) return std::nullopt;
  broken_ = completion.status != IBV_WC_SUCCESS;
  if (broken_) return std::nullopt;
  std::string text(received_.data(), completion.byte_len);
  broken_ = !PostReceive();
  return text;
}

Ready WaitFor(const rdma_event_channel* channel, const Link* link, int patience_ms) {
  std::array<pollfd, 2> wanted{};
  wanted[0] = {.fd = channel->fd, .events = POLLIN, .revents = 0};
  if (link != nullptr) wanted[1] = {.fd = link->descriptor(), .events = POLLIN, .revents = 0};
  if (poll(wanted.data(), link == nullptr ? 1 : 2, patience_ms) <= 0) return {};
  return {.event = wanted[0].revents != 0, .message = wanted[1].revents != 0};
}

}  // namespace echo
