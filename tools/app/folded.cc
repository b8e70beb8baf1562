#include "tools/app/folded.h"

#include <infiniband/verbs.h>
#include <netinet/in.h>
#include <rdma/rdma_user_cm.h>

#include <cstdint>
#include <optional>
#include <utility>
#include <variant>

#include "model/vocabulary/protocol.h"
#include "sim/uapi/bytes.h"
#include "tools/app/command_calls.h"

namespace cm::app {
namespace {

using sim::uapi::As;
using sim::uapi::BytesOf;
using sim::uapi::Command;
using sim::uapi::Op;

// source: linux 6.1 include/rdma/ib.h AF_IB
constexpr uint16_t kFamilyOfInfiniband = 27;

bool BindsInfiniband(const Command& command) {
  return command.number == RDMA_USER_CM_CMD_BIND &&
         As<rdma_ucm_bind>(command.body).addr.ss_family == kFamilyOfInfiniband;
}

// The port is in one place for both families.
template <typename T>
uint16_t PortIn(const T& address) {
  return ntohs(As<sockaddr_in>(BytesOf(address)).sin_port);
}

class Folding {
 public:
  explicit Folding(const std::vector<Note>& notes) : notes_(notes) {}

  Folded Run() {
    for (size_t i = 0; i < notes_.size(); ++i) {
      if (const auto* answered = std::get_if<noted::Answered>(&notes_[i].what)) {
        Thread& thread = threads_[notes_[i].who];
        Looks(i, *answered, &thread);
        const auto command = CommandOf(notes_[i]);
        if (!command || command->number != RDMA_USER_CM_CMD_QUERY) thread.requests.push_back(i);
        if (command) Commands(i, *command, *answered, &thread);
        if (Readies(answered->request) && thread.readied) readied_[*thread.readied] = i;
      } else if (const auto* told = std::get_if<noted::Told>(&notes_[i].what)) {
        if (told->returned) Returns(i, told->type, &threads_[notes_[i].who]);
      }
    }
    std::erase_if(folded_.ports, [this](const auto& one) { return !named_.contains(one.second); });
    return std::move(folded_);
  }

 private:
  struct Thread {
    std::vector<size_t> requests;
    std::optional<size_t> fetched;    // an event that is not returned yet
    std::optional<uint32_t> readied;  // the id whose attributes it has asked for last
    std::optional<uint32_t> closes;   // the file of a look, which it closes next
    std::optional<size_t> bound;      // the bind after which it has asked nothing
  };

  // The look is five requests of one thread: a file, an id, its address, its end, the file's end.
  void Looks(size_t i, const noted::Answered& answered, Thread* thread) {
    if (answered.request.op == Op::kClose && thread->closes == answered.request.on) {
      folded_.probes.insert(i);
      thread->closes.reset();
    }
    const auto command = CommandOf(notes_[i]);
    constexpr size_t kBefore = 3;
    const std::vector<size_t>& before = thread->requests;
    if (!command || command->number != RDMA_USER_CM_CMD_DESTROY_ID || before.size() < kBefore)
      return;
    const size_t binds = before[before.size() - 1];
    const size_t creates = before[before.size() - 2];
    const size_t opens = before[before.size() - kBefore];
    const auto bind = CommandOf(notes_[binds]);
    const auto create = CommandOf(notes_[creates]);
    const auto& open = std::get<noted::Answered>(notes_[opens].what).request;
    if (!bind || !BindsInfiniband(*bind) || IdIn(*bind) != IdIn(*command)) return;
    if (!create || create->number != RDMA_USER_CM_CMD_CREATE_ID || open.op != Op::kOpen) return;
    folded_.probes.insert({opens, creates, binds, i});
    thread->closes = answered.request.on;
  }

  void Commands(size_t i, const Command& command, const noted::Answered& answered, Thread* thread) {
    if (answered.answer.value < 0) return;
    if (command.number == RDMA_USER_CM_CMD_GET_EVENT) thread->fetched = i;
    if (command.number == RDMA_USER_CM_CMD_BIND) thread->bound = i;
    if (command.number == RDMA_USER_CM_CMD_QUERY && thread->bound)
      Draws(*std::exchange(thread->bound, std::nullopt), answered.answer);
    if (command.number == RDMA_USER_CM_CMD_RESOLVE_ADDR)
      named_.insert(PortIn(As<rdma_ucm_resolve_addr>(command.body).dst_addr));
    if (command.number == RDMA_USER_CM_CMD_INIT_QP_ATTR) thread->readied = IdIn(command);
    if (command.number != RDMA_USER_CM_CMD_DESTROY_ID) return;
    if (const auto id = IdIn(command)) readied_.erase(*id);
  }

  void Draws(size_t bound, const sim::uapi::Answer& answer) {
    const auto bind = As<rdma_ucm_bind>(CommandOf(notes_[bound])->body);
    if (PortIn(bind.addr) == 0)
      folded_.ports[bound] = PortIn(As<rdma_ucm_query_addr_resp>(answer.bytes).src_addr);
  }

  void Returns(size_t i, uint32_t type, Thread* thread) {
    if (!thread->fetched) return;
    const size_t fetched = *thread->fetched;
    thread->fetched.reset();
    folded_.returned[fetched] = i;
    const auto& answer = std::get<noted::Answered>(notes_[fetched].what).answer;
    const auto own = readied_.find(As<rdma_ucm_event_resp>(answer.bytes).id);
    if (own != readied_.end() && type == static_cast<uint32_t>(EventType::kConnectResponse))
      folded_.own_queue_pairs.insert(own->second);
  }

  const std::vector<Note>& notes_;
  std::map<sim::uapi::Asker, Thread> threads_;
  std::set<uint16_t> named_;            // ports of destinations
  std::map<uint32_t, size_t> readied_;  // ids with queue pairs that are ready to be connected
  Folded folded_;
};

}  // namespace

std::optional<Command> CommandOf(const Note& note) {
  const auto* answered = std::get_if<noted::Answered>(&note.what);
  if (answered == nullptr) return std::nullopt;
  return sim::uapi::CommandIn(answered->request);
}

bool Readies(const sim::uapi::Request& request) {
  if (request.op != Op::kModifyQp) return false;
  const auto record = As<sim::uapi::ModifyRecord>(request.bytes);
  return (record.mask & IBV_QP_STATE) != 0 && record.state == IBV_QPS_INIT;
}

Folded Fold(const std::vector<Note>& notes) { return Folding(notes).Run(); }

}  // namespace cm::app
