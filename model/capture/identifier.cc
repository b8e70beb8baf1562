#include "model/capture/identifier.h"

#include <algorithm>
#include <array>
#include <bit>
#include <utility>
#include <vector>

namespace cm::wire {
namespace {

using model::IbAnswer;
using model::IbRule;
using model::IbState;
using model::IbStates;
using model::IbStimulus;
using model::Sends;
using model::rules::kIbCm;

// The message that an id retransmits until it is answered, by its state.
Sends OwnOf(IbState state) {
  using enum IbState;
  constexpr auto kOwn = std::to_array<std::pair<IbState, Sends>>({
      {kReqSent, Sends::kReq},
      {kMraReqRcvd, Sends::kReq},
      {kRepSent, Sends::kRep},
      {kMraRepRcvd, Sends::kRep},
      {kDreqSent, Sends::kDreq},
      {kSidrReqSent, Sends::kSidrReq},
  });
  const auto own = std::ranges::find(kOwn, state, &std::pair<IbState, Sends>::first);
  return own == kOwn.end() ? Sends::kNothing : own->second;
}

// Calls that end before their message was sent.
bool FailsToSend(IbStimulus on) {
  return on == IbStimulus::kUnsentEnd || on == IbStimulus::kUnsentRej ||
         on == IbStimulus::kSendFails;
}

// The rows by which an id does something in that state, in the order of the table.
const std::vector<const IbRule*>& RowsIn(IbState state) {
  static const auto rows = [] {
    std::array<std::vector<const IbRule*>, model::kIbStateCount> in;
    for (const IbRule& rule : kIbCm)
      for (int s = 0; s < model::kIbStateCount; ++s)
        if (rule.answer == IbAnswer::kDone && rule.from.Has(static_cast<IbState>(s)))
          in[s].push_back(&rule);
    return in;
  }();
  return rows[static_cast<size_t>(state)];
}

constexpr int kFirstMessage = static_cast<int>(IbStimulus::kReqAgain);
constexpr int kFirstTimer = static_cast<int>(IbStimulus::kRetry);

}  // namespace

Sends SentBy(const IbRule& rule) {
  if (rule.answer != IbAnswer::kDone) return Sends::kNothing;
  if (rule.sends == Sends::kRejWithoutId) return Sends::kRejOther;
  return rule.sends;
}

Identifier::Identifier(IbState state) {
  set_ = Bit(Index({state, kNone}));
  for (int i = 0; i < model::kIbStimulusCount; ++i)
    if (i < kFirstMessage || i >= kFirstTimer) in_[i] = kEveryState;
  in_[static_cast<size_t>(IbStimulus::kExhausted)] = {};
}

Identifier Identifier::Active() { return Identifier(IbState::kNone); }
Identifier Identifier::Asked() { return Identifier(IbState::kMraReqSent); }
Identifier Identifier::AskedSidr() { return Identifier(IbState::kSidrReqRcvd); }

Identifier Identifier::Unknown() {
  Identifier id(IbState::kNone);
  id.set_ = Bit(kPossibilities) - 1;
  id.in_.fill(kEveryState);
  return id;
}

void Identifier::MayHear(IbStimulus what, IbStates in) {
  IbStates& states = in_[static_cast<size_t>(what)];
  states = states | in;
}

void Identifier::MayLackMessages() {
  unseen_ = Unseen::kPermitted;
  in_.fill(kEveryState);
}

bool Identifier::Can(const IbRule& rule, Possibility at) const {
  if (rule.answer != IbAnswer::kDone || !rule.from.Has(at.state)) return false;
  if (FailsToSend(rule.on) && unseen_ == Unseen::kNothing && !may_fail_) return false;
  return in_[static_cast<size_t>(rule.on)].Has(at.state);
}

Identifier::Possibility Identifier::After(const IbRule& rule, Possibility before) const {
  Possibility after = before;
  if (rule.to != IbState::kSame) after.state = rule.to;
  const bool keeps = keeps_reply_ && rule.on == IbStimulus::kDreq;
  if (rule.abandons || (keeps && before.state == IbState::kMraRepRcvd)) {
    const Sends own = OwnOf(before.state);
    if (own == Sends::kReq) after.left = kReq;
    if (own == Sends::kRep) after.left = kRep;
  }
  return after;
}

void Identifier::Settle(Unseen unseen) {
  // Few of the possibilities are in the set: each is followed once.
  for (Set followed = 0; (set_ & ~followed) != 0;) {
    const auto i = static_cast<size_t>(std::countr_zero(set_ & ~followed));
    followed |= Bit(i);
    for (const IbRule* rule : RowsIn(At(i).state)) {
      if (!Can(*rule, At(i))) continue;
      // An RTU that cannot leave is sent all the same for its sender, and not again. source:
      // linux 6.1 cm.c ib_send_cm_rtu
      const bool fails = may_fail_ && SentBy(*rule) == Sends::kRtu;
      if (SentBy(*rule) != Sends::kNothing && unseen == Unseen::kNothing && !fails) continue;
      set_ |= Bit(Index(After(*rule, At(i))));
    }
  }
}

bool Identifier::Shows(const IbRule& rule, Possibility at, const Saying& saying) {
  if (SentBy(rule) == Sends::kAgain) {
    if (!saying.again) return false;
    return OwnOf(at.state) == saying.what || (at.left == kReq && saying.what == Sends::kReq) ||
           (at.left == kRep && saying.what == Sends::kRep);
  }
  if (SentBy(rule) != saying.what) return false;
  if (saying.what == Sends::kRejRep && (rule.on == IbStimulus::kRepStale) != saying.stale)
    return false;
  // Of the messages that are retransmitted until answered, a row of its own sends only the first.
  const bool repeats = saying.what == Sends::kReq || saying.what == Sends::kRep ||
                       saying.what == Sends::kDreq || saying.what == Sends::kSidrReq;
  return saying.fresh || !repeats;
}

bool Identifier::Says(const Saying& saying) {
  Settle(unseen_);
  Set after = 0;
  for (Set left = set_; left != 0; left &= left - 1) {
    const auto i = static_cast<size_t>(std::countr_zero(left));
    for (const IbRule* rule : RowsIn(At(i).state))
      if (Can(*rule, At(i)) && Shows(*rule, At(i), saying))
        after |= Bit(Index(After(*rule, At(i))));
  }
  if (after == 0) return false;
  set_ = after;
  return true;
}

bool Identifier::MayBe(IbStates states) {
  Settle(unseen_);
  for (Set left = set_; left != 0; left &= left - 1)
    if (states.Has(At(static_cast<size_t>(std::countr_zero(left))).state)) return true;
  return false;
}

std::vector<const IbRule*> Identifier::MaySay() {
  Settle(unseen_);
  std::vector<const IbRule*> rows;
  for (const IbRule& rule : kIbCm) {
    if (SentBy(rule) == Sends::kNothing) continue;
    for (size_t i = 0; i < kPossibilities; ++i) {
      if ((set_ & Bit(i)) == 0 || !Can(rule, At(i))) continue;
      rows.push_back(&rule);
      break;
    }
  }
  return rows;
}

}  // namespace cm::wire
