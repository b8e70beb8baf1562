#include "conformance/runner/frames.h"

#include <algorithm>
#include <array>
#include <variant>

#include "model/capture/judge.h"
#include "model/mad/frame.h"

namespace cm {
namespace {

bool HasTester(const Conversation& conversation) {
  return std::ranges::any_of(conversation.lines, [](const Line& line) {
    return std::holds_alternative<line::Sends>(line);
  });
}

// Whether a call may fail before it has sent: where a fault takes an address, a link or a device
// away, or the application says that the path has gone to an alternate one that there is not.
bool MayFailToSend(const Conversation& conversation) {
  constexpr auto kTakeAway = std::to_array(
      {FaultKind::kLinkDown, FaultKind::kFlap, FaultKind::kRemoveDevice, FaultKind::kFailOver});
  return std::ranges::any_of(conversation.lines, [&](const Line& line) {
    if (const auto* calls = std::get_if<line::Calls>(&line)) {
      const auto* notify = std::get_if<call::Notify>(&calls->call);
      return notify != nullptr && notify->what == call::Notify::kPathMig;
    }
    const auto* injects = std::get_if<line::Injects>(&line);
    return injects != nullptr &&
           std::ranges::find(kTakeAway, injects->fault.kind) != kTakeAway.end();
  });
}

}  // namespace

JudgedFrames JudgeFrames(const History& history, const Profile& profile) {
  JudgedFrames judged;
  if (HasTester(history.conversation)) return judged;
  wire::Judge judge(
      {.whole = true, .unsent = MayFailToSend(history.conversation), .profiles = {&profile}},
      [&](const wire::Verdict& verdict) {
        if (verdict.violation)
          judged.violations.push_back({*verdict.violation, verdict.violation->number - 1});
      });
  for (size_t i = 0; i < history.wire.size(); ++i) {
    const WireRecord& sent = history.wire[i];
    if (sent.frame.empty()) continue;
    for (int copies = sent.doubled ? 2 : 1; copies > 0; --copies) {
      ++judged.frames;
      judge.Take(i + 1, sent.at.nanoseconds(), sent.frame, sent.frame.size(),
                 mad::LinkType::kEthernet);
    }
  }
  judge.Finish();
  return judged;
}

}  // namespace cm
