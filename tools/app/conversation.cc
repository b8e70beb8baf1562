#include "tools/app/conversation.h"

#include <fmt/format.h>
#include <rdma/rdma_user_cm.h>

#include <algorithm>
#include <cerrno>
#include <variant>

#include "model/conversation/print.h"
#include "sim/uapi/bytes.h"
#include "sim/uapi/words.h"
#include "tools/app/command_calls.h"
#include "tools/app/conversing.h"

namespace cm::app {

using sim::uapi::Answer;
using sim::uapi::As;
using sim::uapi::Command;
using sim::uapi::Op;
using sim::uapi::Request;

Conversing::Conversing(const Recorder& recorder, const TopologyRef& topology)
    : recorder_(recorder),
      notes_(recorder.notes()),
      topology_(*topology),
      folded_(Fold(notes_)),
      log_(topology),
      left_out_(recorder.others()) {
  for (size_t i = 0; i < notes_.size(); ++i)
    if (std::holds_alternative<noted::Answered>(notes_[i].what)) last_[notes_[i].side] = i;
}

History Conversing::Run(std::string comment) {
  for (at_ = 0; at_ < notes_.size(); ++at_) {
    if (NeedsALaneTooMany()) {
      comment_ = fmt::format("left out: all from {} on: a side has at most {} lanes\n",
                             ToString(note().at), kMostLanes);
      break;
    }
    std::visit([this](const auto& what) { On(what); }, notes_[at_].what);
  }
  if (recorder_.full() && comment_.empty())
    comment_ =
        fmt::format("left out: all from {} on: there is too much\n", ToString(*recorder_.full()));
  History history = log_.Take();
  history.implementation = "app";
  std::vector<uint64_t>& order = history.conversation.order;
  order = recorder_.order();
  // Past its end each is 0. Without any number timers would come as they were scheduled.
  while (order.size() > 1 && order.back() == 0) order.pop_back();
  history.conversation.comment = std::move(comment) + Lanes() + LeftOut() + comment_;
  return history;
}

bool Conversing::NeedsALaneTooMany() const {
  const auto lanes = lanes_.find(note().side);
  return lanes != lanes_.end() && lanes->second == kMostLanes && !threads_.contains(note().who);
}

// Lanes are numbered by the first request of a thread.
Conversing::Thread& Conversing::Self() {
  const auto [found, is_new] = threads_.try_emplace(note().who);
  Thread& thread = found->second;
  if (!is_new && thread.lane.number != 0) return thread;
  const uint32_t number = ++lanes_[note().side];
  thread.lane = {.side = note().side, .number = static_cast<uint8_t>(number)};
  return thread;
}

uint32_t Conversing::Say(const Call& call, const Reply& reply, std::optional<CmEvent> event) {
  log_.PassUntil(note().at);
  return log_.Say(Self().lane, call, reply, std::move(event));
}

void Conversing::LeaveOut(const Request& request) {
  const std::string words = InWords(request);
  LeaveOut(words.substr(0, words.find(' ')));
}

Conversing::Id* Conversing::Live(std::optional<uint32_t> number) {
  const auto found = number ? ids_.find(*number) : ids_.end();
  return found == ids_.end() ? nullptr : &found->second;
}

Conversing::Id* Conversing::ListenerOf(uint32_t file, uint64_t uid) {
  const auto found = std::ranges::find_if(
      ids_, [&](const auto& one) { return one.second.file == file && one.second.uid == uid; });
  return found == ids_.end() ? nullptr : &found->second;
}

void Conversing::Forget(uint32_t number) {
  gone_[number] = ids_.at(number).name;
  ids_.erase(number);
}

void Conversing::Close(uint32_t file) {
  files_.erase(file);
  for (auto id = ids_.begin(); id != ids_.end();) {
    const auto one = id++;
    if (one->second.file == file) Forget(one->first);
  }
}

// Its process has ended, or its host has.
void Conversing::CloseAllOf(uint8_t side) {
  for (const auto& [who, thread] : threads_)
    if (thread.lane.side == side)
      for (auto file = files_.begin(); file != files_.end();) {
        const auto one = file++;
        if (one->second.process == who.process) Close(one->first);
      }
  std::erase_if(blocked_, [side](const Blocked& one) { return one.side == side; });
  exited_.insert(side);
}

// The program has an event that counts for the id, or for the membership.
bool Conversing::Counts(IdRef id, std::optional<uint32_t> membership) const {
  return std::ranges::any_of(held_, [&](const auto& one) {
    return membership ? one.second.membership == membership : one.second.counts_for == id;
  });
}

void Conversing::SayBlocking(const Call& call, IdRef id, std::optional<uint32_t> membership) {
  if (Counts(id, membership)) AcknowledgeInside(id);
  if (!Counts(id, membership)) {
    Say(call, Reply::Returned());
    return;
  }
  const uint32_t line = Say(call, Reply::Blocked());
  blocked_.push_back({.line = line, .side = note().side, .id = id, .membership = membership});
}

void Conversing::On(const noted::Answered& answered) {
  const Request& request = answered.request;
  if (folded_.probes.contains(at_)) return;
  if (exited_.contains(note().side)) return LeaveOut(request);
  const bool failed = answered.answer.value < 0;
  const auto made = static_cast<uint32_t>(answered.answer.value);
  if (const auto command = CommandIn(request)) return Commands(*command, answered);
  if (request.op == Op::kOpen && !failed) {
    const ChannelRef name = log_.NewChannel(made);
    files_[made] = {.name = name, .process = note().who.process};
    Say(call::CreateEventChannel{.channel = name}, Reply::Returned());
  } else if (request.op == Op::kClose && files_.contains(request.on)) {
    Say(call::DestroyEventChannel{.channel = files_[request.on].name}, Reply::Returned());
    Close(request.on);
  } else if (request.op == Op::kCreateQp && !failed) {
    Self().made = made;
    const auto record = As<sim::uapi::QpRecord>(request.bytes);
    queue_pairs_[made] = {.type = static_cast<QpType>(record.type),
                          .shares = record.srq != sim::uapi::QpRecord().srq};
  } else if (Readies(request)) {
    Readied(answered);
  } else if (request.op == Op::kDestroyQp) {
    Destroys(request.on);
  } else if (request.op != Op::kModifyQp) {
    LeaveOut(request);
  }
}

void Conversing::Commands(const Command& command, const noted::Answered& answered) {
  switch (command.number) {
    case RDMA_USER_CM_CMD_CREATE_ID:
      return Creates(command, answered);
    case RDMA_USER_CM_CMD_GET_EVENT:
      return Fetches(answered);
    case RDMA_USER_CM_CMD_LEAVE_MCAST:
      return Leaves(command, answered);
    case RDMA_USER_CM_CMD_MIGRATE_ID:
      return Migrates(command, answered);
    case RDMA_USER_CM_CMD_INIT_QP_ATTR:
      return Looks(command, answered.answer);
    case RDMA_USER_CM_CMD_QUERY:
      return;
    default:
      return Calls(command, answered);
  }
}

void Conversing::Creates(const Command& command, const noted::Answered& answered) {
  const auto file = files_.find(answered.request.on);
  if (file == files_.end() || answered.answer.value < 0) return LeaveOut(answered.request);
  const auto cmd = As<rdma_ucm_create_id>(command.body);
  const uint32_t number = As<rdma_ucm_create_id_resp>(answered.answer.bytes).id;
  const Id id{.name = log_.NewId(number),
              .file = file->first,
              .uid = cmd.uid,
              .space = static_cast<PortSpace>(cmd.ps)};
  ids_[number] = id;
  gone_.erase(number);
  Say(call::CreateId{.id = id.name, .channel = file->second.name, .space = id.space},
      Reply::Returned());
}

void Conversing::Calls(const Command& command, const noted::Answered& answered) {
  Thread& self = Self();
  if (Establishes(command) && self.response)
    return SayFetched(*std::exchange(self.response, std::nullopt));
  const std::optional<uint32_t> number = IdIn(command);
  const Id* const id = Live(number);
  const Answer& answer = answered.answer;
  if (id == nullptr) {
    const auto gone = number ? gone_.find(*number) : gone_.end();
    const auto misused = gone == gone_.end() || answer.value != -ENOENT
                             ? std::nullopt
                             : CallOf(command, gone->second, true, topology_);
    if (!misused) return LeaveOut(answered.request);
    Say(*misused, ReplyOf(answer));
    return;
  }
  std::optional<Call> call = CallOf(command, id->name, id->has_qp, topology_);
  if (call) NameDrawnPort(&*call);
  if (!call) {
    LeaveOut(fmt::format("{}, and all that follows of {}", InWords(answered.request),
                         log_.NameOf(id->name)));
    if (answer.value >= 0) ids_.erase(*number);
  } else if (std::holds_alternative<call::DestroyId>(*call) && answer.value >= 0) {
    SayBlocking(*call, id->name, std::nullopt);
    Forget(*number);
  } else {
    Say(*call, ReplyOf(answer));
    if (answer.value < 0) return;
    const auto join = [&](const Address& group) {
      memberships_[As<rdma_ucm_create_id_resp>(answer.bytes).id] = {id->name, group};
    };
    if (const auto* joins = std::get_if<call::JoinMulticast>(&*call)) join(joins->address);
    if (const auto* joins = std::get_if<call::JoinMulticastEx>(&*call)) join(joins->address);
  }
}

// Another program names the port, which it has learned by other means than a conversation has.
void Conversing::NameDrawnPort(Call* call) {
  const auto port = folded_.ports.find(at_);
  auto* const bind = std::get_if<call::BindAddr>(call);
  if (port == folded_.ports.end() || bind == nullptr) return;
  bind->address.port = port->second;
  LeaveOut(fmt::format("that {} was bound to port 0, for which the kernel has drawn {}",
                       log_.NameOf(bind->id), port->second));
}

void Conversing::Leaves(const Command& command, const noted::Answered& answered) {
  const auto found = memberships_.find(*IdIn(command));
  if (found == memberships_.end()) return LeaveOut(answered.request);
  const auto [id, group] = found->second;
  const call::LeaveMulticast call{.id = id, .address = group};
  if (answered.answer.value < 0) {
    Say(call, ReplyOf(answered.answer));
    return;
  }
  SayBlocking(call, id, found->first);
  memberships_.erase(found);
}

void Conversing::Migrates(const Command& command, const noted::Answered& answered) {
  Id* const id = Live(IdIn(command));
  const auto file = files_.find(answered.request.on);  // the new one
  if (id == nullptr || file == files_.end()) return LeaveOut(answered.request);
  const call::MigrateId call{.id = id->name, .channel = file->second.name};
  if (answered.answer.value < 0) {
    Say(call, ReplyOf(answered.answer));
    return;
  }
  SayBlocking(call, id->name, std::nullopt);
  id->file = file->first;
}

// rdma_create_qp asks for the attributes of the queue pair that it has made, and sets them.
void Conversing::Looks(const Command& command, const Answer& answer) {
  Thread& self = Self();
  self.readied = IdIn(command);
  const Id* const id = Live(self.readied);
  const bool creates = id != nullptr && answer.value < 0 && self.made;
  if (creates) Say(call::CreateQp{.id = id->name}, ReplyOf(answer));
  if (answer.value < 0) self.made.reset();
}

void Conversing::Readied(const noted::Answered& answered) {
  Thread& self = Self();
  const uint32_t qp = answered.request.on;
  Id* const id = Live(self.readied);
  if (ids_of_qps_.contains(qp) || id == nullptr || id->has_qp) return;
  self.made.reset();
  if (folded_.own_queue_pairs.contains(at_)) return LeaveOut("ibv_create_qp of the program's own");
  const auto [type, shares] = queue_pairs_[qp];
  if (type != QpType::kRc && type != QpType::kUc && type != QpType::kUd)
    return LeaveOut("ibv_create_qp of XRC");
  const QpType usual = IsDatagram(id->space) ? QpType::kUd : QpType::kRc;
  const call::CreateQp call{.id = id->name,
                            .type = type == usual ? std::nullopt : std::optional(type)};
  SayShares(id, shares);
  Say(call, ReplyOf(answered.answer));
  if (answered.answer.value < 0) return;
  id->has_qp = true;
  ids_of_qps_[qp] = *self.readied;
}

// A shared receive queue is one of an id there, and a reply says whether its sender has one.
void Conversing::SayShares(Id* id, bool shares) {
  if (id->has_srq == shares) return;
  id->has_srq = shares;
  if (shares)
    Say(call::CreateSrq{.id = id->name}, Reply::Returned());
  else
    Say(call::DestroySrq{.id = id->name}, Reply::Returned());
}

// Programs may destroy the queue pair of an id themselves, and after the id.
void Conversing::Destroys(uint32_t qp) {
  const auto found = ids_of_qps_.find(qp);
  if (found == ids_of_qps_.end()) return;
  Id* const id = Live(found->second);
  ids_of_qps_.erase(found);
  if (id == nullptr || !id->has_qp) return LeaveOut("ibv_destroy_qp after the id");
  Say(call::DestroyQp{.id = id->name}, Reply::Returned());
  id->has_qp = false;
}

std::string Conversing::Lanes() const {
  std::string text;
  for (const auto& [who, thread] : threads_) {
    if (thread.lane.number < 2) continue;
    const auto name = recorder_.names().find(who.process);
    text += fmt::format(
        "{}{} is a thread of {}", text.empty() ? "" : ", ", cm::ToString(thread.lane, topology_),
        name == recorder_.names().end() ? topology_.sides[thread.lane.side].name : name->second);
  }
  return text.empty() ? text : text + "\n";
}

// The library itself gives back the event of an id without a channel of the program's, once the
// kernel has destroyed or moved the id. A thread that waits for others does nothing else before.
void Conversing::AcknowledgeInside(IdRef id) {
  for (size_t next = at_ + 1; next < notes_.size(); ++next) {
    if (notes_[next].who != note().who) continue;
    const auto* told = std::get_if<noted::Told>(&notes_[next].what);
    const auto held = told == nullptr || told->returned
                          ? held_.end()
                          : held_.find({note().who.process, told->event});
    if (held == held_.end() || held->second.counts_for != id) return;
    acknowledged_.insert(next);
    Acknowledges(told->event);
  }
}

// Names of functions in one line; what says more has a line of its own.
std::string Conversing::LeftOut() const {
  std::string functions;
  std::string others;
  for (const auto& [what, count] : left_out_) {
    const std::string text = count == 1 ? what : fmt::format("{} ({})", what, count);
    if (what.find(' ') == std::string::npos)
      functions += (functions.empty() ? "left out: " : ", ") + text;
    else
      others += "left out: " + text + "\n";
  }
  return (functions.empty() ? functions : functions + "\n") + others;
}

History ConversationOf(const Recorder& recorder, const Heading& heading) {
  History history = Conversing(recorder, heading.topology).Run(heading.comment);
  history.conversation.profile = heading.profile;
  return history;
}

}  // namespace cm::app
