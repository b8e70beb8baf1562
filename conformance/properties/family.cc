#include "conformance/properties/family.h"

#include <fmt/format.h>

#include "conformance/properties/facts.h"
#include "model/conversation/print.h"

namespace cm::families {

const std::string& NameOf(const HistoryIndex& index, IdRef id) {
  static const std::string none = "?";
  return id.valid() ? index.history().conversation.names.ids.NameOf(id) : none;
}

std::string Heard(const HistoryIndex& index, const HeardEvent& heard) {
  std::string text =
      fmt::format("{} heard {}", NameOf(index, heard.event.id), ToString(heard.event.type));
  if (heard.event.status != 0) text += fmt::format(" status={}", heard.event.status);
  return text;
}

std::string Made(const HistoryIndex& index, const MadeCall& call) {
  return fmt::format("{} -> {}", ToString(*call.call, index.history().conversation),
                     ToString(call.reply));
}

void CheckAddrInfo(const HistoryIndex& index, const MadeCall& call,
                   const call::ResolveAddrInfo& asked, PropertyResult& result) {
  if (asked.node.kind == AddressKind::kNone) return;
  result.Arose();
  const std::optional<Output>& output = OutputOf(index, call);
  const auto* info = output ? std::get_if<AddrInfoOutput>(&*output) : nullptr;
  const bool passive = asked.hints && (asked.hints->flags & kPassiveHint) != 0;
  const Address wanted = asked.node.WithPort(asked.service.value_or(0));
  if (info != nullptr && (passive ? info->source : info->destination) == wanted) return;
  result.Violated(
      call.at, output ? ToString(*output, index.topology()) : "nothing",
      ToString(wanted, index.topology()) + (passive ? " as the source" : " as the destination"));
}

void AtMostOnce(const HistoryIndex& index, PropertyResult& result, EventType type) {
  ForEachId(index, [&](IdRef id) {
    const auto events = index.EventsOf(id, type);
    if (events.empty()) return;
    result.Arose();
    if (events.size() == 1) return;
    result.Violated(events[1]->at, Heard(index, *events[1]) + " once more",
                    fmt::format("once, at {}", ToString(events[0]->time)));
  });
}

}  // namespace cm::families
