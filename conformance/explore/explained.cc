#include "conformance/explore/explained.h"

#include <algorithm>
#include <variant>

#include "model/vocabulary/call.h"

namespace cm::explore {
namespace {

bool Injects(const Conversation& conversation, FaultKind kind) {
  return std::ranges::any_of(conversation.lines, [kind](const Line& line) {
    const auto* injects = std::get_if<line::Injects>(&line);
    return injects != nullptr && injects->fault.kind == kind;
  });
}

// An id of the active side was destroyed.
bool EndsCaller(const Conversation& conversation) {
  return std::ranges::any_of(conversation.lines, [](const Line& line) {
    const auto* calls = std::get_if<line::Calls>(&line);
    return calls != nullptr && calls->lane.side == kActiveSide &&
           std::holds_alternative<call::DestroyId>(calls->call);
  });
}

}  // namespace

std::string_view WhyExplained(const Finding& finding, const Conversation& shortest) {
  // The second request, or that its reply stays without an answer.
  const bool second = finding.saw.starts_with("RDMA_CM_EVENT_CONNECT_REQUEST ") ||
                      finding.saw.starts_with("RDMA_CM_EVENT_UNREACHABLE ");
  if (finding.id == kRowsId && second && Injects(shortest, FaultKind::kDuplicate) &&
      EndsCaller(shortest))
    return "the copy of a REQ that comes behind the REJ of its destroyed asker is a request anew, "
           "as the kernel forgets the first with the REJ; the rows know no message between the "
           "two copies";
  return {};
}

}  // namespace cm::explore
