#include "sim/uapi/foresight.h"

#include <infiniband/verbs.h>
#include <rdma/ib_user_verbs.h>
#include <rdma/rdma_user_cm.h>

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <span>

#include "sim/uapi/bytes.h"
#include "sim/uapi/layout.h"

namespace cm::sim::uapi {
namespace {

constexpr size_t kMost = 12;  // steps
// Of the id in both commands, after the header.
constexpr size_t kIdAt = offsetof(rdma_ucm_query, id);
static_assert(kIdAt == offsetof(rdma_ucm_init_qp_attr, id));

bool MovesToUse(const Request& request) {
  if (request.op != Op::kModifyQp) return false;
  const auto record = As<ModifyRecord>(request.bytes);
  return (record.mask & IBV_QP_STATE) != 0 &&
         (record.state == IBV_QPS_INIT || record.state == IBV_QPS_RTR ||
          record.state == IBV_QPS_RTS);
}

// The id of a command that only reads; empty for others.
std::optional<uint32_t> IdRead(const Request& request) {
  const std::optional<Command> command = CommandIn(request);
  if (!command || (command->number != RDMA_USER_CM_CMD_QUERY &&
                   command->number != RDMA_USER_CM_CMD_INIT_QP_ATTR))
    return std::nullopt;
  return As<uint32_t>(command->body.subspan(std::min(kIdAt, command->body.size())));
}

Request About(const std::vector<uint8_t>& command, uint32_t file, uint32_t id) {
  Request request = {.op = Op::kWrite, .on = file, .bytes = command};
  const size_t at = sizeof(rdma_ucm_cmd_hdr) + kIdAt;
  if (at + sizeof id <= request.bytes.size())
    std::memcpy(request.bytes.data() + at, &id, sizeof id);
  return request;
}

// What the fake libibverbs sends where the program uses the attributes as they were returned.
Request MoveBy(const ib_uverbs_qp_attr& given, uint32_t qp) {
  const uint32_t mask = given.qp_attr_mask;
  ModifyRecord record = {.mask = mask, .state = given.qp_state};
  if ((mask & IBV_QP_DEST_QPN) != 0) record.peer_number = given.dest_qp_num;
  if ((mask & IBV_QP_PORT) != 0) record.port = given.port_num;
  if ((mask & IBV_QP_QKEY) != 0) record.qkey = given.qkey;
  if ((mask & IBV_QP_ACCESS_FLAGS) != 0) record.access = given.qp_access_flags;
  if ((mask & IBV_QP_RETRY_CNT) != 0) record.retry_count = given.retry_cnt;
  if ((mask & IBV_QP_RNR_RETRY) != 0) record.rnr_retry_count = given.rnr_retry;
  if ((mask & IBV_QP_MAX_QP_RD_ATOMIC) != 0) record.max_rd_atomic = given.max_rd_atomic;
  if ((mask & IBV_QP_MAX_DEST_RD_ATOMIC) != 0) record.max_dest_rd_atomic = given.max_dest_rd_atomic;
  if ((mask & IBV_QP_AV) != 0) {
    record.is_global = given.ah_attr.is_global;
    std::memcpy(record.peer_gid.data(), given.ah_attr.grh.dgid, record.peer_gid.size());
  }
  const std::span<const uint8_t> bytes = BytesOf(record);
  return {.op = Op::kModifyQp, .on = qp, .bytes = {bytes.begin(), bytes.end()}};
}

}  // namespace

std::optional<Foresight::Step> Foresight::StepOf(const Thread& thread, const Request& request) {
  if (MovesToUse(request)) return Step{.op = Op::kModifyQp};
  if (request.op == Op::kDestroyCq && thread.queues) {
    const auto found = std::ranges::find(*thread.queues, request.on);
    if (found == thread.queues->end()) return std::nullopt;
    return Step{.op = Op::kDestroyCq, .queue = static_cast<size_t>(found - thread.queues->begin())};
  }
  if (IdRead(request) != thread.id || request.on != thread.file) return std::nullopt;
  return Step{.op = Op::kWrite, .command = request.bytes};
}

bool Foresight::GoesOn(Process* process, Thread* thread, const Request& request) {
  std::optional<Step> step = StepOf(*thread, request);
  if (!step) return false;
  if (step->op == Op::kModifyQp) {
    thread->qp = request.on;
    process->qp_of[thread->id] = request.on;
  }
  if (thread->steps.size() < kMost) thread->steps.push_back(std::move(*step));
  return true;
}

bool Foresight::Begins(Process* process, Thread* thread, const Request& request,
                       const Answer& answer) {
  if (answer.value < 0) return false;
  thread->queues.reset();
  if (request.op == Op::kCreateQp) {
    const auto record = As<QpRecord>(request.bytes);
    thread->qp = static_cast<uint32_t>(answer.value);
    process->queues_of[*thread->qp] = {record.send_queue, record.receive_queue};
    return true;
  }
  if (request.op == Op::kDestroyQp) {
    const auto node = process->queues_of.extract(request.on);
    if (node.empty()) return false;
    thread->queues = node.mapped();
    return true;
  }
  const std::optional<Command> command = CommandIn(request);
  if (!command) return false;
  if (command->number == RDMA_USER_CM_CMD_DESTROY_ID)
    process->qp_of.erase(As<rdma_ucm_destroy_id>(command->body).id);
  if (command->number != RDMA_USER_CM_CMD_GET_EVENT) return false;
  const auto event = As<rdma_ucm_event_resp>(answer.bytes);
  thread->file = request.on;
  thread->id = event.id;
  thread->event = event.event;
  const auto qp = process->qp_of.find(event.id);
  thread->qp.reset();
  if (qp != process->qp_of.end()) thread->qp = qp->second;
  return true;
}

std::vector<Foreseen> Foresight::After(Asker asker, const Request& request, const Answer& answer) {
  if (request.op == Op::kSleep) return {};  // between any two
  Thread& thread = threads_[asker];
  Process& process = processes_[asker.process];
  if (thread.beginning && GoesOn(&process, &thread, request)) return {};
  if (thread.beginning) process.habits[*thread.beginning] = std::move(thread.steps);
  thread.beginning.reset();
  thread.steps.clear();
  if (!Begins(&process, &thread, request, answer)) return {};
  thread.beginning = {request.op, thread.event};
  const auto habit = process.habits.find(*thread.beginning);
  if (habit == process.habits.end() || habit->second.empty()) return {};
  const Steps& steps = habit->second;
  return machine_->Foresee(asker,
                           [&](const std::vector<Foreseen>& before) -> std::optional<Request> {
                             if (before.size() == steps.size()) return std::nullopt;
                             return RequestOf(thread, steps[before.size()], before);
                           });
}

std::optional<Request> Foresight::RequestOf(const Thread& thread, const Step& step,
                                            const std::vector<Foreseen>& before) {
  if (step.op == Op::kWrite) return About(step.command, thread.file, thread.id);
  if (step.op == Op::kDestroyCq) {
    if (!thread.queues) return std::nullopt;
    return Request{.op = Op::kDestroyCq, .on = (*thread.queues)[step.queue]};
  }
  if (before.empty() || !thread.qp) return std::nullopt;
  const std::vector<uint8_t>& returned = before.back().answer.bytes;
  if (returned.size() < sizeof(ib_uverbs_qp_attr)) return std::nullopt;
  return MoveBy(As<ib_uverbs_qp_attr>(returned), *thread.qp);
}

void Foresight::Forget(uint32_t process) {
  processes_.erase(process);
  std::erase_if(threads_, [process](const auto& one) { return one.first.process == process; });
}

}  // namespace cm::sim::uapi
