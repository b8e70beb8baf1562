// Many conversations, drawn, carried out and judged, one after the other or concurrently.
#ifndef CONFORMANCE_RUNNER_CAMPAIGN_H_
#define CONFORMANCE_RUNNER_CAMPAIGN_H_

#include <atomic>
#include <cstdint>
#include <functional>
#include <set>
#include <string>
#include <vector>

#include "conformance/driver/implementation.h"
#include "conformance/runner/verdict.h"
#include "conformance/walks/draw_options.h"
#include "model/conversation/conversation.h"
#include "model/conversation/history.h"

namespace cm {

struct CampaignOptions {
  DrawOptions draw;  // its index is not used
  uint64_t first = 0;
  uint64_t sequences = 1000;
  std::string property;             // the only property judged; empty: all
  int jobs = 1;                     // more than one only where the implementation permits it
  std::set<uint64_t> done;          // sequences judged by an earlier run
  std::vector<Conversation> given;  // these instead of drawn ones; empty: drawn
};

// Lets only such conversations be drawn as the implementation, which must outlive the options, does
// not lack anything for. Called for several, all of them can carry out what is drawn.
void DrawOnlyFor(const Implementation& implementation, DrawOptions* draw);

// The conversation of that number, drawn or given.
Conversation ConversationOf(const CampaignOptions& options, uint64_t number);

// Capabilities the conversation really uses: those of its fault and tester lines, plus each
// declared one that some line uses or that no line can reveal. `races` is ignored.
Capabilities WantedBy(const Conversation& conversation);
// Wanted capabilities that are missing.
Capabilities Lacking(Capabilities wanted, Capabilities there);

// The capabilities of a written conversation, declared or used by a fault, that the implementation
// lacks; empty when there are none.
std::string WhatIsMissing(const Implementation& implementation, const Conversation& conversation);

// The reason why a session would prove nothing: the environment cannot carry it out, or a written
// conversation needs more than the implementation has. Empty when it can be carried out.
std::string WhyUnsupported(const Implementation& implementation, const Session& session,
                           const Conversation& conversation);

// A conversation with its result.
struct SequenceRun {
  SequenceResult result;
  History history;
};

// Carries the conversation out and judges it.
SequenceRun RunOne(Implementation& implementation, const Conversation& conversation,
                   std::string_view only);

// Called for every sequence in the order of their numbers, whatever the number of jobs.
using OnSequence = std::function<void(const SequenceRun&)>;

// False when `interrupted` became true before the last sequence, or the implementation is spoiled;
// sequences that were reported are complete. One that came to nothing while `interrupted` was true,
// and spoiled the implementation, is not reported: a wait for its answers was cut short.
bool RunCampaign(Implementation& implementation, const CampaignOptions& options,
                 const OnSequence& on_sequence, const std::atomic<bool>& interrupted);

}  // namespace cm

#endif  // CONFORMANCE_RUNNER_CAMPAIGN_H_
