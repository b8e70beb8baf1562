#include "conformance/fidelity/test_histories.h"

#include <fmt/format.h>

#include <utility>
#include <variant>

#include "model/base/check.h"
#include "model/conversation/parse.h"
#include "model/conversation/words.h"

namespace cm {

HistoryText operator+(HistoryText a, const HistoryText& b) {
  a.insert(a.end(), b.begin(), b.end());
  return a;
}

std::string FileOf(const HistoryText& text) {
  std::string said;
  std::string seen;
  Duration now;
  for (const std::string& one : text) {
    if (one.starts_with("@")) {
      now = ParseDuration(one.substr(1)).value();
      continue;
    }
    if (!one.starts_with("returned ")) said += one.substr(0, ArrowIn(one)) + "\n";
    seen += ToString(now) + "  " + one + "\n";
    now = now + Duration::Milliseconds(1);
  }
  return "conversation 1\ntopology one-kernel-two-devices\nprofile 6.1-rxe\ncapabilities time\n"
         "seed 1 index 7 walk random options calls=20\n" +
         said + "----\n" + seen;
}

History HistoryOf(const HistoryText& text) {
  const std::string file = FileOf(text);
  auto parsed = ParseHistory(file);
  if (const auto* problem = std::get_if<TextProblem>(&parsed))
    fmt::print(stderr, "line {}: {}\n{}", problem->line, problem->what, file);
  CM_CHECK(std::holds_alternative<History>(parsed));
  return std::get<History>(std::move(parsed));
}

HistoryText Listening() {
  return {"passive rdma_create_event_channel S nonblocking -> 0",
          "passive rdma_create_id L on=S -> 0", "passive rdma_bind_addr L addr=passive:7471 -> 0",
          "passive rdma_listen L backlog=8 -> 0"};
}

HistoryText Ready(const std::string& id) {
  return {
      fmt::format("active rdma_create_id {} on=C -> 0", id),
      fmt::format("active rdma_resolve_addr {} src=active:0 dst=passive:7471 timeout_ms=2000 -> 0",
                  id),
      "settle -> done",
      fmt::format("active rdma_get_cm_event C as={}1 -> 0  event RDMA_CM_EVENT_ADDR_RESOLVED id={}",
                  id, id),
      fmt::format("active rdma_ack_cm_event {}1 -> 0", id),
      fmt::format("active rdma_resolve_route {} timeout_ms=2000 -> 0", id),
      "settle -> done",
      fmt::format(
          "active rdma_get_cm_event C as={}2 -> 0  event RDMA_CM_EVENT_ROUTE_RESOLVED id={}", id,
          id),
      fmt::format("active rdma_ack_cm_event {}2 -> 0", id)};
}

}  // namespace cm
