// Many conversations, drawn, carried out and judged, one after the other or side by side.
#ifndef CONFORMANCE_RUNNER_CAMPAIGN_H_
#define CONFORMANCE_RUNNER_CAMPAIGN_H_

#include <atomic>
#include <cstdint>
#include <functional>
#include <set>
#include <string>
#include <vector>

#include "conformance/driver/driver.h"
#include "conformance/runner/verdict.h"
#include "conformance/walks/conversation_builder.h"
#include "model/conversation/conversation.h"
#include "model/conversation/history.h"

namespace cm {

struct CampaignOptions {
  DrawOptions draw;  // its index is not used
  uint64_t first = 0;
  uint64_t sequences = 1000;
  std::string property;             // the one claim that is judged; empty: all
  int jobs = 1;                     // more than one only where the implementation permits it
  std::set<uint64_t> done;          // sequences that an earlier run has judged
  std::vector<Conversation> given;  // these, by their number, and nothing is drawn; empty: drawn
};

// The conversation of that number, drawn or given.
Conversation ConversationOf(const CampaignOptions& options, uint64_t number);

// What its faults and the tester do, and of what it says that it needs all that its lines use, or
// that cannot be seen in them: whoever was shrunk says what he was drawn for. That races are none
// of what somebody has is no matter, they are judged as they come.
Capabilities WantedBy(const Conversation& conversation);
// Those that are wanted and not there.
Capabilities Lacking(Capabilities wanted, Capabilities there);

// Of what a conversation that was written down asks of its environment, in its head or with a
// fault, that which the implementation does not say that it can; empty when there is nothing.
std::string WhatIsMissing(const Implementation& implementation, const Conversation& conversation);

// Why nothing would be known by carrying it out in a session that was begun for it: the environment
// cannot, or a conversation that was written down wants more than the implementation has. Empty
// when it can be carried out.
std::string WhyUnsupported(const Implementation& implementation, const Session& session,
                           const Conversation& conversation);

// A conversation with what came of it.
struct Judged {
  SequenceResult result;
  History history;
};

// Carries the conversation out and judges it.
Judged JudgeOne(Implementation& implementation, const Conversation& conversation,
                std::string_view only);

// Hears of every sequence in the order of their numbers, whatever the number of jobs.
using OnJudged = std::function<void(const Judged&)>;

// False when `interrupted` became true before the last sequence; what was heard of by then is
// whole.
bool RunCampaign(Implementation& implementation, const CampaignOptions& options,
                 const OnJudged& on_judged, const std::atomic<bool>& interrupted);

}  // namespace cm

#endif  // CONFORMANCE_RUNNER_CAMPAIGN_H_
