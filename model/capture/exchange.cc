#include "model/capture/exchange.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>
#include <variant>

#include "model/capture/claims.h"
#include "model/capture/special_rules.h"
#include "model/capture/timing.h"
#include "model/mad/constraints.h"
#include "model/mad/text.h"

namespace cm::wire {
namespace {

using model::IbRule;
using model::IbState;
using model::IbStates;
using model::IbStimulus;
using model::Sends;

constexpr IbStates kRequesting = model::rules::ib::kRequesting;
constexpr IbStates kReplying = model::rules::ib::kReplying;
// States of an id that the passive side no longer knows, or that does not prevent a new one.
constexpr IbStates kOver = IbStates(IbState::kNone) | IbState::kIdle | IbState::kTimewait;
// More distinct messages and passive ids than any connection has; further ones are not stored.
constexpr size_t kSpokenMost = 64;
constexpr size_t kRunsMost = 64;
constexpr size_t kPassivesMost = 64;

// The message as the table names it; kNothing for LAP and APR, which no rule sends.
Sends SendsOf(const mad::Message& message) {
  if (const auto* rej = std::get_if<mad::Rej>(&message)) {
    if (rej->reason == RejReason::kTimeout) return Sends::kRejTimeout;
    if (rej->message_rejected == mad::About::kReq) return Sends::kRejReq;
    return rej->message_rejected == mad::About::kRep ? Sends::kRejRep : Sends::kRejOther;
  }
  if (const auto* answer = std::get_if<mad::SidrRep>(&message))
    return answer->status == 0 ? Sends::kSidrRep : Sends::kSidrRefusal;
  const MadKind kind = mad::KindOf(message);
  if (RowOf(kind).of == MadClass::kPath) return Sends::kNothing;
  return model::OnlySendsOf(kind).value_or(Sends::kNothing);
}

// Messages that are retransmitted until they are answered.
bool IsRepeated(MadKind what) {
  return what == MadKind::kReq || what == MadKind::kRep || what == MadKind::kDreq ||
         what == MadKind::kSidrReq;
}

// One sixteenth less, because messages take different times to the point of capture.
int64_t Earliest(const Interval& interval) {
  const int64_t shortest = interval.shortest.nanoseconds();
  return shortest - shortest / 16;
}

std::string Milliseconds(int64_t nanoseconds) {
  return fmt::format("{}.{:03} s", nanoseconds / 1'000'000'000, nanoseconds / 1'000'000 % 1000);
}

// Whether one of the senders does; any Linux where none are named.
bool MayKeepReplies(const ProfileSet& named) {
  const auto keeps = [](const Profile* profile) {
    return profile->dialect.delayed_reply_outlives_dreq;
  };
  return named.empty() ? std::ranges::any_of(SoftRoce(), keeps) : std::ranges::any_of(named, keeps);
}

}  // namespace

Exchange::Exchange(const JudgeOptions& manner, const mad::Gid& from, const mad::Gid& to,
                   uint32_t active_cid, bool begins_before, bool datagrams)
    : missing_(manner.missing),
      unsent_(manner.unsent),
      keeps_reply_(MayKeepReplies(manner.profiles)),
      from_(from),
      to_(to),
      active_cid_(active_cid),
      begins_before_(begins_before),
      datagrams_(datagrams),
      active_(begins_before ? Identifier::Unknown() : Identifier::Active()) {
  if (missing_) active_.MayLackMessages();
  if (unsent_) active_.MayFailToSend();
}

std::optional<Violation> Exchange::Take(const CapturedMessage& sighting, bool active,
                                        const SenderFingerprint& sender) {
  last_ = sighting.nanoseconds;
  const uint32_t partner = CidsOf(sighting.mad().message).remote;
  if (active && passives_.empty() && partner != 0 && (begins_before_ || missing_))
    Add({.cid = partner, .id = Identifier::Unknown()});
  Spoken* earlier = Earlier(sighting, active);
  if (earlier == nullptr) {
    if (auto differs = Differs(sighting, active)) return differs;
  } else if (IsTheSamePacket(sighting, active, *earlier, sender)) {
    TakeCopy(sighting, active);
    return std::nullopt;
  }
  // The MAD does not contain all of a retransmission's frame.
  const FrameFields fields(sighting.frame);
  if (auto breach = FirstBreach(sighting, fields, active, spoken_, !judged(), mad::Constraints()))
    return breach;
  if (auto breach = FirstBreach(sighting, fields, active, spoken_, false, sender.filled()))
    return breach;
  if (earlier == nullptr) {
    if (auto odd = FirstBrokenRule(sighting, active, spoken_, sender)) return odd;
  }
  const bool again = earlier != nullptr;
  if (auto out_of_order = Sequenced(sighting, active, again, sender)) return out_of_order;
  if (auto too_many = Counted(sighting, active, again ? earlier->times + 1 : 1, sender))
    return too_many;
  if (again) {
    if (auto badly_timed = Timed(sighting, active, earlier->last, sender)) return badly_timed;
  }
  Remember(sighting, active, earlier);
  HeardBy(sighting, active, false);
  return std::nullopt;
}

// Packets of a sender have consecutive PSNs, so no two have the same CRC. Where a sender does not
// count, a message that arrives when it is due counts as a retransmission. source: linux 6.1
// rxe_req.c init_req_packet
bool Exchange::IsTheSamePacket(const CapturedMessage& sighting, bool active, const Spoken& earlier,
                               const SenderFingerprint& sender) {
  if (sighting.frame.icrc.value != earlier.icrc) return false;
  if (!IsRepeated(sighting.kind())) return true;
  const auto interval = IntervalOf(sighting.kind(), active, spoken_, sender);
  if (!interval || sighting.nanoseconds - earlier.last < Earliest(*interval)) return true;
  // Late, and yet a copy, where the sender has no reason to retransmit.
  Passive* passive = PassiveOf(CidsOf(sighting.mad().message).local);
  if (!active && passive == nullptr) return false;
  Identifier speaker = active ? active_ : passive->id;
  return !speaker.Says({.what = SendsOf(sighting.mad().message), .again = true, .fresh = false});
}

// It was sent once, and may be answered once more.
void Exchange::TakeCopy(const CapturedMessage& sighting, bool active) {
  const MadKind what = sighting.kind();
  if (what == MadKind::kReq || what == MadKind::kSidrReq) ++requests_;
  if (what == MadKind::kDreq) ++dreqs_[active];
  Passive* speaker = active ? nullptr : PassiveOf(CidsOf(sighting.mad().message).local);
  if (what == MadKind::kRep && speaker != nullptr) ++speaker->replies;
  HeardBy(sighting, active, true);
}

void Exchange::TakeUnreadable(bool active) {
  disturbed_ = true;
  if (active) return active_.MaySayUnseen();
  for (Passive& passive : passives_) passive.id.MaySayUnseen();
}

Exchange::Passive* Exchange::PassiveOf(uint32_t cid) {
  const auto found = std::find_if(passives_.begin(), passives_.end(),
                                  [cid](const Passive& passive) { return passive.cid == cid; });
  return found == passives_.end() ? nullptr : &*found;
}

bool Exchange::MayBeGone(bool active, uint32_t cid) {
  Passive* passive = PassiveOf(cid);
  if (!active && passive == nullptr) return true;
  return (active ? active_ : passive->id).MayBe(IbState::kNone);
}

void Exchange::Add(Passive passive) {
  if (passives_.size() == kPassivesMost) return;
  passive_cids_.push_back(passive.cid);
  passives_.push_back(std::move(passive));
}

Spoken* Exchange::Earlier(const CapturedMessage& sighting, bool active) {
  for (Spoken& spoken : spoken_)
    if (spoken.active == active && spoken.mad == sighting.mad()) return &spoken;
  return nullptr;
}

bool Exchange::Said(const mad::Mad& mad, bool active) const {
  return std::any_of(spoken_.begin(), spoken_.end(), [&](const Spoken& spoken) {
    return spoken.active == active && spoken.mad == mad;
  });
}

bool Exchange::IsPast(const mad::Mad& request) const {
  return std::any_of(spoken_.begin(), spoken_.end(), [&](const Spoken& spoken) {
    const MadKind what = spoken.mad.header.kind();
    const bool later = what == MadKind::kRtu || what == MadKind::kDreq || what == MadKind::kDrep;
    return later && spoken.mad.header.tid == request.header.tid;
  });
}

bool Exchange::GaveUpItsReply(int64_t now) const {
  if (FirstOf(spoken_, MadKind::kRtu) != nullptr) return false;
  const auto interval = IntervalOf(MadKind::kRep, false, spoken_, SenderFingerprint());
  return interval && std::any_of(spoken_.begin(), spoken_.end(), [&](const Spoken& spoken) {
           return spoken.mad.header.kind() == MadKind::kRep &&
                  now - spoken.last > 2 * interval->shortest.nanoseconds();
         });
}

// A retransmission, or a repeated answer, is the same message each time. DREP and REJ differ: an id
// that is gone answers otherwise than before.
std::optional<Violation> Exchange::Differs(const CapturedMessage& sighting, bool active) const {
  const MadKind what = sighting.kind();
  if (!IsRepeated(what) && what != MadKind::kRtu && what != MadKind::kMra) return std::nullopt;
  const uint32_t cid = CidsOf(sighting.mad().message).local;
  for (const Spoken& spoken : spoken_) {
    if (spoken.active != active || spoken.mad.header.kind() != what) continue;
    if (CidsOf(spoken.mad.message).local != cid) continue;
    const auto row =
        std::ranges::find(mad::Constraints(), mad::Relation::kConstant, &mad::Constraint::relation);
    return Broken(sighting, *row, fmt::format("another {} of the same id", ToString(what)),
                  "the same bytes as before");
  }
  return std::nullopt;
}

// The REQ created a new id; the id of an earlier REQ must be over.
std::optional<Violation> Exchange::NewPassive(const CapturedMessage& sighting, uint32_t cid) {
  if (judged()) {
    for (Passive& passive : passives_) {
      if (passive.id.MayBe(kOver)) continue;
      return Broken(sighting, claims::kOneId, fmt::format("an answer by id {:#x}", cid),
                    fmt::format("by {:#x} alone", passive.cid));
    }
  }
  if (ByNobody(sighting)) return std::nullopt;
  Passive passive{.cid = cid,
                  .id = begins_before_ ? Identifier::Unknown()
                        : datagrams_   ? Identifier::AskedSidr()
                                       : Identifier::Asked()};
  if (missing_) passive.id.MayLackMessages();
  if (unsent_) passive.id.MayFailToSend();
  if (keeps_reply_) passive.id.MayKeepReply();
  if (disturbed_) passive.id.MaySayUnseen();
  if (requests_ > 1) passive.id.MayHear(IbStimulus::kReqAgain);
  Add(std::move(passive));
  ++request_answers_;
  return std::nullopt;
}

std::optional<Violation> Exchange::Sequenced(const CapturedMessage& sighting, bool active,
                                             bool again, const SenderFingerprint& sender) {
  const Sends what = SendsOf(sighting.mad().message);
  const auto* rej = sighting.As<mad::Rej>();
  const bool stale = rej != nullptr && rej->reason == RejReason::kStaleConn;
  const Saying seen{what, again, !again || begins_before_ || disturbed_, stale};
  // The first one may have been the message that could not be read.
  Saying saying = seen;
  saying.again |= disturbed_;
  if (active) {
    // A DREQ of one whose REP the id has not taken finds no id. source: linux 6.1 cm.c
    // cm_dreq_handler, cm_issue_drep (R26)
    if (what == Sends::kDrep && active_.MayBe(kRequesting)) return std::nullopt;
    if (what == Sends::kNothing || active_.Says(saying)) return std::nullopt;
    return NotPermitted(sighting, seen, active_);
  }
  if (ByNobody(sighting)) {
    ++request_answers_;
    return NewPassive(sighting, 0);
  }
  const uint32_t cid = CidsOf(sighting.mad().message).local;
  if (datagrams_) {  // the answering id is not named: each answer is of a new one
    ++request_answers_;
    Identifier id = begins_before_ ? Identifier::Unknown() : Identifier::AskedSidr();
    return id.Says(saying) ? std::nullopt : NotPermitted(sighting, seen, id);
  }
  if (PassiveOf(cid) == nullptr) {
    if (auto hindered = NewPassive(sighting, cid)) return hindered;
    if (PassiveOf(cid) == nullptr) return std::nullopt;  // one too many
    // A sender that is not known to be Linux may send an MRA immediately. source: linux 6.1 cm.c
    // ib_send_cm_mra
    if (!sender.is_known()) PassiveOf(cid)->id.MayHear(IbStimulus::kReqAgain);
  }
  Identifier& id = PassiveOf(cid)->id;
  // A REQ that arrives when its id is over. source: linux 6.1 cm.c cm_dup_req_handler
  if (stale && what == Sends::kRejOther && id.MayBe(IbState::kTimewait)) return std::nullopt;
  if (what == Sends::kNothing || id.Says(saying)) return std::nullopt;
  return NotPermitted(sighting, seen, id);
}

std::optional<Violation> Exchange::NotPermitted(const CapturedMessage& sighting,
                                                const Saying& saying, Identifier& id) const {
  Violation violation{
      .number = sighting.number,
      .nanoseconds = sighting.nanoseconds,
      .saw = fmt::format("{}{}", ToString(saying.what), saying.again ? " again" : "")};
  std::vector<std::string_view> rules, sources;
  for (const IbRule& rule : model::rules::kIbCm) {
    const bool says = SentBy(rule) == saying.what ||
                      (saying.again && !saying.fresh && SentBy(rule) == Sends::kAgain);
    if (!says) continue;
    rules.push_back(rule.id);
    sources.push_back(rule.evidence.source);
  }
  violation.rule = fmt::format("{}", fmt::join(rules, ", "));
  violation.source = fmt::format("{}", fmt::join(sources, "; "));
  violation.says = fmt::format("{} is sent by these rows alone.", violation.saw);
  std::vector<std::string> permitted;
  for (const IbRule* rule : id.MaySay())
    permitted.push_back(fmt::format("{} by {}", ToString(SentBy(*rule)), rule->id));
  violation.permitted =
      permitted.empty() ? "nothing" : fmt::format("{}", fmt::join(permitted, ", "));
  return violation;
}

// How often a message may be sent: retransmissions as often as the REQ permits, answers as often as
// there was a message to answer.
std::optional<Violation> Exchange::Counted(const CapturedMessage& sighting, bool active,
                                           uint64_t times, const SenderFingerprint& sender) {
  const MadKind what = sighting.kind();
  if (IsRepeated(what) && times > TimesOf(spoken_))
    return Broken(sighting, claims::kRepetitions, fmt::format("{} times", times),
                  fmt::format("{} times", TimesOf(spoken_)));
  const auto asked = [&](uint64_t answers, uint64_t questions) -> std::optional<Violation> {
    if (!judged() || answers <= questions) return std::nullopt;
    return Broken(sighting, claims::kOneAnswer, fmt::format("answer {}", answers),
                  fmt::format("{} at most", questions));
  };
  if (what == MadKind::kDreq) ++dreqs_[active];
  if (what == MadKind::kDrep) return asked(++dreps_[active], dreqs_[!active]);
  if (what == MadKind::kReq || what == MadKind::kSidrReq) ++requests_;
  if (!active) {
    Passive* speaker = PassiveOf(CidsOf(sighting.mad().message).local);
    if (what == MadKind::kRep && speaker != nullptr) ++speaker->replies;
    if (what == MadKind::kMra) ++receipts_;
    const uint64_t first = sender.is_known() ? request_answers_ : 0;
    if (auto many = asked(first + receipts_, requests_)) return many;
    return asked(request_answers_, requests_);
  }
  const uint32_t partner = CidsOf(sighting.mad().message).remote;
  Passive* passive = PassiveOf(partner);
  if (passive == nullptr) return std::nullopt;
  const bool answers = what == MadKind::kRtu || IsAbout(sighting, mad::About::kRep);
  if (!answers) return std::nullopt;
  const auto* rej = sighting.As<mad::Rej>();
  if (rej == nullptr || rej->reason != RejReason::kStaleConn) {
    if (judged() && partner_.value_or(partner) != partner)
      return Broken(sighting, claims::kOnePeer, fmt::format("{:#x}", partner),
                    fmt::format("{:#x}", *partner_));
    partner_ = partner;
  }
  return asked(++passive->reply_answers, passive->replies);
}

std::optional<Violation> Exchange::Timed(const CapturedMessage& sighting, bool active,
                                         int64_t since, const SenderFingerprint& sender) const {
  if (!IsRepeated(sighting.kind())) return std::nullopt;
  const auto interval = IntervalOf(sighting.kind(), active, spoken_, sender);
  if (!interval) return std::nullopt;
  const int64_t gap = sighting.nanoseconds - since;
  if (gap < Earliest(*interval))
    return Broken(sighting, claims::kTooEarly, "after " + Milliseconds(gap),
                  "not before " + Milliseconds(interval->shortest.nanoseconds()));
  if (judged() && gap > interval->longest.nanoseconds())
    return Broken(sighting, claims::kTooLate, "after " + Milliseconds(gap),
                  "before " + Milliseconds(interval->longest.nanoseconds()));
  return std::nullopt;
}

void Exchange::Remember(const CapturedMessage& sighting, bool active, Spoken* earlier) {
  if (earlier != nullptr) {
    ++earlier->times;
    earlier->last = sighting.nanoseconds;
    earlier->icrc = sighting.frame.icrc.value;
  } else if (spoken_.size() < kSpokenMost) {
    spoken_.push_back({active, sighting.mad(), 1, sighting.nanoseconds, sighting.frame.icrc.value,
                       mad::Encode(sighting.mad())});
  }
  const MadKind what = sighting.kind();
  if (!runs_.empty() && runs_.back().what == what)
    ++runs_.back().times;
  else if (runs_.size() < kRunsMost)
    runs_.push_back({what, 1});
}

// What the other side may receive now, and what its sender may do once all retransmissions are
// sent.
void Exchange::HeardBy(const CapturedMessage& sighting, bool active, bool copy) {
  const MadKind what = sighting.kind();
  const Cids cids = CidsOf(sighting.mad().message);
  const auto* rej = sighting.As<mad::Rej>();
  const auto to_passives = [&](IbStimulus stimulus, IbStates in) {
    for (Passive& passive : passives_)
      if (cids.remote == 0 || cids.remote == passive.cid) passive.id.MayHear(stimulus, in);
  };
  const auto to_other = [&](IbStimulus stimulus, IbStates in = Identifier::kEveryState) {
    active ? to_passives(stimulus, in) : active_.MayHear(stimulus, in);
  };
  if (what == MadKind::kReq && requests_ > 1) to_other(IbStimulus::kReqAgain);
  if (what == MadKind::kMra) to_other(IbStimulus::kMra, active ? kReplying : kRequesting);
  if (what == MadKind::kRep) {
    to_other(IbStimulus::kRep);
    to_other(IbStimulus::kRepStale);
    const Spoken* rep = Earlier(sighting, active);
    if (copy || rep == nullptr || rep->times > 1) to_other(IbStimulus::kRepAgain);
  }
  if (what == MadKind::kRtu) to_other(IbStimulus::kRtu);
  if (rej != nullptr) {
    const bool stale = rej->reason == RejReason::kStaleConn;
    // An active side that knows no passive id accepts messages about its REQ, and nothing else
    // later.
    const IbStates in = active ? Identifier::kEveryState
                        : IsAbout(sighting, mad::About::kReq)
                            ? kRequesting
                            : Identifier::kEveryState.Except(kRequesting);
    to_other(stale ? IbStimulus::kRejStale : IbStimulus::kRej, in);
  }
  if (what == MadKind::kDreq) to_other(IbStimulus::kDreq);
  if (what == MadKind::kDrep) to_other(IbStimulus::kDrep);
  if (const auto* answer = sighting.As<mad::SidrRep>())
    to_other(answer->status == 0 ? IbStimulus::kSidrRep : IbStimulus::kSidrRefusal);
  const Spoken* spoken = Earlier(sighting, active);
  if (!IsRepeated(what) || spoken == nullptr || spoken->times < TimesOf(spoken_)) return;
  Passive* passive = PassiveOf(cids.local);
  Identifier* speaker = active ? &active_ : passive == nullptr ? nullptr : &passive->id;
  if (speaker != nullptr) speaker->MayHear(IbStimulus::kExhausted);
}

bool Exchange::IsConnected(bool active) {
  if (active) return partner_ && !active_.MayBe(kOver);
  return std::any_of(passives_.begin(), passives_.end(),
                     [](Passive& passive) { return !passive.id.MayBe(kOver); });
}

const mad::Mad* Exchange::AcceptedBy(const CapturedMessage& sighting) const {
  if (sighting.kind() == MadKind::kRep) return FirstOf(spoken_, MadKind::kReq);
  if (sighting.kind() != MadKind::kRtu) return nullptr;
  for (const Spoken& spoken : spoken_) {
    const auto* rep = std::get_if<mad::Rep>(&spoken.mad.message);
    if (rep != nullptr && rep->local_cid == CidsOf(sighting.mad().message).remote)
      return &spoken.mad;
  }
  return nullptr;
}

bool Exchange::Stands() const {
  bool connected = false;
  for (const Run& run : runs_) {
    if (run.what == MadKind::kRtu) connected = true;
    if (run.what == MadKind::kDreq || run.what == MadKind::kRej) connected = false;
  }
  return connected;
}

// A request that was transmitted twice may have arrived twice and created two ids, and each side
// answers a DREQ of the other.
bool Exchange::IsAnswered() const {
  if (runs_.empty() || runs_.size() == kRunsMost) return false;
  const MadKind last = runs_.back().what;
  if (last == MadKind::kDrep)
    return (dreqs_[0] == 0 || dreps_[1] != 0) && (dreqs_[1] == 0 || dreps_[0] != 0);
  // Ids that have sent an MRA have still to answer, unless each has refused.
  const auto refuses = [](const Spoken& one) {
    return !one.active && one.mad.header.kind() == MadKind::kRej &&
           CidsOf(one.mad.message).local != 0;
  };
  const bool waits = receipts_ != 0 && static_cast<size_t>(std::ranges::count_if(
                                           spoken_, refuses)) < passives_.size();
  return (last == MadKind::kRej || last == MadKind::kSidrRep) && !waits &&
         request_answers_ >= requests_;
}

std::string Exchange::Sequence() const {
  std::string text;
  for (const Run& run : runs_) {
    if (!text.empty()) text += ' ';
    text += ToString(run.what);
    if (run.times > 1) text += fmt::format("*{}", run.times);
  }
  return runs_.size() < kRunsMost ? text : text + " ...";
}

}  // namespace cm::wire
