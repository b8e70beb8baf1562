#include "sim/harness/open_resources.h"

#include <fmt/format.h>
#include <rdma/rdma_user_cm.h>

#include <algorithm>
#include <optional>
#include <string_view>

#include "model/vocabulary/protocol.h"
#include "sim/uapi/bytes.h"

namespace cm::sim {

using uapi::Op;

struct OpenResources::KindRow {
  Kind kind;
  std::string_view words;
  // The requests between which such an object exists; ids have commands instead.
  std::optional<Op> begins;
  std::optional<Op> ends;
};

constexpr OpenResources::KindRow OpenResources::kKinds[] = {
    {Kind::kFile, "rdma_cm file (of an event channel)", Op::kOpen, Op::kClose},
    {Kind::kId, "rdma_cm id", {}, {}},
    {Kind::kQp, "queue pair", Op::kCreateQp, Op::kDestroyQp},
    {Kind::kCq, "completion queue", Op::kCreateCq, Op::kDestroyCq},
    {Kind::kSrq, "shared receive queue", Op::kCreateSrq, Op::kDestroySrq},
    {Kind::kRegion, "memory region", Op::kRegister, Op::kDeregister},
    {Kind::kWindow, "memory window", Op::kAllocMw, Op::kDeallocMw},
    {Kind::kXrcDomain, "XRC domain", Op::kOpenXrcd, Op::kCloseXrcd},
};

void OpenResources::NoteCommand(uint32_t file, const uapi::Command& command,
                                const uapi::Answer& answer) {
  if (command.number == RDMA_USER_CM_CMD_CREATE_ID) {
    held_[{Kind::kId, uapi::As<rdma_ucm_create_id_resp>(answer.bytes).id}] = {.file = file};
  } else if (command.number == RDMA_USER_CM_CMD_DESTROY_ID) {
    held_.erase({Kind::kId, uapi::As<rdma_ucm_destroy_id>(command.body).id});
  } else if (command.number == RDMA_USER_CM_CMD_GET_EVENT) {
    const auto event = uapi::As<rdma_ucm_event_resp>(answer.bytes);
    if (static_cast<EventType>(event.event) == EventType::kConnectRequest)
      held_[{Kind::kId, event.id}] = {.file = file, .of_request = true};
  } else if (command.number == RDMA_USER_CM_CMD_MIGRATE_ID) {
    const auto found = held_.find({Kind::kId, uapi::As<rdma_ucm_migrate_id>(command.body).id});
    if (found != held_.end()) found->second.file = file;
  }
}

void OpenResources::Note(const uapi::Request& request, const uapi::Answer& answer) {
  if (answer.value < 0) return;
  const auto made = static_cast<uint32_t>(answer.value);
  if (const auto command = uapi::CommandIn(request)) NoteCommand(request.on, *command, answer);
  for (const KindRow& row : kKinds) {
    if (request.op == row.begins) held_[{row.kind, made}] = {};
    if (request.op == row.ends) held_.erase({row.kind, request.on});
  }
  if (request.op == Op::kOpenQp) held_[{Kind::kQp, made}] = {};
  if (request.op == Op::kReregister) {
    held_.erase({Kind::kRegion, request.on});
    held_[{Kind::kRegion, made}] = {};
  }
  if (request.op != Op::kClose) return;
  std::erase_if(held_, [&](const auto& held) {
    return held.first.first == Kind::kId && held.second.file == request.on;
  });
}

std::string OpenResources::Text() const {
  std::string text;
  for (const auto& [thing, origin] : held_) {
    if (!text.empty()) text += ", ";
    text += fmt::format("{} {}", std::ranges::find(kKinds, thing.first, &KindRow::kind)->words,
                        thing.second);
    if (origin.of_request) text += " (of a CONNECT_REQUEST)";
  }
  return text;
}

}  // namespace cm::sim
