// Options of ids, and ids that move from channel to channel.
#include <string>

#include "conformance/properties/counterexamples.h"
#include "conformance/properties/mutate_history.h"

namespace cm::counterexamples {
namespace {

std::string Sharing(std::string_view rest) {
  return Alone(std::string(R"(passive rdma_create_event_channel S
passive rdma_create_id L on=S
passive rdma_set_option L option=REUSEADDR value=1
passive rdma_bind_addr L addr=passive:7471
passive rdma_create_id M on=S
passive rdma_set_option M option=REUSEADDR value=1
passive rdma_bind_addr M addr=passive:7471
)") + std::string(rest));
}

std::string WithTwoChannels(std::string_view rest) {
  return Alone(std::string(R"(active rdma_create_event_channel C
active rdma_create_event_channel D nonblocking
active rdma_create_id A on=C
active rdma_resolve_addr A dst=passive:7471
settle
)") + std::string(rest));
}

std::string Patient(std::string_view rest) {
  return Listening(std::string(R"(active rdma_create_event_channel C
active rdma_create_id A on=C
active rdma_set_option A option=ACK_TIMEOUT value=20 length=1
active rdma_resolve_addr A dst=passive:7471
active taking C
active rdma_resolve_route A
active taking C
active rdma_create_qp A
active rdma_connect A private="hello"
)") + std::string(rest));
}

constexpr std::string_view kMoved = R"(active rdma_migrate_id A to=D
active rdma_get_cm_event D as=e
active rdma_ack_cm_event e
active rdma_get_cm_event D as=none
)";

constexpr std::string_view kHeld = R"(active rdma_get_cm_event C as=e
active/2 rdma_migrate_id A to=D
active rdma_ack_cm_event e
settle
)";

}  // namespace

std::vector<Counterexample> Options() {
  return {
      {"OPT-1", "sharing is taken and has no effect", Sharing(""), "reuse-ignored"},
      {"OPT-2", "an id listens on a shared port", Sharing("passive rdma_listen M\n"),
       "shared-listens"},
      {"OPT-3", "an option of another length is taken",
       Sharing("passive rdma_set_option M option=AFONLY value=1 length=8\n"),
       "option-length-unchecked"},
      {"OPT-4", "the time-out has no effect", Patient(R"(passive accepting P on=S
active taking C
passive taking S
active rdma_disconnect A
passive taking S
passive rdma_disconnect P
active taking C
pass 3s
active taking C
)"),
       "ack-timeout-ignored"},
  };
}

std::vector<Counterexample> Migration() {
  return {
      {"MIG-1", "an event comes on the channel that was left", WithTwoChannels(std::string(kMoved)),
       "",
       [](History& h) {
         const auto line = h.records[Hears(h, EventType::kAddrResolved)].line;
         auto& get = std::get<line::Calls>(h.conversation.lines[line]);
         const auto& create = std::get<line::Calls>(h.conversation.lines[h.records[0].line]).call;
         std::get<call::GetCmEvent>(get.call).channel =
             std::get<call::CreateEventChannel>(create).channel;
       }},
      {"MIG-2", "the call does not wait for acknowledgements", WithTwoChannels(std::string(kHeld)),
       "migration-ignores-acks"},
      {"MIG-3", "the call does not return", WithTwoChannels(std::string(kHeld)), "",
       [](History& h) {
         std::erase_if(h.records, [](const Record& record) {
           return std::holds_alternative<seen::Released>(record.seen);
         });
       }},
      {"MIG-4", "the event stays on the channel that was left",
       WithTwoChannels(R"(active rdma_migrate_id A to=D
active rdma_get_cm_event D as=e
active rdma_get_cm_event D as=none
)"),
       "migration-leaves-events"},
      {"MIG-4", "the event comes twice", WithTwoChannels(std::string(kMoved)), "",
       [](History& h) { HearsAgain(h, Hears(h, EventType::kAddrResolved)); }},
  };
}

}  // namespace cm::counterexamples
