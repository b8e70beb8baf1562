#include "sim/harness/holdings.h"

#include <fmt/format.h>
#include <rdma/rdma_user_cm.h>

#include <array>

#include "model/vocabulary/protocol.h"
#include "sim/uapi/bytes.h"

namespace cm::sim {

using uapi::Op;

void Holdings::Close(uint32_t file) {
  held_.erase({Kind::kFile, file});
  std::erase_if(held_, [file](const auto& held) {
    return held.first.first == Kind::kId && held.second.file == file;
  });
}

void Holdings::NoteCommand(uint32_t file, const uapi::Command& command,
                           const uapi::Answer& answer) {
  switch (command.number) {
    case RDMA_USER_CM_CMD_CREATE_ID:
      held_[{Kind::kId, uapi::As<rdma_ucm_create_id_resp>(answer.bytes).id}] = {.file = file};
      return;
    case RDMA_USER_CM_CMD_DESTROY_ID:
      held_.erase({Kind::kId, uapi::As<rdma_ucm_destroy_id>(command.body).id});
      return;
    case RDMA_USER_CM_CMD_GET_EVENT: {
      const auto event = uapi::As<rdma_ucm_event_resp>(answer.bytes);
      if (static_cast<EventType>(event.event) == EventType::kConnectRequest)
        held_[{Kind::kId, event.id}] = {.file = file, .of_request = true};
      return;
    }
    case RDMA_USER_CM_CMD_MIGRATE_ID: {
      const auto found = held_.find({Kind::kId, uapi::As<rdma_ucm_migrate_id>(command.body).id});
      if (found != held_.end()) found->second.file = file;
      return;
    }
    default:
      return;
  }
}

void Holdings::Note(const uapi::Request& request, const uapi::Answer& answer) {
  if (answer.value < 0) return;
  const auto made = static_cast<uint32_t>(answer.value);
  if (const auto command = uapi::CommandIn(request)) NoteCommand(request.on, *command, answer);
  switch (request.op) {
    case Op::kOpen:
      held_[{Kind::kFile, made}] = {};
      return;
    case Op::kClose:
      return Close(request.on);
    case Op::kCreateCq:
      held_[{Kind::kCq, made}] = {};
      return;
    case Op::kCreateSrq:
      held_[{Kind::kSrq, made}] = {};
      return;
    case Op::kCreateQp:
      held_[{Kind::kQp, made}] = {};
      return;
    case Op::kRegister:
      held_[{Kind::kRegion, made}] = {};
      return;
    case Op::kDestroyCq:
      held_.erase({Kind::kCq, request.on});
      return;
    case Op::kDestroySrq:
      held_.erase({Kind::kSrq, request.on});
      return;
    case Op::kDestroyQp:
      held_.erase({Kind::kQp, request.on});
      return;
    case Op::kDeregister:
      held_.erase({Kind::kRegion, request.on});
      return;
    default:
      return;
  }
}

std::string Holdings::Text() const {
  constexpr auto kWords = std::to_array<std::string_view>(
      {"rdma_cm file (of an event channel)", "rdma_cm id", "queue pair", "completion queue",
       "shared receive queue", "memory region"});
  std::string text;
  for (const auto& [thing, origin] : held_) {
    if (!text.empty()) text += ", ";
    text += fmt::format("{} {}", kWords[static_cast<size_t>(thing.first)], thing.second);
    if (origin.of_request) text += " (of a CONNECT_REQUEST)";
  }
  return text;
}

}  // namespace cm::sim
