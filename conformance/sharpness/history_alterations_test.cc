#include "conformance/sharpness/history_alterations.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "conformance/sharpness/kinds.h"
#include "model/conversation/parse.h"
#include "model/vocabulary/profile.h"

namespace cm {
namespace {

using testing::Contains;
using testing::Each;
using testing::ElementsAre;
using testing::EndsWith;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::SizeIs;

constexpr std::string_view kShort = R"(topology one-kernel-two-devices
profile 6.1-rxe
capabilities time
active rdma_create_event_channel C nonblocking
active rdma_create_id A on=C
active rdma_resolve_addr A src=active:0 dst=passive:7471 timeout_ms=2000
active wait C within=1s
active rdma_get_cm_event C as=e1
active show A
active rdma_get_cm_event C as=e2
----
        0us  active rdma_create_event_channel C nonblocking -> 0
        0us  active rdma_create_id A on=C -> 0
        0us  active rdma_resolve_addr A src=active:0 dst=passive:7471 timeout_ms=2000 -> 0
  0us..20us  active wait C within=1s -> readable
       20us  active rdma_get_cm_event C as=e1 -> 0  event RDMA_CM_EVENT_ADDR_RESOLVED id=A
       20us  active show A -> 0  device=rxe0 port_num=1 src=active:32768 dst=passive:7471 num_paths=0 qp=none
       20us  active rdma_get_cm_event C as=e2 -> -1 EAGAIN
)";

const History& Short() {
  static const History history = [] {
    auto read = ParseHistory(kShort);
    EXPECT_TRUE(std::holds_alternative<History>(read)) << std::get<TextProblem>(read).what;
    return std::get<History>(std::move(read));
  }();
  return history;
}

const Profile& Reference() { return *FindProfile("6.1-rxe"); }

struct Named {
  std::vector<std::string> all;
  std::vector<std::string> permitted;
};

Named Alter(std::string_view kind) {
  Named named;
  AlterHistory(KindNamed(kind), Short(), PermittedRecords(Short(), Reference()),
               Reference().transport, [&](const std::string& name, const History& altered) {
                 named.all.push_back(name);
                 if (Admits(altered, Reference())) named.permitted.push_back(name);
               });
  return named;
}

TEST(HistoryAlterations, StartFromAHistoryThatIsPermitted) {
  EXPECT_TRUE(Admits(Short(), Reference()));
  EXPECT_THAT(PermittedRecords(Short(), Reference()), SizeIs(7));
}

TEST(HistoryAlterations, AreNoneOfAHistoryThatIsRefused) {
  History refused = Short();
  std::get<seen::Answered>(refused.records[1].seen).reply = Reply::Refused(Errno::kBusy);
  EXPECT_THAT(PermittedRecords(refused, Reference()), IsEmpty());
}

TEST(HistoryAlterations, NameTheRecordTheCallAndTheAlternative) {
  const Named errnos = Alter("errno");
  EXPECT_THAT(errnos.all, Contains("2 rdma_create_id reply 0 -> -1 EINVAL"));
  EXPECT_THAT(errnos.all, Not(Contains(HasSubstr("show"))));
  EXPECT_THAT(Alter("event").all, Contains("5 rdma_get_cm_event type ADDR_RESOLVED -> ADDR_ERROR"));
  EXPECT_THAT(Alter("status").all, Contains("5 rdma_get_cm_event status 0 -> -110"));
  EXPECT_THAT(Alter("queue pair").all, Contains("6 show qp none -> RTS"));
}

TEST(HistoryAlterations, PutEventsIntoSilenceAndSilenceInPlaceOfEvents) {
  const Named readable = Alter("quiet or readable");
  EXPECT_THAT(readable.all, Contains("4 wait readable -> quiet"));
  EXPECT_THAT(readable.all, Contains("7 rdma_get_cm_event silence nothing -> ROUTE_RESOLVED of A"));
  EXPECT_THAT(Alter("late").all, ElementsAre("4 wait time in time -> late"));
  EXPECT_THAT(Alter("never").all, ElementsAre("4 wait time in time -> never"));
}

TEST(HistoryAlterations, MakeEveryCallSlow) {
  EXPECT_THAT(Alter("slow call").all, SizeIs(5));
  EXPECT_THAT(Alter("slow call").all, Each(EndsWith("time in time -> 30 s longer")));
}

TEST(HistoryAlterations, AreRefused) {
  for (const AlterationKind& kind : AlterationKinds())
    EXPECT_THAT(Alter(kind.name).permitted, IsEmpty()) << kind.name;
}

}  // namespace
}  // namespace cm
