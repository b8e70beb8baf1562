#include "model/work_completion/rules.h"

namespace cm::model {
namespace {

constexpr auto kKinds = NamesByValue<WorkKind>({
    {WorkKind::kMessage, "a message"},
    {WorkKind::kWrite, "a write"},
    {WorkKind::kRead, "a read"},
    {WorkKind::kDatagram, "a datagram"},
    {WorkKind::kReceive, "a receive"},
});

constexpr auto kEnds = NamesByValue<WorkEnd>({
    {WorkEnd::kDone, "is carried out"},
    {WorkEnd::kFlushed, "finds its queue pair in error"},
    {WorkEnd::kPieceUnreachable, "has a piece outside the regions of its device"},
    {WorkEnd::kReceiveTooShort, "meets a receive that is too short for it, or is one"},
    {WorkEnd::kReceiveUnreachable, "meets a receive with a piece outside the regions, or is one"},
    {WorkEnd::kReceiveMissing, "meets no receive as often as it is tried"},
    {WorkEnd::kRemoteForbidden, "reaches for a remote range that does not allow it"},
    {WorkEnd::kPeerSilent, "is not answered"},
});

}  // namespace

WorkKind WorkKindOf(CallKind call) {
  if (IsReceive(call)) return WorkKind::kReceive;
  if (IsRead(call)) return WorkKind::kRead;
  if (IsWrite(call)) return WorkKind::kWrite;
  return call == CallKind::kPostUdSend ? WorkKind::kDatagram : WorkKind::kMessage;
}

std::string_view ToString(WorkKind kind) { return kKinds[static_cast<size_t>(kind)].name; }
std::string_view ToString(WorkEnd end) { return kEnds[static_cast<size_t>(end)].name; }

}  // namespace cm::model
