#include "conformance/runner/frames.h"

#include <algorithm>
#include <array>
#include <variant>

#include "conformance/runner/shown_numbers.h"
#include "model/capture/judge.h"
#include "model/mad/frame.h"

namespace cm {
namespace {

bool HasTester(const Conversation& conversation) {
  return std::ranges::any_of(conversation.lines, [](const Line& line) {
    return std::holds_alternative<line::Sends>(line);
  });
}

bool HasFrames(const History& history) {
  return std::ranges::any_of(history.wire,
                             [](const WireRecord& sent) { return !sent.frame.empty(); });
}

// The application has said that the path has gone to an alternate one, which there is not.
bool LosesPath(const Record& record, const Line& line) {
  const auto* calls = std::get_if<line::Calls>(&line);
  const auto* notify = calls == nullptr ? nullptr : std::get_if<call::Notify>(&calls->call);
  if (notify == nullptr || notify->what != call::Notify::kPathMig) return false;
  const auto* answered = std::get_if<seen::Answered>(&record.seen);
  return answered != nullptr && answered->reply.succeeded();
}

// Whether a call may fail before it has sent: where a fault takes an address, a link or a device
// away, or an id has lost its path.
bool MayFailToSend(const History& history) {
  constexpr auto kTakeAway = std::to_array(
      {FaultKind::kLinkDown, FaultKind::kFlap, FaultKind::kRemoveDevice, FaultKind::kFailOver});
  return std::ranges::any_of(history.records, [&](const Record& record) {
    const Line& line = history.conversation.lines[record.line];
    const auto* injects = std::get_if<line::Injects>(&line);
    if (injects == nullptr) return LosesPath(record, line);
    return std::ranges::find(kTakeAway, injects->fault.kind) != kTakeAway.end();
  });
}

}  // namespace

JudgedFrames JudgeFrames(const History& history, const Profile& profile) {
  JudgedFrames judged;
  if (HasTester(history.conversation) || !HasFrames(history)) return judged;
  ShownNumbers numbers(history);
  const bool tapped = std::ranges::any_of(history.wire, &WireRecord::tapped);
  wire::Judge judge(
      {.whole = !tapped,
       .strict = tapped,
       .unsent = MayFailToSend(history),
       .profiles = {&profile}},
      [&](const wire::Verdict& verdict) {
        if (verdict.violation)
          judged.violations.push_back({*verdict.violation, verdict.violation->number - 1});
      },
      [&](const wire::CapturedMessage& heard) { numbers.Hear(heard.number - 1, heard); });
  for (size_t i = 0; i < history.wire.size(); ++i) {
    const WireRecord& sent = history.wire[i];
    if (sent.frame.empty()) continue;
    ++judged.frames;
    for (int copies = sent.doubled ? 2 : 1; copies > 0; --copies) {
      judge.Take(i + 1, sent.at.nanoseconds(), sent.frame, sent.frame.size(),
                 mad::LinkType::kEthernet);
    }
  }
  judge.Finish();
  for (const wire::Violation& violation : numbers.Differences())
    judged.violations.push_back({violation, violation.number - 1});
  return judged;
}

}  // namespace cm
