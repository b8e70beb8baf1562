// Calls as data: each with what its names stand for, given to the function that carries it out.
#include <string_view>
#include <vector>

#include "sim/lib/library.h"

namespace cm::sim {

Progress Library::Do(Context c, const call::CreateEventChannel& x, const Named& /*at*/) {
  return CreateEventChannel(c, x.nonblocking);
}
Progress Library::Do(Context c, const call::DestroyEventChannel& /*x*/, const Named& at) {
  return DestroyEventChannel(c, at.channel);
}
Progress Library::Do(Context c, const call::CreateId& x, const Named& at) {
  return CreateId(c, at.channel, x.space);
}
Progress Library::Do(Context c, const call::DestroyId& /*x*/, const Named& at) {
  return DestroyId(c, at.id);
}
Progress Library::Do(Context c, const call::BindAddr& x, const Named& at) {
  return {.reply = BindAddr(c, at.id, x.address)};
}
Progress Library::Do(Context c, const call::Listen& x, const Named& at) {
  return {.reply = Listen(c, at.id, x.backlog)};
}
Progress Library::Do(Context c, const call::ResolveAddr& x, const Named& at) {
  return Complete(c, at.id, ResolveAddr(c, at.id, x));
}
Progress Library::Do(Context c, const call::ResolveRoute& x, const Named& at) {
  return Complete(c, at.id, ResolveRoute(c, at.id, x.timeout_ms));
}
Progress Library::Do(Context c, const call::CreateQp& x, const Named& at) {
  return {.reply = CreateQp(c, at.id, x.type)};
}
Progress Library::Do(Context c, const call::DestroyQp& /*x*/, const Named& at) {
  return {.reply = DestroyQp(c, at.id)};
}
Progress Library::Do(Context c, const call::Connect& x, const Named& at) {
  return Complete(c, at.id, Connect(c, at.id, x.param));
}
Progress Library::Do(Context c, const call::Accept& x, const Named& at) {
  return CompleteAccept(c, at.id, Accept(c, at.id, x.param));
}
Progress Library::Do(Context c, const call::Reject& x, const Named& at) {
  return {.reply = Reject(c, at.id, x.private_data)};
}
Progress Library::Do(Context c, const call::Establish& /*x*/, const Named& at) {
  return {.reply = Establish(c, at.id)};
}
Progress Library::Do(Context c, const call::Disconnect& /*x*/, const Named& at) {
  return DisconnectOrWait(c, at.id);
}
Progress Library::Do(Context c, const call::GetCmEvent& /*x*/, const Named& at) {
  return GetCmEvent(c, at.channel);
}
Progress Library::Do(Context /*c*/, const call::AckCmEvent& /*x*/, const Named& at) {
  return {.reply = AckCmEvent(at.event)};
}
Progress Library::Do(Context /*c*/, const call::Show& /*x*/, const Named& /*at*/) { return {}; }
Progress Library::Do(Context /*c*/, const call::ShowEvent& /*x*/, const Named& /*at*/) {
  return {};
}
Progress Library::Do(Context c, const call::Notify& x, const Named& at) {
  return {.reply = Notify(c, at.id, x.what)};
}
Progress Library::Do(Context c, const call::InitQpAttr& x, const Named& at) {
  return InitQpAttr(c, at.id, x.state);
}
Progress Library::Do(Context /*c*/, const call::SetLocalEce& x, const Named& at) {
  return {.reply = SetLocalEce(at.id, x.ece)};
}
Progress Library::Do(Context /*c*/, const call::GetRemoteEce& /*x*/, const Named& at) {
  return GetRemoteEce(at.id);
}
Progress Library::Do(Context c, const call::RejectEce& x, const Named& at) {
  return {.reply = RejectEce(c, at.id, x.private_data)};
}
Progress Library::Do(Context /*c*/, const call::GetSrcPort& /*x*/, const Named& at) {
  return {.handed = PortHanded{this->at(at.id).source.port}};
}
Progress Library::Do(Context /*c*/, const call::GetDstPort& /*x*/, const Named& at) {
  return {.handed = PortHanded{this->at(at.id).destination.port}};
}
Progress Library::Do(Context c, const call::EventStr& x, const Named& /*at*/) {
  return EventStr(c, x.type);
}
Progress Library::Do(Context c, const call::SetOption& x, const Named& at) {
  return {.reply = SetOption(c, at.id, x)};
}
Progress Library::Do(Context c, const call::MigrateId& /*x*/, const Named& at) {
  return MigrateId(c, at.id, at.channel);
}
Progress Library::Do(Context c, const call::GetRequest& /*x*/, const Named& at) {
  return GetRequest(c, at.id);
}
Progress Library::Do(Context c, const call::CreateEp& x, const Named& /*at*/) {
  return CreateEp(c, x);
}
Progress Library::Do(Context c, const call::DestroyEp& /*x*/, const Named& at) {
  return DestroyEp(c, at.id);
}
Progress Library::Do(Context /*c*/, const call::GetAddrInfo& x, const Named& /*at*/) {
  return GetAddrInfo(x);
}
Progress Library::Do(Context /*c*/, const call::FreeAddrInfo& /*x*/, const Named& /*at*/) {
  GiveBack();
  return {};
}
Progress Library::Do(Context c, const call::GetDevices& /*x*/, const Named& /*at*/) {
  return GetDevices(c);
}
Progress Library::Do(Context /*c*/, const call::FreeDevices& /*x*/, const Named& /*at*/) {
  GiveBack();
  return {};
}

Progress Library::Do(Context c, const call::ResolveAddrInfo& x, const Named& at) {
  return ResolveAddrInfo(c, at.id, x);
}
Progress Library::Do(Context /*c*/, const call::QueryAddrInfo& /*x*/, const Named& at) {
  return QueryAddrInfo(at.id);
}
Progress Library::Do(Context c, const call::WriteCmEvent& x, const Named& at) {
  return {.reply = WriteCmEvent(c, at.id, x)};
}
Progress Library::Do(Context c, const call::JoinMulticast& x, const Named& at) {
  return Complete(c, at.id, JoinMulticast(c, at.id, x));
}
Progress Library::Do(Context c, const call::JoinMulticastEx& x, const Named& at) {
  return Complete(c, at.id, JoinMulticastEx(c, at.id, x));
}
Progress Library::Do(Context c, const call::LeaveMulticast& x, const Named& at) {
  return LeaveMulticast(c, at.id, x.address);
}

// What the buffer of a region holds before anything is written into it.
Progress Library::DoRegister(Context c, const Named& at, uint32_t length, bool remote_read,
                             bool remote_write) {
  std::vector<uint8_t> bytes(length);
  for (uint32_t i = 0; i < length; ++i) bytes[i] = PatternAt(at.region_name, i);
  return Register(c, at.id, bytes, remote_read, remote_write);
}
// What remote ends may do with the region is in its function's name.
Progress Library::Do(Context c, const call::RegMsgs& x, const Named& at) {
  return DoRegister(c, at, x.length, false, false);
}
Progress Library::Do(Context c, const call::RegRead& x, const Named& at) {
  return DoRegister(c, at, x.length, true, false);
}
Progress Library::Do(Context c, const call::RegWrite& x, const Named& at) {
  return DoRegister(c, at, x.length, false, true);
}
Progress Library::Do(Context c, const call::DeregMr& /*x*/, const Named& at) {
  return Deregister(c, at.regions.front());
}

WorkRequest Library::RequestOf(const call::Work& work, const Named& at, WcOpcode opcode) {
  WorkRequest request{.opcode = opcode,
                      .context = work.context,
                      .signaled = (work.flags & kSignaled) != 0,
                      .is_inline = (work.flags & kInline) != 0};
  for (size_t i = 0; i < work.sges.size(); ++i)
    request.pieces.push_back({at.regions[i], work.sges[i].offset, work.sges[i].length});
  const uint32_t remote = work.remote.mr.valid() ? at.regions.back() : kNobody;
  request.remote = {remote, work.remote.offset, request.length()};
  return request;
}
Progress Library::Do(Context c, const call::PostRecv& x, const Named& at) {
  return {.reply = PostReceive(c, at.id, RequestOf(x, at, WcOpcode::kReceive))};
}
Progress Library::Do(Context c, const call::PostRecvv& x, const Named& at) {
  return {.reply = PostReceive(c, at.id, RequestOf(x, at, WcOpcode::kReceive))};
}
Progress Library::Do(Context c, const call::PostSend& x, const Named& at) {
  return {.reply = PostSend(c, at.id, RequestOf(x, at, WcOpcode::kSend))};
}
Progress Library::Do(Context c, const call::PostSendv& x, const Named& at) {
  return {.reply = PostSend(c, at.id, RequestOf(x, at, WcOpcode::kSend))};
}
Progress Library::Do(Context c, const call::PostUdSend& x, const Named& at) {
  return {.reply = PostSend(c, at.id, RequestOf(x, at, WcOpcode::kSend))};
}
Progress Library::Do(Context c, const call::PostRead& x, const Named& at) {
  return {.reply = PostSend(c, at.id, RequestOf(x, at, WcOpcode::kRead))};
}
Progress Library::Do(Context c, const call::PostReadv& x, const Named& at) {
  return {.reply = PostSend(c, at.id, RequestOf(x, at, WcOpcode::kRead))};
}
Progress Library::Do(Context c, const call::PostWrite& x, const Named& at) {
  return {.reply = PostSend(c, at.id, RequestOf(x, at, WcOpcode::kWrite))};
}
Progress Library::Do(Context c, const call::PostWritev& x, const Named& at) {
  return {.reply = PostSend(c, at.id, RequestOf(x, at, WcOpcode::kWrite))};
}
Progress Library::Do(Context c, const call::CreateQpEx& x, const Named& at) {
  return {.reply = CreateQp(c, at.id, x.type)};
}
Progress Library::Do(Context c, const call::CreateSrq& /*x*/, const Named& at) {
  return {.reply = CreateSrq(c, at.id, true)};
}
Progress Library::Do(Context c, const call::CreateSrqEx& x, const Named& at) {
  return {.reply = CreateSrq(c, at.id, x.typed)};
}
Progress Library::Do(Context c, const call::DestroySrq& /*x*/, const Named& at) {
  return {.reply = DestroySrq(c, at.id)};
}
Progress Library::Do(Context c, const call::GetSendComp& /*x*/, const Named& at) {
  return GetCompletion(c, at.id, Waiting::kSentWork);
}
Progress Library::Do(Context c, const call::GetRecvComp& /*x*/, const Named& at) {
  return GetCompletion(c, at.id, Waiting::kReceivedWork);
}

}  // namespace cm::sim
