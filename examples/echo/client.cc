// The active side.
#include <arpa/inet.h>
#include <netinet/in.h>
#include <rdma/rdma_cma.h>

#include "examples/echo/echo.h"
#include "examples/echo/link.h"

namespace echo {
namespace {

constexpr int kResolveMs = 2000;
constexpr std::string_view kGreeting = "echo/1";

class Client {
 public:
  Client(const Options& options, rdma_event_channel* channel, rdma_cm_id* id)
      : options_(options), channel_(channel), id_(id), link_(id) {}

  Ending Ask(sockaddr_in to, std::string_view text, std::string* answer) {
    Ending ending = Connect(&to);
    if (ending != Ending::kDone) return ending;
    ending = link_.Send(text) ? Receive(answer) : Ending::kFailed;
    rdma_disconnect(id_);
    return ending;
  }

 private:
  Ending Connect(sockaddr_in* to) {
    if (rdma_resolve_addr(id_, nullptr, reinterpret_cast<sockaddr*>(to), kResolveMs) != 0)
      return Ending::kNoWay;
    Ending ending = Await(RDMA_CM_EVENT_ADDR_RESOLVED);
    if (ending != Ending::kDone) return ending;
    if (rdma_resolve_route(id_, kResolveMs) != 0) return Ending::kNoWay;
    ending = Await(RDMA_CM_EVENT_ROUTE_RESOLVED);
    if (ending != Ending::kDone) return ending;
    if (!link_.Open()) return Ending::kNoWay;
    rdma_conn_param param{};
    param.private_data = kGreeting.data();
    param.private_data_len = static_cast<uint8_t>(kGreeting.size());
    param.retry_count = 7;
    param.rnr_retry_count = 7;
    if (rdma_connect(id_, &param) != 0) return Ending::kNoWay;
    return Await(RDMA_CM_EVENT_ESTABLISHED);
  }

  Ending Await(rdma_cm_event_type wanted) {
    if (!WaitFor(channel_, nullptr, options_.patience_ms)) return Ending::kGaveUp;
    const auto heard = NextEvent(channel_, options_.mistake);
    if (!heard) return Ending::kFailed;
    return heard->type == wanted ? Ending::kDone : EndingOf(heard->type);
  }

  Ending Receive(std::string* answer) {
    while (const Ready ready = WaitFor(channel_, &link_, options_.patience_ms)) {
      if (ready.message) {
        if (const auto text = link_.Take()) {
          *answer = *text;
          return Ending::kDone;
        }
        if (link_.broken()) return Ending::kLost;
      } else if (const auto heard = NextEvent(channel_, options_.mistake)) {
        return EndingOf(heard->type);
      }
    }
    return Ending::kGaveUp;
  }

  const Options& options_;
  rdma_event_channel* channel_;
  rdma_cm_id* id_;
  Link link_;
};

}  // namespace

std::string_view ToString(Ending ending) {
  switch (ending) {
    case Ending::kDone:
      return "done";
    case Ending::kNoWay:
      return "no way there";
    case Ending::kRefused:
      return "refused";
    case Ending::kUnreachable:
      return "unreachable";
    case Ending::kLost:
      return "connection lost";
    case Ending::kGaveUp:
      return "given up";
    case Ending::kFailed:
      return "failed";
  }
  return "?";
}

Ending Ask(const Options& options, const std::string& host, std::string_view text,
           std::string* answer) {
  sockaddr_in to{};
  to.sin_family = AF_INET;
  to.sin_port = htons(options.port);
  if (inet_pton(AF_INET, host.c_str(), &to.sin_addr) != 1) return Ending::kNoWay;
  rdma_event_channel* const channel = rdma_create_event_channel();
  if (channel == nullptr) return Ending::kNoWay;
  rdma_cm_id* id = nullptr;
  Ending ending = Ending::kNoWay;
  if (rdma_create_id(channel, &id, nullptr, RDMA_PS_TCP) == 0) {
    ending = Client(options, channel, id).Ask(to, text, answer);
    rdma_destroy_id(id);
  }
  rdma_destroy_event_channel(channel);
  return ending;
}

}  // namespace echo
