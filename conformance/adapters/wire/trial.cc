#include "conformance/adapters/wire/trial.h"

#include <algorithm>
#include <string>
#include <utility>

#include "conformance/adapters/wire/sim_peer.h"

namespace cm::live {
namespace {

constexpr uint32_t kIdsApart = 1 << 12;

bool Shows(const Tried& tried, const std::string& cause) {
  return std::ranges::any_of(tried.differences,
                             [&](const Difference& one) { return one.cause == cause; });
}

}  // namespace

Trial::Trial(TrialSettings settings) : settings_(std::move(settings)) {}

Course Trial::CarryOutOn(Door& door, const Conversation& conversation, const Ends& ends,
                         const Identity& identity, uint16_t service, const Course* expected) {
  TesterEnd tester(conversation, &settings_.profile, ends, identity, service);
  return CarryOut(conversation, door, tester, ends, settings_.pace, expected);
}

Tried Trial::Try(const Conversation& conversation) {
  Tried tried{.conversation = conversation, .expected = {}, .seen = {}, .differences = {}};
  Identity identity = settings_.first;
  identity.first_cid += number_ * kIdsApart;
  if (identity.guid != 0) identity.guid += number_;
  ++number_;
  Ends ends = settings_.ends;
  ends.peer_side = PeerSideOf(conversation);
  if (ends.peer.mac == mad::Mac{}) ends.peer.mac = SimulatedMac(ends);
  const Conversation* by_lines =
      settings_.with_driver && NeedsItsLines(conversation) ? &conversation : nullptr;
  // What a driver does stands on the port that its lines say.
  const uint16_t service = by_lines != nullptr ? kService : settings_.service;
  const std::unique_ptr<Door> simulated = MakeSimPeer(&settings_.profile, ends, by_lines);
  tried.expected = CarryOutOn(*simulated, conversation, ends, {.first_cid = identity.first_cid},
                              kService, nullptr);
  const std::unique_ptr<Door> door = settings_.open(ends, by_lines);
  if (door == nullptr) return tried;
  tried.seen = CarryOutOn(*door, conversation, ends, identity, service, &tried.expected);
  tried.differences = Differences(tried.expected, tried.seen, settings_.profile);
  return tried;
}

// Line by line from the end: what is there for another line is left with it.
Tried Trial::Shrink(Tried tried, int attempts_max, const std::atomic<bool>& interrupted) {
  if (tried.differences.empty()) return tried;
  const std::string cause = tried.differences.front().cause;
  for (size_t i = tried.conversation.lines.size(); i-- > 0;) {
    const Line& line = tried.conversation.lines[i];
    if (std::holds_alternative<line::Calls>(line)) continue;
    if (attempts_max-- <= 0 || interrupted) break;
    Conversation shorter = tried.conversation;
    shorter.lines.erase(shorter.lines.begin() + static_cast<ptrdiff_t>(i));
    Tried again = Try(shorter);
    if (Shows(again, cause)) tried = std::move(again);
  }
  return tried;
}

}  // namespace cm::live
