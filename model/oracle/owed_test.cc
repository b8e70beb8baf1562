// Each thing that is owed, after each fault: permitted at its first moment and at its last, refused
// before, later, and when it never comes.
#include "model/oracle/owed.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "model/base/duration.h"
#include "model/oracle/told.h"
#include "model/vocabulary/fault_kinds.h"
#include "model/vocabulary/profile.h"

namespace cm::model {
namespace {

constexpr Duration kStart = Duration::Seconds(1);  // of the last call
constexpr Duration kTick = Duration::Milliseconds(1);
constexpr Duration kNever = Duration::Seconds(1800);

std::string At(Duration at) { return "@" + ToString(kStart + at); }
std::string At(Duration from, Duration to) {
  return "@" + ToString(kStart + from) + ".." + ToString(kStart + to);
}

// One row with its conversation.
class Case {
 public:
  explicit Case(const OwedRow& row)
      : row_(row), profile_(*FindProfile(row.profile)), told_(Before() + Last()) {}

  const Profile& profile() const { return profile_; }
  Duration first() const { return row_.bounds.first(profile_.timing); }
  Duration last() const { return row_.bounds.last(profile_.timing); }
  bool returns() const { return row_.owed == Owed::kReturn; }

  // The thing comes at that time, and nothing before.
  Told Comes(Duration at) const {
    if (returns()) return told_ + Told{At({}, at), "active rdma_destroy_id A -> 0"};
    return told_ + Told{At(kTick, at), Wait() + " -> quiet", At(at), Fetch()};
  }
  // It has not come by then.
  Told IsMissing(Duration by) const {
    if (returns()) return told_ + Told{At({}, by), "active rdma_destroy_id A -> blocked"};
    return told_ + Told{At(kTick, by), Wait() + " -> quiet"};
  }
  // It is fetched then, and the fetch has lasted.
  Told IsFetched(Duration by) const { return told_ + Told{At(kTick, by), Fetch()}; }

 private:
  Told Faults() const {
    Told lines;
    std::string_view rest = row_.lines;
    while (!rest.empty()) {
      const size_t end = rest.find("; ");
      lines.push_back("fault " + std::string(rest.substr(0, end)) + " -> done");
      rest.remove_prefix(end == std::string_view::npos ? rest.size() : end + 2);
    }
    return lines;
  }

  Told Before() const {
    const Told first =
        Told{"topology " + std::string(row_.topology)} + (row_.early ? Faults() : Told{});
    const Told then = row_.early ? Told{} : Faults();
    switch (row_.owed) {
      case Owed::kAddress:
        return first + kListening + kIdle + then;
      case Owed::kEvent:
        return first + kListening + kAddrResolved + then;
      case Owed::kNews:
        return first + kAccepted + Told{kEstablished, "active rdma_ack_cm_event e3 -> 0"};
      case Owed::kReturn:
      case Owed::kMessage:
        return first + kListening + kRouteResolved + then;
      case Owed::kRepetition:
        return first + kListening + kRouteResolved +
               Told{"fault drop REQ from=active nth=1 -> done"} + then;
      case Owed::kTimewait:
        return first + kTimewaiting + then;
    }
    return first;
  }

  Told Last() const {
    const Told now = {At(Duration())};
    switch (row_.owed) {
      case Owed::kAddress:
        return now + Told{kResolve};
      case Owed::kEvent:
        return now + Told{"active rdma_resolve_route A timeout_ms=2000 -> 0"};
      case Owed::kNews:
        return now + Faults();
      case Owed::kMessage:
      case Owed::kRepetition:
        return now + Told{"active rdma_connect A private=\"hello\" -> 0"};
      case Owed::kReturn:
      case Owed::kTimewait:
        break;
    }
    return {};
  }

  bool at_listener() const {
    const bool requests = row_.owed == Owed::kMessage || row_.owed == Owed::kRepetition;
    return requests && row_.event.empty();
  }
  std::string Wait() const {
    return at_listener() ? "passive wait S within=3600s" : "active wait C within=3600s";
  }
  std::string Fetch() const {
    if (at_listener()) return kFetchRequest + kRequestFields + " private=\"hello\"+51";
    const std::string fetch = "active rdma_get_cm_event C as=e9 -> 0  event ";
    if (!row_.event.empty()) return fetch + std::string(row_.event);
    if (row_.owed == Owed::kAddress) return fetch + "RDMA_CM_EVENT_ADDR_RESOLVED id=A";
    return fetch + (row_.owed == Owed::kEvent ? "RDMA_CM_EVENT_ROUTE_RESOLVED id=A"
                                              : "RDMA_CM_EVENT_TIMEWAIT_EXIT id=A");
  }

  const OwedRow row_;
  const Profile& profile_;
  Told told_;
};

class EachRow : public testing::TestWithParam<OwedRow> {};

TEST_P(EachRow, PermitsItsFirstMomentAndItsLast) {
  const Case c(GetParam());
  ExpectPermitted(c.Comes(c.first() + kTick), c.profile());
  ExpectPermitted(c.Comes(c.last()), c.profile());
}

TEST_P(EachRow, RefusesWhatIsEarlyLateOrNeverComes) {
  const Case c(GetParam());
  if (c.first() > Duration()) RefusalOfTheLast(c.Comes(c.first() - kTick * 2), c.profile());
  RefusalOfTheLast(c.IsMissing(c.last() + kTick * 2), c.profile());
  RefusalOfTheLast(c.IsMissing(kNever), c.profile());
  if (c.returns())
    RefusalOfTheLast(c.Comes(c.last() + kTick * 2), c.profile());
  else
    RefusalOfTheLast(c.IsFetched(c.last() + Duration::Seconds(1)), c.profile());
}

std::string NameOfCase(const testing::TestParamInfo<OwedRow>& info) {
  std::string name(ToString(info.param.fault));
  name += "_" + std::string(NameOf(info.param.owed));
  std::ranges::replace(name, '-', '_');
  return name;
}

INSTANTIATE_TEST_SUITE_P(Owed, EachRow, testing::ValuesIn(OwedRows()), NameOfCase);

TEST(OwedRows, AreThereForEachFaultAndEachThing) {
  const std::vector<OwedRow> rows = OwedRows();
  for (const FaultRow& kind : kFaultKinds) {
    for (const OwedThing& thing : kOwedThings) {
      const bool there = std::ranges::any_of(rows, [&](const OwedRow& row) {
        return row.fault == kind.kind && row.owed == thing.owed;
      });
      EXPECT_TRUE(there || thing.owed == Owed::kNews) << kind.name << " " << thing.name;
    }
  }
}

}  // namespace
}  // namespace cm::model
