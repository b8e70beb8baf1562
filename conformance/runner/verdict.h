// The verdict about one conversation on one implementation.
#ifndef CONFORMANCE_RUNNER_VERDICT_H_
#define CONFORMANCE_RUNNER_VERDICT_H_

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "model/catalogue/catalogue.h"
#include "model/conversation/history.h"
#include "model/vocabulary/profile.h"
#include "model/vocabulary/protocol.h"

namespace cm {

// A reply or an event that no row of the tables permits.
inline constexpr std::string_view kRowsId = "ROWS-1";
// Everything was destroyed, and an object is still in use.
inline constexpr std::string_view kLeakId = "LEAK-1";
// A frame that the protocol does not permit, or the profile's kernel does not send.
inline constexpr std::string_view kWireId = "WIRE-1";
// The kernel under the implementation has failed.
inline constexpr std::string_view kKernelId = "KERNEL-1";
// A kSometimes property that did not hold in any sequence of a campaign.
inline constexpr std::string_view kNeverId = "NEVER-1";
// A deviation that the profile declares did not show.
inline constexpr std::string_view kUnexpectedPassId = "MENDED-1";

// Claims that are no properties of one history: id and sentence, as `cmcheck list` prints them.
struct RunnerClaim {
  std::string_view id;
  std::string_view says;
};
inline constexpr auto kRunnerClaims = std::to_array<RunnerClaim>({
    {kRowsId, "Every answer and every event is permitted by a row of the tables."},
    {kLeakId, "Nothing is in use once every id and channel is destroyed."},
    {kWireId,
     "Every frame is permitted by a rule of the protocol, and sent as its profile sends it."},
    {kKernelId, "The kernel of a guest goes on, whatever is called."},
    {kNeverId, "What must happen in some sequence of a long campaign happens."},
    {kUnexpectedPassId, "A deviation that the profile declares shows where its premise arises."},
});

// Of no single conversation on an implementation: not for --property.
constexpr bool IsOfWholeCampaign(std::string_view claim) {
  return claim == kKernelId || claim == kNeverId || claim == kUnexpectedPassId;
}

// A violated claim. Data, reported, never thrown.
struct Finding {
  std::string id;     // of the claim
  std::string about;  // the call, event or message: "rdma_connect", "RDMA_CM_EVENT_REJECTED", "REQ"
  std::string rule;   // of the rows: the one whose observation is nearest to what was seen; of a
                      // frame: the one that it breaks
  std::string field;  // of the rows: what differs from it, and its value
  std::string value;
  std::string saw;
  std::string permitted;
  std::string source;  // rules with their sources, or the property's
  uint64_t index = 0;  // number of the sequence
  size_t record = 0;   // of its history
  int calls = 0;       // of the shortest conversation known to show it
  std::string where;   // the line of the conversation

  // The same for findings of one cause: claim, call or event, row, field and its value.
  std::string Cause() const;
  bool Same(const Finding& other) const { return Cause() == other.Cause(); }
};

enum class Verdict : uint8_t {
  kPassed,
  kFailed,
  kInconclusive,    // its session proves nothing, or not all that could explain it was followed
  kUnsupported,     // the environment cannot serve it, for a declared reason
  kKnownDeviation,  // it failed as the profile declares
};
std::string_view ToString(Verdict verdict);
std::optional<Verdict> ParseVerdict(std::string_view name);

struct SequenceResult {
  uint64_t index = 0;
  std::string walk;
  std::string topology;
  Verdict verdict = Verdict::kPassed;
  std::string reason;  // of inconclusive and unsupported
  std::vector<Finding> findings;
  uint64_t digest = 0;
  uint64_t wire_digest = 0;
  uint64_t calls = 0;
  uint64_t events = 0;
  uint64_t frames = 0;        // that were recorded and judged
  uint64_t observations = 0;  // that could be refused
  uint64_t sharp = 0;         // those for which an altered observation would be refused
  uint64_t largest_set = 0;
  bool followed_in_part = false;  // there was too much for the oracle to follow all, or it guessed
  model::RuleBits reached;
  model::RuleBits confirmed;
  std::array<uint32_t, kEventTypeCount> heard{};  // number of events by type
  std::vector<uint32_t> arose;                    // how often the premise of each property arose
};

// State that only the session knows.
struct Ending {
  std::string unsupported;        // reason why it was not carried out; empty if it was
  std::string inconclusive = {};  // reason why it proves nothing; empty if it proves something
  std::string leaks;              // what is still in use, in words
};

// Judges one history: rows, properties, leaks. `only`, if not empty, is the only claim judged.
SequenceResult Judge(const History& history, const Ending& ending, const Profile& profile,
                     std::string_view only = {});

// What objects to it: "rows refuse; properties EST-1, EV-2 object". Empty when nothing does.
std::string WhatObjects(const std::vector<Finding>& findings);

// True when the profile declares the deviation.
bool Declared(const Finding& finding, const Profile& profile);

}  // namespace cm

#endif  // CONFORMANCE_RUNNER_VERDICT_H_
