#include "sim/core/agenda.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <limits>
#include <map>
#include <optional>
#include <span>
#include <vector>

#include "model/base/choice.h"

namespace cm::sim {

// Returns which queue an agenda uses.
class AgendaPeer {
 public:
  static bool UsesWheel(const Agenda& agenda) { return agenda.wheel_.has_value(); }
};

class EventWheelPeer {
 public:
  static size_t Chunks(const EventWheel& wheel) { return wheel.chunks_.size(); }
};

namespace {

using testing::ElementsAre;

Instant At(int64_t ns) { return Instant::FromNanoseconds(ns); }

std::vector<uint32_t> TakeAll(Agenda* agenda) {
  std::vector<uint32_t> objects;
  while (agenda->NextAt()) objects.push_back(agenda->Take().on());
  return objects;
}

TEST(Agenda, HappensInOrderOfTimeAndThenOfAsking) {
  Agenda agenda;
  agenda.At(At(20), EventKind::kMadTimer, 1);
  agenda.At(At(10), EventKind::kMadTimer, 2);
  agenda.At(At(20), EventKind::kAddressWork, 3);
  agenda.At(At(10), EventKind::kRouteWork, 4);
  EXPECT_THAT(TakeAll(&agenda), ElementsAre(2, 4, 1, 3));
}

TEST(Agenda, TakesAnyOfThoseOfOneInstant) {
  Agenda agenda;
  for (const uint32_t on : {1, 2, 3}) agenda.At(Instant(), EventKind::kMadTimer, on);
  agenda.In(Duration::Microseconds(1), EventKind::kMadTimer, 4);
  ASSERT_EQ(agenda.Together(), 3U);
  EXPECT_EQ(agenda.Peek(1).on(), 2U);
  EXPECT_EQ(agenda.Take(1).on(), 2U);
  EXPECT_EQ(agenda.Take(1).on(), 3U);
  EXPECT_EQ(agenda.Take(0).on(), 1U);
  EXPECT_EQ(agenda.Together(), 1U);
}

TEST(Agenda, KeepsWhatAnEventIs) {
  constexpr uint32_t kLargest = std::numeric_limits<uint32_t>::max();
  Agenda agenda;
  agenda.At(At(7), EventKind::kIwWork, kLargest);
  const Event event = agenda.Take();
  EXPECT_EQ(event.at, At(7));
  EXPECT_EQ(event.kind(), EventKind::kIwWork);
  EXPECT_EQ(event.on(), kLargest);
  EXPECT_EQ(agenda.Now(), At(7));
  EXPECT_FALSE(agenda.NextAt());
}

// A reference queue. A multimap keeps equal keys in the order of their insertion.
class Reference {
 public:
  void Push(Event event) { events_.emplace(event.at, event); }
  Event Pop() {
    const Event next = events_.begin()->second;
    events_.erase(events_.begin());
    return next;
  }
  size_t size() const { return events_.size(); }
  std::optional<Instant> NextAt() const {
    if (events_.empty()) return std::nullopt;
    return events_.begin()->first;
  }

 private:
  std::multimap<Instant, Event> events_;
};

// The same workload for every queue, each result compared immediately.
class AllQueues {
 public:
  explicit AllQueues(StreamState* state) : choice_(state) {}

  void Push() {
    const Instant when = SomeInstant();
    const Event event = Event::Of(when, EventKind::kMadTimer, ++pushed_);
    list_.Push(event);
    wheel_.Push(event);
    agenda_.At(when, EventKind::kMadTimer, pushed_);
    reference_.Push(event);
    was_at_ = when;
  }

  void Pop() {
    if (reference_.size() == 0) return;
    const Event event = reference_.Pop();
    ASSERT_EQ(list_.Pop(), event);
    ASSERT_EQ(wheel_.Pop(), event);
    ASSERT_EQ(agenda_.Take(), event);
    ASSERT_EQ(agenda_.Now(), event.at);
    now_ = event.at;
  }

  // The queues themselves have no clock.
  void Advance() {
    const Instant limit = reference_.NextAt().value_or(now_ + Duration::Seconds(1));
    const auto room = static_cast<uint64_t>((limit - now_).nanoseconds());
    const uint64_t step =
        choice_.OneIn(2, "up to the next event") ? room : choice_.Below(room + 1, "a step");
    now_ = now_ + Duration::Nanoseconds(static_cast<int64_t>(step));
    agenda_.AdvanceTo(now_);
  }

  void Compare() const {
    ASSERT_EQ(list_.size(), reference_.size());
    ASSERT_EQ(wheel_.size(), reference_.size());
    ASSERT_EQ(agenda_.size(), reference_.size());
    ASSERT_EQ(agenda_.NextAt(), reference_.NextAt());
    if (reference_.size() == 0) return;
    ASSERT_EQ(list_.NextAt(), *reference_.NextAt());
    ASSERT_EQ(wheel_.NextAt(), *reference_.NextAt());
  }

  bool UsesWheel() const { return AgendaPeer::UsesWheel(agenda_); }
  const Agenda& agenda() const { return agenda_; }
  size_t size() const { return reference_.size(); }

 private:
  // Near, far, equal and mixed instants, on either side of a carry between bytes.
  Instant SomeInstant() {
    const uint64_t kind = choice_.Below(8, "how far");
    const auto now = static_cast<uint64_t>(now_.nanoseconds());
    uint64_t when = now;
    if (kind == 1 && was_at_ >= now_) return was_at_;
    if (kind == 2) when += choice_.Below(4, "when");
    if (kind == 3 || kind == 4) when += choice_.Below(300, "when");
    if (kind == 5) when += choice_.Below(uint64_t{1} << 21, "when");
    if (kind == 6) when += choice_.Below(uint64_t{1} << choice_.Below(56, "digits"), "when");
    if (kind == 7) {
      const uint64_t carry = uint64_t{1} << (8 * (1 + choice_.Below(6, "which byte")));
      when = (now / carry + 1) * carry - choice_.Below(2, "before or after");
    }
    if (when > uint64_t{1} << 62) return Instant::Never();
    return At(static_cast<int64_t>(when < now ? now : when));
  }

  RandomChoice choice_;
  EventList list_;
  EventWheel wheel_{Instant()};
  Agenda agenda_;
  Reference reference_;
  Instant now_;
  Instant was_at_;
  uint32_t pushed_ = 0;
};

class QueuesTest : public testing::TestWithParam<int> {};

// Grows and shrinks past both sizes at which the agenda switches its queue. A copy taken on the way
// behaves like the original.
TEST_P(QueuesTest, AgreeOnTheOrder) {
  StreamState state = NamedStream(static_cast<uint64_t>(GetParam()), "queues");
  RandomChoice choice(&state);
  StreamState workload = NamedStream(static_cast<uint64_t>(GetParam()), "workload");
  AllQueues queues(&workload);
  int changes = 0;
  bool used_wheel = false;
  for (int phase = 0; phase < 12; ++phase) {
    const size_t until = choice.Below(60, "how many") + (phase % 2 == 0 ? 250 : 0);
    const uint64_t pushes = queues.size() < until ? 6 : 3;  // of ten
    for (int i = 0; i < 3000 && queues.size() != until; ++i) {
      const uint64_t what = choice.Below(10, "what");
      if (what < pushes)
        queues.Push();
      else if (what < 9)
        ASSERT_NO_FATAL_FAILURE(queues.Pop());
      else
        queues.Advance();
      ASSERT_NO_FATAL_FAILURE(queues.Compare());
      if (queues.UsesWheel() != used_wheel) ++changes;
      used_wheel = queues.UsesWheel();
    }
    Agenda copy = queues.agenda();
    ASSERT_EQ(copy, queues.agenda());
    copy.At(copy.Now(), EventKind::kMadTimer, 0);
    ASSERT_FALSE(copy == queues.agenda());
  }
  EXPECT_EQ(changes, 12) << "the agenda is to change its queue on every way up and down";
  while (queues.size() > 0) ASSERT_NO_FATAL_FAILURE(queues.Pop());
}

INSTANTIATE_TEST_SUITE_P(Seeds, QueuesTest, testing::Range(1, 33));

TEST(Agenda, TakesFirstWhatWasAskedForLastAndIsDueFirst) {
  Agenda agenda;
  for (uint32_t i = 1; i <= 300; ++i) agenda.At(At(1000 + i), EventKind::kMadTimer, i);
  ASSERT_TRUE(AgendaPeer::UsesWheel(agenda));
  agenda.At(At(10), EventKind::kMadTimer, 0);
  for (uint32_t i = 0; i <= 300; ++i) ASSERT_EQ(agenda.Take().on(), i);
}

// Two agendas with the same future, one of which had many more pending events in between.
TEST(Agenda, IsEqualWhicheverQueueItUses) {
  Agenda small;
  Agenda large;
  for (uint32_t i = 0; i < 300; ++i) large.At(At(1), EventKind::kRouteWork, i);
  ASSERT_TRUE(AgendaPeer::UsesWheel(large));
  for (uint32_t i = 0; i < 100; ++i) {
    small.At(At(50 + i % 7 * 1000), EventKind::kMadTimer, i);
    large.At(At(50 + i % 7 * 1000), EventKind::kMadTimer, i);
  }
  for (uint32_t i = 0; i < 300; ++i) large.Take();
  small.AdvanceTo(At(1));
  ASSERT_TRUE(AgendaPeer::UsesWheel(large));
  ASSERT_FALSE(AgendaPeer::UsesWheel(small));
  EXPECT_EQ(small, large);
  EXPECT_EQ(large, small);
  Agenda copy = large;
  EXPECT_EQ(copy, small);
  EXPECT_EQ(TakeAll(&copy), TakeAll(&small));
  EXPECT_EQ(large.size(), 100u) << "a copy took what was its own";
}

TEST(Agenda, IsEqualWhereTheSameIsToComeInTheSameOrder) {
  Agenda one;
  one.At(At(5), EventKind::kMadTimer, 1);
  one.At(At(5), EventKind::kMadTimer, 2);
  Agenda same = one;
  EXPECT_EQ(one, same);
  // More has happened in the other one; the future is the same.
  Agenda later;
  later.At(At(0), EventKind::kMadTimer, 0);
  later.Take();
  later.At(At(5), EventKind::kMadTimer, 1);
  later.At(At(5), EventKind::kMadTimer, 2);
  EXPECT_EQ(one, later);
  Agenda swapped;
  swapped.At(At(5), EventKind::kMadTimer, 2);
  swapped.At(At(5), EventKind::kMadTimer, 1);
  EXPECT_FALSE(one == swapped);
  same.AdvanceTo(At(3));
  EXPECT_FALSE(one == same);
}

// The order does not show how a wheel treats a slot of few events, and the many that join them.
TEST(EventWheel, KeepsTheOrderWhenManyJoinTheFewOfASlot) {
  constexpr int64_t kSlot = 1 << 24;  // of the fourth wheel, in nanoseconds
  StreamState state = NamedStream(1, "joining");
  RandomChoice choice(&state);
  for (int64_t joining : {1, 20, 150, 191, 192, 400}) {
    EventWheel wheel{Instant()};
    std::multimap<Instant, uint32_t> reference;
    uint32_t pushed = 0;
    const auto push = [&](int64_t ns) {
      wheel.Push(Event::Of(At(ns), EventKind::kMadTimer, pushed));
      reference.emplace(At(ns), pushed++);
    };
    const auto pop = [&] {
      ASSERT_EQ(wheel.NextAt(), reference.begin()->first);
      const Event event = wheel.Pop();
      ASSERT_EQ(event.at, reference.begin()->first);
      ASSERT_EQ(event.on(), reference.begin()->second) << joining << " joining";
      reference.erase(reference.begin());
    };
    push(5 * kSlot);
    for (int i = 0; i < 20; ++i)
      push(5 * kSlot + static_cast<int64_t>(choice.Below(9, "few")) * 99);
    for (int i = 0; i < 9; ++i) push(6 * kSlot - i % 3);
    push(6 * kSlot + 1);
    pop();
    for (int i = 0; i < joining; ++i)
      push(5 * kSlot + static_cast<int64_t>(choice.Below(50, "joins")) * (i % 2 == 0 ? 7 : 300000));
    while (!wheel.empty()) {
      const int64_t now = reference.begin()->first.nanoseconds();
      ASSERT_NO_FATAL_FAILURE(pop());
      if (pushed < 1000) push(now + static_cast<int64_t>(choice.Below(2, "soon")) * kSlot / 3);
    }
    ASSERT_TRUE(reference.empty());
  }
}

// Every timer of a large agenda is reported while it is still pending.
TEST(Agenda, TellsOfEventsBeforeTheyHappen) {
  constexpr uint32_t kTimers = 40000;
  Agenda agenda;
  for (uint32_t i = 0; i < kTimers; ++i)
    agenda.At(At(1'000'000 + int64_t{i} * 997), EventKind::kMadTimer, i);
  std::vector<bool> told(kTimers);
  uint32_t late = 0;
  size_t again = 0;
  for (uint32_t i = 0; i < kTimers; ++i) {
    ASSERT_EQ(agenda.Take().on(), i);
    if (!told[i]) ++late;
    agenda.VisitNearing([&](std::span<const Event> coming, std::span<const Event> near) {
      for (const Event& event : near) EXPECT_TRUE(told[event.on()]);
      for (const Event& event : coming) told[event.on()] = true;
      again += near.size();
    });
    agenda.At(agenda.Now() + Duration::Seconds(100), EventKind::kMadTimer, 0);
  }
  EXPECT_LT(late, kTimers / 20);
  EXPECT_GT(again, kTimers / 2);
  Agenda small;
  for (uint32_t i = 0; i < 1000; ++i) small.At(At(int64_t{i} * 99'700), EventKind::kMadTimer, i);
  while (small.NextAt()) {
    small.Take();
    small.VisitNearing([](std::span<const Event>, std::span<const Event>) {
      FAIL() << "what is in the cache anyway";
    });
  }
}

// An empty chunk is reused: memory depends on the pending events, not on past ones.
TEST(EventWheel, KeepsItsMemoryWhileManyTimersGoOn) {
  constexpr uint32_t kTimers = 5000;
  EventWheel wheel{Instant()};
  for (uint32_t i = 0; i < kTimers; ++i) wheel.Push(Event::Of(At(i * 3), EventKind::kMadTimer, i));
  size_t chunks = 0;
  for (uint32_t i = 0; i < 20 * kTimers; ++i) {
    Event event = wheel.Pop();
    ASSERT_EQ(event.on(), i % kTimers);
    event.at = event.at + Duration::Microseconds(15);
    wheel.Push(event);
    if (i == 2 * kTimers) chunks = EventWheelPeer::Chunks(wheel);
  }
  EXPECT_LT(chunks, kTimers);
  EXPECT_EQ(EventWheelPeer::Chunks(wheel), chunks);
}

TEST(AgendaDeathTest, TakesNothingInThePastAndPassesNothingOver) {
  Agenda agenda;
  EXPECT_DEATH(agenda.Take(), "empty");
  agenda.AdvanceTo(At(10));
  EXPECT_DEATH(agenda.At(At(9), EventKind::kMadTimer, 0), "an event in the past");
  agenda.At(At(20), EventKind::kMadTimer, 0);
  EXPECT_DEATH(agenda.AdvanceTo(At(21)), "an event would be passed over");
}

}  // namespace
}  // namespace cm::sim
