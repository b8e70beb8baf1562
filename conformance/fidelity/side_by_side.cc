#include "conformance/fidelity/side_by_side.h"

#include <algorithm>
#include <array>
#include <utility>

namespace cm {
namespace {

// Latency of links: events closer than this have the same cause.
constexpr Duration kNear = Duration::Microseconds(100);

struct WheelStep {
  Duration below;
  Duration step;
};
constexpr auto kWheel = std::to_array<WheelStep>({
    {Duration::Milliseconds(252), Duration::Milliseconds(4)},
    {Duration::Milliseconds(2048), Duration::Milliseconds(32)},
    {Duration::Milliseconds(16384), Duration::Milliseconds(256)},
    {Duration::Milliseconds(131072), Duration::Milliseconds(2048)},
});
constexpr Duration kLongestStep = Duration::Milliseconds(16384);

bool AnswersAreAwaited(MadKind kind) {
  return kind == MadKind::kReq || kind == MadKind::kRep || kind == MadKind::kDreq ||
         kind == MadKind::kSidrReq;
}

const line::Calls* CallIn(const History& history, const Record& record) {
  return std::get_if<line::Calls>(&history.conversation.lines[record.line]);
}

// Follows the simulator's history and computes for each moment how late a kernel may reach it.
class Follower {
 public:
  Follower(const History& history, const Profile& profile)
      : history_(history), profile_(profile), messages_(history.wire.size()) {}

  std::vector<Duration> Follow() {
    std::vector<Duration> late(history_.records.size());
    for (uint32_t i = 0; i < history_.records.size(); ++i) {
      const Record& record = history_.records[i];
      SendUntil(i);
      const auto* const waited = std::get_if<seen::Waited>(&record.seen);
      if (record.end > record.begin && (waited == nullptr ? Fetches(record) : waited->readable))
        now_ = std::max(record.begin + now_, record.end + CauseAt(record)) - record.end;
      late[i] = now_;
      if (StartsATimer(record)) started_.push_back({record.end, now_});
    }
    return late;
  }

 private:
  struct Moment {
    Instant at;
    Duration late;
  };

  bool Fetches(const Record& record) const {
    const line::Calls* const calls = CallIn(history_, record);
    return calls != nullptr && std::holds_alternative<call::GetCmEvent>(calls->call);
  }
  bool StartsATimer(const Record& record) const { return CallIn(history_, record) != nullptr; }

  // The messages sent during the record.
  void SendUntil(uint32_t record) {
    const Instant begin = history_.records[record].begin;
    for (; sent_ < messages_.size() && history_.wire[sent_].record <= record; ++sent_) {
      const WireRecord& message = history_.wire[sent_];
      messages_[sent_] = message.at - begin < kNear ? now_ : CauseOf(sent_);
    }
  }

  // For a message that was not sent by the program's call: a retransmission, or an answer.
  Duration CauseOf(size_t sent) const {
    const WireRecord& message = history_.wire[sent];
    const auto repeats = [&]() -> std::optional<Duration> {
      for (size_t i = sent; i-- > 0;)
        if (history_.wire[i].side == message.side && history_.wire[i].kind == message.kind)
          return Fired(history_.wire[i].at, messages_[i], message.at);
      return std::nullopt;
    };
    if (AnswersAreAwaited(message.kind))
      if (const auto late = repeats()) return *late;
    if (const auto late = Arrived(message.side, message.at)) return *late;
    return repeats().value_or(now_);
  }

  // For the message that arrived at the side at that time.
  std::optional<Duration> Arrived(uint8_t side, Instant at) const {
    for (size_t i = sent_; i-- > 0;) {
      const Duration ago = at - history_.wire[i].at;
      if (history_.wire[i].side != side && !history_.wire[i].lost && ago > Duration() &&
          ago < kNear)
        return messages_[i];
    }
    return std::nullopt;
  }

  static Duration Fired(Instant started, Duration late, Instant at) {
    return late + TimerStep(at - started);
  }

  // For the result of a wait or a fetch.
  Duration CauseAt(const Record& record) const {
    const uint8_t side = SideOf(record);
    if (const auto late = Arrived(side, record.end)) return *late;
    if (const auto late = Timewait(record.end)) return *late;
    for (size_t i = sent_; i-- > 0;)
      if (history_.wire[i].side == side && AnswersAreAwaited(history_.wire[i].kind) &&
          record.end - history_.wire[i].at <= profile_.timing.AfterMra())
        return Fired(history_.wire[i].at, messages_[i], record.end);
    return started_.empty() ? now_ : Fired(started_.back().at, started_.back().late, record.end);
  }

  uint8_t SideOf(const Record& record) const {
    const Line& line = history_.conversation.lines[record.line];
    if (const auto* waits = std::get_if<line::Waits>(&line)) return waits->lane.side;
    return std::get<line::Calls>(line).lane.side;
  }

  // For the end of a timewait: from the event that started it.
  std::optional<Duration> Timewait(Instant over) const {
    const Duration length = profile_.timing.Timewait();
    std::optional<Duration> late;
    const auto look = [&](Instant at, Duration then) {
      const Duration apart = over - at - length;
      if (apart > Duration() - kNear && apart < kNear)
        late = std::max(late.value_or(Duration()), Fired(at, then, over));
    };
    for (size_t i = 0; i < sent_; ++i) look(history_.wire[i].at, messages_[i]);
    for (const Moment& moment : started_) look(moment.at, moment.late);
    return late;
  }

  const History& history_;
  const Profile& profile_;
  std::vector<Duration> messages_;  // permitted lateness of each message
  size_t sent_ = 0;
  std::vector<Moment> started_;  // begun by calls
  Duration now_;                 // permitted lateness of the program itself
};

Instant ZeroOf(const History& history) {
  for (const CallKind kind : {CallKind::kConnect, CallKind::kResolveAddr})
    for (const Record& record : history.records) {
      const line::Calls* const calls = CallIn(history, record);
      if (calls != nullptr && KindOf(calls->call) == kind) return record.begin;
    }
  return Instant();
}

// Time that faults and their ends took between the two moments.
Duration Outside(const History& history, Instant from, Instant to) {
  Duration took;
  for (const Record& record : history.records) {
    const Line& line = history.conversation.lines[record.line];
    if (record.begin >= from && record.end <= to &&
        (std::holds_alternative<line::Injects>(line) || std::holds_alternative<line::Heals>(line)))
      took = took + (record.end - record.begin);
  }
  return took;
}

// The history's events in the order of TimedEvents.
std::vector<FetchedEvent> BySide(const History& history) {
  std::vector<FetchedEvent> events = FetchedEvents(history);
  std::ranges::stable_sort(events, {}, &FetchedEvent::side);
  return events;
}

Agreement Compare(const EventPair& pair, Duration slack) {
  if (!pair.simulator || !pair.kernel || pair.simulator->side != pair.kernel->side ||
      pair.simulator->event != pair.kernel->event)
    return Agreement::kOther;
  if (pair.kernel->at + Duration::Milliseconds(1) < pair.simulator->at) return Agreement::kEarly;
  if (pair.kernel->at > pair.simulator->at + pair.lateness + pair.kernel->outside + slack)
    return Agreement::kLate;
  return Agreement::kSame;
}

}  // namespace

Duration TimerStep(Duration length) {
  const auto* const step =
      std::ranges::find_if(kWheel, [length](const WheelStep& s) { return length < s.below; });
  return step == kWheel.end() ? kLongestStep : step->step;
}

std::vector<TimedEvent> TimedEvents(const History& history) {
  const Instant zero = ZeroOf(history);
  std::vector<TimedEvent> timed;
  for (const FetchedEvent& event : BySide(history))
    timed.push_back({std::string(history.conversation.topology->sides[event.side].name),
                     event.event, event.at - zero, Outside(history, zero, event.at)});
  return timed;
}

std::vector<Duration> Lateness(const History& simulator, const Profile& profile) {
  const std::vector<Duration> late = Follower(simulator, profile).Follow();
  std::vector<Duration> of_events;
  for (const FetchedEvent& event : BySide(simulator)) of_events.push_back(late[event.record]);
  return of_events;
}

std::string_view ToString(Agreement agreement) {
  switch (agreement) {
    case Agreement::kSame:
      return "same";
    case Agreement::kEarly:
      return "too early";
    case Agreement::kLate:
      return "too late";
    case Agreement::kOther:
      return "another event";
  }
  return "";
}

std::vector<EventPair> SideBySide(const std::vector<TimedEvent>& simulator,
                                  const std::vector<Duration>& lateness,
                                  const std::vector<TimedEvent>& kernel, Duration slack) {
  std::vector<EventPair> pairs;
  size_t k = 0;
  const auto add = [&](std::optional<TimedEvent> sim, std::optional<TimedEvent> real,
                       Duration late) {
    EventPair pair{std::move(sim), std::move(real), late};
    pair.agreement = Compare(pair, slack);
    pairs.push_back(std::move(pair));
  };
  for (size_t s = 0; s < simulator.size(); ++s) {
    // Events that only the kernel has, on a side, before this one.
    while (k < kernel.size() && s > 0 && kernel[k].side == simulator[s - 1].side &&
           kernel[k].side != simulator[s].side)
      add(std::nullopt, kernel[k++], {});
    const bool same_side = k < kernel.size() && kernel[k].side == simulator[s].side;
    add(simulator[s], same_side ? std::optional(kernel[k]) : std::nullopt, lateness[s]);
    if (same_side) ++k;
  }
  while (k < kernel.size()) add(std::nullopt, kernel[k++], {});
  return pairs;
}

bool Same(const std::vector<EventPair>& pairs) {
  return std::ranges::all_of(pairs,
                             [](const EventPair& p) { return p.agreement == Agreement::kSame; });
}

}  // namespace cm
