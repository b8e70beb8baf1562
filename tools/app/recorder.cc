#include "tools/app/recorder.h"

#include <rdma/rdma_user_cm.h>

#include <algorithm>
#include <cerrno>
#include <initializer_list>

#include "sim/uapi/layout.h"
#include "sim/uapi/words.h"

namespace cm::app {
namespace {

using sim::uapi::Answer;
using sim::uapi::Op;
using sim::uapi::Request;

// Of connections and of what belongs to them; work on queues, regions and devices is not.
bool IsNoted(const Request& request) {
  return IsOneOf(request.op, Op::kOpen, Op::kClose, Op::kWrite, Op::kCreateQp, Op::kModifyQp,
                 Op::kDestroyQp);
}

bool IsCommand(const Request& request, std::initializer_list<uint32_t> numbers) {
  const auto command = sim::uapi::CommandIn(request);
  return command && std::ranges::count(numbers, command->number) != 0;
}

}  // namespace

void Recorder::Add(Note note) {
  if (!full_ && notes_.size() == kMost) full_ = note.at;
  if (!full_) notes_.push_back(std::move(note));
}

void Recorder::Answered(Instant at, uint8_t side, sim::uapi::Asker who, const Request& request,
                        const Answer& answer) {
  if (NothingNew(request, answer) || answer.value == -EINTR) return;
  // What a look sees is in no line, but for the port of an id that was just bound.
  const bool looks = IsCommand(request, {RDMA_USER_CM_CMD_QUERY, RDMA_USER_CM_CMD_QUERY_ROUTE});
  if (looks && !bound_.contains(who)) return;
  if (looks || request.op == Op::kWrite) bound_.erase(who);
  if (IsCommand(request, {RDMA_USER_CM_CMD_BIND, RDMA_USER_CM_CMD_BIND_IP})) bound_.insert(who);
  if (IsNoted(request)) {
    Add({.at = at, .side = side, .who = who, .what = noted::Answered{request, answer}});
    if (watch_) watch_();
    return;
  }
  if (request.op == Op::kSleep) return;
  const std::string words = InWords(request, answer);
  if (!words.empty()) ++others_[words.substr(0, words.find(' '))];
}

void Recorder::Told(Instant at, uint8_t side, sim::uapi::Asker who, const Request& request) {
  Add({.at = at,
       .side = side,
       .who = who,
       .what = noted::Told{request.op == Op::kHold, request.on, request.more}});
}

void Recorder::Ended(Instant at, uint8_t side, uint32_t process) {
  Add({.at = at, .side = side, .who = {.process = process}, .what = noted::Ended{}});
}

void Recorder::Waits(Instant at, uint8_t side, sim::uapi::Asker who, const Request& request) {
  const auto command = sim::uapi::CommandIn(request);
  if (command && command->number == RDMA_USER_CM_CMD_GET_EVENT)
    Add({.at = at, .side = side, .who = who, .what = noted::Waits{request.on}});
}

void Recorder::Injected(Instant at, std::optional<Fault> fault) {
  Add({.at = at, .what = noted::Injected{std::move(fault)}});
}

void Recorder::IsFirst(uint64_t event) {
  if (!full_ && order_.size() == kMostInOrder)
    full_ = notes_.empty() ? Instant() : notes_.back().at;
  if (!full_) order_.push_back(event);
}

// Messages of data are none of the conversation's.
void Recorder::Sent(const sim::WireNote& message) {
  if (message.data == nullptr) Add({.at = message.at, .what = noted::Sent{message}});
}

}  // namespace cm::app
