#include "tools/app/open_resources.h"

#include <fmt/format.h>
#include <rdma/rdma_user_cm.h>

#include "model/vocabulary/protocol.h"
#include "sim/uapi/bytes.h"
#include "sim/uapi/layout.h"

namespace cm::app {
namespace {

using sim::uapi::Answer;
using sim::uapi::As;
using sim::uapi::Command;
using sim::uapi::CommandIn;
using sim::uapi::Op;
using sim::uapi::Request;

std::string Counted(size_t number, std::string_view what) {
  return fmt::format("{} {}{}", number, what, number == 1 ? "" : "s");
}

}  // namespace

void OpenResources::Asked(const Request& request, const Answer& answer) {
  just_.clear();
  if (answer.value < 0) return;
  const auto made = static_cast<uint32_t>(answer.value);
  if (request.op == Op::kOpen) {
    files_.insert(made);
    if (!first_file_) first_file_ = made;
  }
  if (request.op == Op::kCreateCq) queues_.insert(made);
  const std::optional<Command> command = CommandIn(request);
  if (!command) return;
  if (command->number == RDMA_USER_CM_CMD_CREATE_ID)
    ids_[As<rdma_ucm_create_id_resp>(answer.bytes).id] = request.on;
  if (command->number == RDMA_USER_CM_CMD_DESTROY_ID) {
    destroyed_ = As<rdma_ucm_destroy_id>(command->body).id;
    just_ = fmt::format("destroyed id {}", *destroyed_);
  }
  if (command->number == RDMA_USER_CM_CMD_GET_EVENT) {
    const auto event = As<rdma_ucm_event_resp>(answer.bytes);
    if (static_cast<EventType>(event.event) == EventType::kConnectRequest)
      ids_[event.id] = request.on;
  }
}

std::vector<uint32_t> OpenResources::GivenUp(const Request& request, const Answer& answer) {
  if (answer.value < 0) return {};
  if (request.op == Op::kDestroyCq) queues_.erase(request.on);
  if (const std::optional<Command> command = CommandIn(request)) {
    if (command->number == RDMA_USER_CM_CMD_DESTROY_ID)
      ids_.erase(As<rdma_ucm_destroy_id>(command->body).id);
    const auto found = command->number == RDMA_USER_CM_CMD_MIGRATE_ID
                           ? ids_.find(As<rdma_ucm_migrate_id>(command->body).id)
                           : ids_.end();
    if (found != ids_.end()) found->second = request.on;
  }
  if (request.op != Op::kClose) return {};
  files_.erase(request.on);
  // Library initialization probes the kernel first, with an id and a file of its own.
  // source: rdma-core 44 cma.c ucma_set_af_ib_support
  if (first_file_ == request.on) destroyed_.reset();
  std::vector<uint32_t> lost;
  for (const auto& [id, file] : ids_)
    if (file == request.on) lost.push_back(id);
  for (const uint32_t id : lost) ids_.erase(id);
  return lost;
}

void OpenResources::Holds(uint64_t address, const HeldEvent& event) {
  held_[address] = event;
  acknowledged_.erase(address);
}

std::optional<uint32_t> OpenResources::Acknowledges(uint64_t event) {
  const auto found = held_.find(event);
  if (found != held_.end()) {
    just_ = fmt::format("acknowledged {}", ToString(static_cast<EventType>(found->second.type)));
    acknowledged_[event] = found->second.type;
    held_.erase(found);
    return std::nullopt;
  }
  const auto before = acknowledged_.find(event);
  if (before == acknowledged_.end()) return std::nullopt;
  return before->second;
}

std::string OpenResources::Open() const {
  std::string text;
  if (!files_.empty()) text = Counted(files_.size(), "event channel");
  if (!queues_.empty())
    text += (text.empty() ? "" : ", ") + Counted(queues_.size(), "completion queue");
  return text;
}

std::string OpenResources::BeforeCrash() const {
  if (!just_.empty())
    return fmt::format(
        ", right after it has {}: the library frees what is destroyed or acknowledged, and crashes "
        "when that is used again",
        just_);
  return destroyed_ ? fmt::format("; the last id that it has destroyed is {}", *destroyed_)
                    : std::string();
}

}  // namespace cm::app
