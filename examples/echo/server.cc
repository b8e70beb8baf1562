// The passive side.
#include <netinet/in.h>
#include <rdma/rdma_cma.h>

#include <algorithm>
#include <memory>
#include <vector>

#include "examples/echo/echo.h"
#include "examples/echo/link.h"

namespace echo {
namespace {

constexpr int kBacklog = 4;

class Server {
 public:
  Server(const Options& options, rdma_event_channel* channel, rdma_cm_id* listener)
      : options_(options), channel_(channel), listener_(listener) {}
  Server(const Server&) = delete;
  Server& operator=(const Server&) = delete;
  ~Server() { End(); }

  Ending Serve() {
    sockaddr_in any{};
    any.sin_family = AF_INET;
    any.sin_port = htons(options_.port);
    if (rdma_bind_addr(listener_, reinterpret_cast<sockaddr*>(&any)) != 0) return Ending::kNoWay;
    if (rdma_listen(listener_, kBacklog) != 0) return Ending::kNoWay;
    while (const Ready ready = WaitFor(channel_, link_.get(), options_.patience_ms)) {
      if (ready.message) Answer();
      if (!ready.event) continue;
      const auto heard = NextEvent(channel_, options_.mistake);
      if (!heard) return Ending::kFailed;
      if (heard->id == listener_) return EndingOf(heard->type);
      Handle(*heard);
    }
    return Ending::kDone;
  }

 private:
  void Handle(const Heard& heard) {
    if (heard.type == RDMA_CM_EVENT_CONNECT_REQUEST) return Welcome(heard.id);
    if (link_ == nullptr || heard.id != link_->id()) return;
    if (heard.type != RDMA_CM_EVENT_ESTABLISHED) End();
  }

  // One connection at a time: another request is rejected and must be repeated.
  void Welcome(rdma_cm_id* id) {
    if (link_ == nullptr) {
      link_ = std::make_unique<Link>(id);
      rdma_conn_param param{};
      param.rnr_retry_count = 7;
      if (link_->Open() && rdma_accept(id, &param) == 0) return;
      link_.reset();
    }
    rdma_reject(id, nullptr, 0);
    rdma_destroy_id(id);
  }

  void Answer() {
    const auto text = link_->Take();
    if (text && !link_->Send(*text)) End();
    if (link_ != nullptr && link_->broken()) End();
  }

  void End() {
    if (link_ == nullptr) return;
    rdma_cm_id* const id = link_->id();
    rdma_disconnect(id);
    link_.reset();
    rdma_destroy_id(id);
  }

  const Options& options_;
  rdma_event_channel* channel_;
  rdma_cm_id* listener_;
  std::unique_ptr<Link> link_;
};

}  // namespace

Ending Serve(const Options& options) {
  rdma_event_channel* const channel = rdma_create_event_channel();
  if (channel == nullptr) return Ending::kNoWay;
  rdma_cm_id* listener = nullptr;
  Ending ending = Ending::kNoWay;
  if (rdma_create_id(channel, &listener, nullptr, RDMA_PS_TCP) == 0) {
    ending = Server(options, channel, listener).Serve();
    rdma_destroy_id(listener);
  }
  rdma_destroy_event_channel(channel);
  return ending;
}

}  // namespace echo
