#include "conformance/fidelity/causes.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "model/base/check.h"
#include "model/catalogue/catalogue.h"
#include "model/cm_id/rules.h"
#include "model/conversation/print.h"
#include "model/ib_cm/rules.h"
#include "model/oracle/judge.h"

namespace cm {
namespace {

constexpr size_t kMostNamed = 6;  // rows, or permitted answers, in one explanation

bool OfTimer(model::RuleNumber rule) {
  const auto is = [rule](const auto& row) { return model::NumberOf(&row) == rule; };
  const auto ib = std::ranges::find_if(model::rules::kIbCm, is);
  if (ib != model::rules::kIbCm.end())
    return ib->on == model::IbStimulus::kRetry || ib->on == model::IbStimulus::kExhausted ||
           ib->on == model::IbStimulus::kTimewaitOver;
  const auto below = std::ranges::find_if(model::rules::kFromBelow, is);
  return below != model::rules::kFromBelow.end() && below->on == model::Below::kAddressTimesOut;
}

// One history and the verdicts of the tables on it.
class Side {
 public:
  Side(std::string_view name, const History& history, const std::optional<Step>& step,
       const Profile& profile)
      : name_(name), history_(history), step_(step) {
    at_records_.reserve(history.records.size());
    verdict_ = model::JudgeHistory(
        history, profile,
        [&](const Record&, const model::Verdict& at_record) { at_records_.push_back(at_record); });
  }

  std::string_view name() const { return name_; }
  const std::optional<Step>& step() const { return step_; }

  // Whether the tables stop following this history, for that reason, at the step or before.
  bool EndsBy(model::VerdictKind kind) const {
    return verdict_.kind == kind && (!step_ || verdict_.record <= step_->record);
  }
  bool OutOfScope() const {
    const model::Verdict* at_record = AtStep();
    return at_record != nullptr && at_record->kind == model::VerdictKind::kOutOfScope;
  }
  const model::Verdict* AtStep() const {
    return step_ && step_->record < at_records_.size() ? &at_records_[step_->record] : nullptr;
  }

  // The refused observation, and the permitted ones.
  std::string Refusal() const {
    std::vector<std::string> permitted;
    for (const model::Permitted& one : verdict_.at_record.permitted)
      if (permitted.size() < kMostNamed) permitted.push_back(one.what);
    const Record& record = history_.records[verdict_.record];
    return fmt::format(
        "at \"{}\" the tables permit the {} only: {}", ToString(record, history_.conversation),
        name_, permitted.empty() ? "nothing" : fmt::format("{}", fmt::join(permitted, "; ")));
  }

  // The rows that permit the step.
  std::string Rows() const {
    const model::Verdict* at_record = AtStep();
    std::vector<std::string_view> rows;
    size_t more = 0;
    for (model::RuleNumber rule = 0; at_record != nullptr && rule < model::RuleCount(); ++rule) {
      if (!at_record->by[rule] && !at_record->certain[rule]) continue;
      if (at_record->by.any() && !at_record->by[rule]) continue;
      if (rows.size() < kMostNamed)
        rows.push_back(model::InfoOf(rule).id);
      else
        ++more;
    }
    if (rows.empty()) return "no row of its own: nothing is due";
    std::string text = fmt::format("{}", fmt::join(rows, ", "));
    if (more > 0) text += fmt::format(" and {} more", more);
    return text;
  }

  // The timer's row that explains the record, if there is one. That a request was repeated may be
  // certain before it is heard anew.
  std::optional<model::RuleNumber> TimerBefore(size_t record) const {
    const auto requests = [this](size_t at) {
      const CmEvent* event = EventOf(at);
      return event != nullptr && event->type == EventType::kConnectRequest;
    };
    if (record >= at_records_.size()) return std::nullopt;
    std::optional<model::RuleNumber> timer = TimerAt(record);
    if (!requests(record)) return timer;
    for (size_t at = record; !timer && at > 0 && !requests(at - 1); --at) timer = TimerAt(at - 1);
    return timer;
  }

  std::optional<model::RuleNumber> TimerAt(size_t record) const {
    for (model::RuleNumber rule = 0; rule < model::RuleCount(); ++rule)
      if (at_records_[record].by[rule] && OfTimer(rule)) return rule;
    return std::nullopt;
  }

  const CmEvent* EventOf(size_t record) const {
    if (!ChannelAt(record)) return nullptr;  // shown, and not fetched
    return cm::EventOf(history_.records[record].seen);
  }
  // The record with the event of the step: the fetched one or, where a wait found some, the next.
  std::optional<size_t> EventAtStep() const {
    if (!step_) return std::nullopt;
    const auto* waited = std::get_if<seen::Waited>(&history_.records[step_->record].seen);
    if (waited == nullptr)
      return EventOf(step_->record) == nullptr ? std::nullopt : std::optional(step_->record);
    const std::optional<ChannelRef> channel = ChannelAt(step_->record);
    for (size_t i = step_->record; waited->readable && i < history_.records.size(); ++i)
      if (ChannelAt(i) == channel && EventOf(i) != nullptr) return i;
    return std::nullopt;
  }

  const Line& LineAt(size_t record) const {
    return history_.conversation.lines[history_.records[record].line];
  }
  // The channel that the record waits on or fetches from.
  std::optional<ChannelRef> ChannelAt(size_t record) const {
    const Line& line = LineAt(record);
    if (const auto* waits = std::get_if<line::Waits>(&line)) return waits->channel;
    if (const auto* calls = std::get_if<line::Calls>(&line))
      if (const auto* get = std::get_if<call::GetCmEvent>(&calls->call)) return get->channel;
    return std::nullopt;
  }
  Lane LaneAt(size_t record) const {
    const Line& line = LineAt(record);
    if (const auto* waits = std::get_if<line::Waits>(&line)) return waits->lane;
    return std::get<line::Calls>(line).lane;
  }
  // True when a later line reads the channel, and can be carried out.
  bool LooksAgain(ChannelRef channel) const {
    for (size_t i = step_ ? step_->record + 1 : 0; i < history_.records.size(); ++i) {
      const auto* answered = std::get_if<seen::Answered>(&history_.records[i].seen);
      const bool made = answered == nullptr || answered->reply.kind != ReplyKind::kNotApplicable;
      if (ChannelAt(i) == channel && made) return true;
    }
    return false;
  }

  // The ordinal of the record's event among equal events of the channel, from 0.
  size_t Ordinal(ChannelRef channel, size_t record) const {
    size_t before = 0;
    for (size_t i = 0; i < record; ++i)
      if (ChannelAt(i) == channel && EventOf(i) != nullptr && Alike(*EventOf(i), *EventOf(record)))
        ++before;
    return before;
  }
  // The record that fetched the equal event of that ordinal from the channel.
  std::optional<size_t> Find(ChannelRef channel, const CmEvent& event, size_t ordinal) const {
    for (size_t i = 0; i < history_.records.size(); ++i) {
      if (EventOf(i) == nullptr || ChannelAt(i) != channel || !Alike(event, *EventOf(i))) continue;
      if (ordinal-- == 0) return i;
    }
    return std::nullopt;
  }

  std::string Says(const CmEvent& event) const { return ToString(event, history_.conversation); }
  std::string TimeOf(size_t record) const {
    const int64_t ms = (history_.records[record].begin - Instant()).milliseconds();
    return fmt::format("{}.{:03} s", ms / 1000, ms % 1000);
  }

 private:
  // True when the same event is about the same id. A request's id is the name in the line that
  // fetched it.
  static bool Alike(const CmEvent& a, const CmEvent& b) {
    if (a.type != b.type || a.status != b.status || a.listen_id != b.listen_id) return false;
    if (a.type == EventType::kConnectRequest) return a.private_data == b.private_data;
    return a.id == b.id;
  }

  std::string_view name_;
  const History& history_;
  const std::optional<Step>& step_;
  std::vector<model::Verdict> at_records_;
  model::HistoryResult verdict_;
};

using Maybe = std::optional<Explanation>;

Maybe WhatTheTablesSay(const Side& kernel, const Side& simulator) {
  if (kernel.EndsBy(model::VerdictKind::kRefused))
    return Explanation{Cause::kKernelRefused, kernel.Refusal()};
  if (simulator.EndsBy(model::VerdictKind::kRefused))
    return Explanation{Cause::kSimulatorRefused, simulator.Refusal()};
  for (const Side* side : {&kernel, &simulator}) {
    if (side->EndsBy(model::VerdictKind::kInconclusive))
      return Explanation{
          Cause::kUndecided,
          fmt::format("not all that could explain the {} was followed", side->name())};
    if (side->OutOfScope())
      return Explanation{Cause::kUndecided,
                         "the tables do not follow this id: it is of another port space, or its "
                         "channel is gone"};
  }
  return std::nullopt;
}

// One of the two histories has an event here; finds it in the other history.
struct Lost {
  const Side* heard_by;
  const Side* other;
  CmEvent event;
  ChannelRef channel;
  std::optional<size_t> elsewhere;  // record of `other`
};

std::optional<Lost> LostAt(const Side& heard_by, const Side& other) {
  const std::optional<size_t> record = heard_by.EventAtStep();
  if (!record) return std::nullopt;
  const ChannelRef channel = *heard_by.ChannelAt(*record);
  const CmEvent& event = *heard_by.EventOf(*record);
  return Lost{&heard_by, &other, event, channel,
              other.Find(channel, event, heard_by.Ordinal(channel, *record))};
}

Maybe WhichThread(const Lost& lost) {
  if (!lost.elsewhere) return std::nullopt;
  const Lane here = lost.heard_by->LaneAt(lost.heard_by->step()->record);
  if (lost.other->LaneAt(*lost.elsewhere) == here) return std::nullopt;
  return Explanation{Cause::kWhichThread,
                     fmt::format("another thread has {} from the {}",
                                 lost.heard_by->Says(lost.event), lost.other->name())};
}

Maybe Order(const std::optional<Lost>& kernel, const std::optional<Lost>& simulator) {
  if (!kernel || !simulator || !kernel->elsewhere || !simulator->elsewhere) return std::nullopt;
  if (kernel->event.type == EventType::kConnectRequest &&
      simulator->event.type == EventType::kConnectRequest)
    return Explanation{Cause::kWhoWasFirst, "both requests are there, the other way round"};
  if (kernel->event.id == simulator->event.id) return std::nullopt;
  return Explanation{Cause::kOrderOnChannel, "both events are there, the other way round"};
}

// The last fault before the line that can make a device deaf.
std::optional<FaultKind> DeafeningFault(const Conversation& conversation, uint32_t line) {
  std::optional<FaultKind> last;
  for (uint32_t i = 0; i < line; ++i) {
    const auto* injects = std::get_if<line::Injects>(&conversation.lines[i]);
    if (injects == nullptr) continue;
    const FaultKind kind = injects->fault.kind;
    if (kind == FaultKind::kLinkDown || kind == FaultKind::kFailOver) last = kind;
  }
  return last;
}

Maybe Deaf(const Lost& lost, const Conversation& conversation, uint32_t line) {
  const std::optional<FaultKind> fault = DeafeningFault(conversation, line);
  if (!fault) return std::nullopt;
  return Explanation{Cause::kDeafDevice,
                     fmt::format("after {} the {} never has {}", ToString(*fault),
                                 lost.other->name(), lost.heard_by->Says(lost.event))};
}

// The event is caused by a timer, and the other history never has it: its state was another one
// when the timer expired.
Maybe Crossed(const Lost& lost) {
  const std::optional<model::RuleNumber> timer =
      lost.heard_by->TimerBefore(*lost.heard_by->EventAtStep());
  if (!timer) return std::nullopt;
  return Explanation{
      Cause::kTimer,
      fmt::format("the {} has it by a timer ({}), which another one overtakes on the "
                  "{}: there it does not come any more",
                  lost.heard_by->name(), model::InfoOf(*timer).id, lost.other->name())};
}

Maybe Late(const Lost& lost) {
  const Side& heard_by = *lost.heard_by;
  const Side& other = *lost.other;
  const std::string here = heard_by.TimeOf(heard_by.step()->record);
  if (lost.elsewhere)
    return Explanation{
        Cause::kTimer,
        fmt::format("the {} has it when it looks at {}, the {} when it looks at {}",
                    heard_by.name(), here, other.name(), other.TimeOf(*lost.elsewhere))};
  if (other.LooksAgain(lost.channel)) return std::nullopt;
  return Explanation{Cause::kTimer,
                     fmt::format("the {} has it when it looks at {}, the {} does not "
                                 "look again",
                                 heard_by.name(), here, other.name())};
}

}  // namespace

const CauseInfo& InfoOf(Cause cause) {
  const auto* found = std::ranges::find(kCauses, cause, &CauseInfo::cause);
  CM_CHECK(found != kCauses.end());
  return *found;
}

Explanation CauseOf(const History& kernel_history, const History& simulator_history,
                    const Parting& parting, const Profile& profile) {
  const Side kernel("kernel", kernel_history, parting.kernel, profile);
  const Side simulator("simulator", simulator_history, parting.simulator, profile);
  if (Maybe said = WhatTheTablesSay(kernel, simulator)) return *said;
  const std::optional<Lost> by_kernel = LostAt(kernel, simulator);
  const std::optional<Lost> by_simulator = LostAt(simulator, kernel);
  for (const auto* lost : {&by_kernel, &by_simulator})
    if (*lost)
      if (Maybe thread = WhichThread(**lost)) return *thread;
  if (Maybe order = Order(by_kernel, by_simulator)) return *order;
  if (by_kernel.has_value() != by_simulator.has_value()) {
    const Lost& lost = by_kernel ? *by_kernel : *by_simulator;
    if (Maybe late = Late(lost)) return *late;
    if (Maybe deaf = Deaf(lost, kernel_history.conversation, parting.line)) return *deaf;
    if (Maybe crossed = Crossed(lost)) return *crossed;
  }
  return {Cause::kAlternative,
          fmt::format("kernel by {}; simulator by {}", kernel.Rows(), simulator.Rows())};
}

}  // namespace cm
