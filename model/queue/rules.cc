#include "model/queue/rules.h"

namespace cm::model {

WorkKind WorkKindOf(CallKind call) {
  if (IsReceive(call)) return WorkKind::kReceive;
  if (IsRead(call)) return WorkKind::kRead;
  if (IsWrite(call)) return WorkKind::kWrite;
  return call == CallKind::kPostUdSend ? WorkKind::kDatagram : WorkKind::kMessage;
}

bool OfDialect(const WorkRule& rule, const Dialect& dialect) {
  if (rule.when != WorkEnd::kReceiveTooShort) return true;
  const bool as_manual = rule.status == WcStatus::kRemInvReq || rule.status == WcStatus::kLocLen;
  return as_manual == dialect.long_messages_as_manual;
}

std::string_view ToString(WorkKind kind) {
  constexpr std::array<std::string_view, kWorkKindCount> kNames = {"a message", "a write", "a read",
                                                                   "a datagram", "a receive"};
  return kNames[static_cast<size_t>(kind)];
}

std::string_view ToString(WorkEnd end) {
  constexpr std::array<std::string_view, kWorkEndCount> kNames = {
      "is carried out",
      "finds its queue pair in error",
      "has a piece outside the regions of its device",
      "meets a receive that is too short for it, or is one",
      "meets a receive with a piece outside the regions, or is one",
      "meets no receive as often as it is tried",
      "reaches for a remote range that does not allow it",
      "is answered by nobody"};
  return kNames[static_cast<size_t>(end)];
}

}  // namespace cm::model
