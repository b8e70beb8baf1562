#include "conformance/adapters/sim/work_calls.h"

#include <string_view>
#include <type_traits>
#include <vector>

namespace cm::sim {
namespace {

std::vector<uint8_t> Pattern(std::string_view region, uint32_t length) {
  std::vector<uint8_t> bytes(length);
  for (uint32_t i = 0; i < length; ++i) bytes[i] = PatternAt(region, i);
  return bytes;
}

WcOpcode OpcodeOf(CallKind kind) {
  if (IsReceive(kind)) return WcOpcode::kReceive;
  if (IsRead(kind)) return WcOpcode::kRead;
  return IsWrite(kind) ? WcOpcode::kWrite : WcOpcode::kSend;
}

WorkRequest RequestOf(const SimNames& names, const call::Work& work, WcOpcode opcode) {
  WorkRequest request{.opcode = opcode,
                      .context = work.context,
                      .signaled = (work.flags & kSignaled) != 0,
                      .is_inline = (work.flags & kInline) != 0};
  for (const Sge& sge : work.sges)
    request.pieces.push_back({names.Region(sge.mr), sge.offset, sge.length});
  request.remote = {names.Region(work.remote.mr), work.remote.offset, request.length()};
  return request;
}

// The name of the C function determines the access flags of the region.
template <typename Reg>
Progress Register(Library& l, Library::Context c, const SimNames& names, const Reg& reg) {
  constexpr bool kReads = std::is_same_v<Reg, call::RegRead>;
  constexpr bool kWrites = std::is_same_v<Reg, call::RegWrite>;
  return l.Register(c, names.Id(reg.id), Pattern(names.NameOf(reg.mr), reg.length), kReads,
                    kWrites);
}

}  // namespace

Progress MakeWorkCall(Library& l, Library::Context c, const SimNames& names, const Call& call) {
  if (const auto* reg = std::get_if<call::RegMsgs>(&call)) return Register(l, c, names, *reg);
  if (const auto* reg = std::get_if<call::RegRead>(&call)) return Register(l, c, names, *reg);
  if (const auto* reg = std::get_if<call::RegWrite>(&call)) return Register(l, c, names, *reg);
  if (const auto* dereg = std::get_if<call::DeregMr>(&call))
    return l.Deregister(c, names.Region(dereg->mr));
  const uint32_t id = names.Id(IdOf(call));
  const CallKind kind = KindOf(call);
  if (const call::Work* work = WorkOf(call)) {
    WorkRequest request = RequestOf(names, *work, OpcodeOf(kind));
    const bool receives = IsReceive(kind);
    return {.reply = receives ? l.PostReceive(c, id, request) : l.PostSend(c, id, request)};
  }
  if (const auto* create = std::get_if<call::CreateQpEx>(&call))
    return {.reply = l.CreateQp(c, id, create->type)};
  if (const auto* create = std::get_if<call::CreateSrqEx>(&call))
    return {.reply = l.CreateSrq(c, id, create->typed)};
  if (kind == CallKind::kCreateSrq) return {.reply = l.CreateSrq(c, id, true)};
  if (kind == CallKind::kDestroySrq) return {.reply = l.DestroySrq(c, id)};
  const bool sent = kind == CallKind::kGetSendComp;
  return l.GetCompletion(c, id, sent ? Waiting::kSentWork : Waiting::kReceivedWork);
}

}  // namespace cm::sim
