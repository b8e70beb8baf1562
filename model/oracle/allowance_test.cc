// A fault that hits a number of messages explains no more than that number, of whichever
// connections they are.
#include <gtest/gtest.h>

#include <string>

#include "model/oracle/told.h"

namespace cm::model {
namespace {

// B of the channel D asks the listener M of the channel T, as A of C asks L of S.
Told Renamed(Told told) {
  for (std::string& line : told) {
    for (const auto& [from, to] : std::initializer_list<std::pair<std::string, std::string>>{
             {" L", " M"},
             {" A", " B"},
             {"=A", "=B"},
             {"=L", "=M"},
             {" C ", " D "},
             {"=C ", "=D "},
             {" S ", " T "},
             {"=S ", "=T "},
             {"7471", "7472"},
             {"as=e", "as=f"},
             {"event e", "event f"},
             {"ack_cm_event e", "ack_cm_event f"}}) {
      for (size_t at = line.find(from); at != std::string::npos;
           at = line.find(from, at + to.size()))
        line.replace(at, from.size(), to);
    }
  }
  return told;
}

Told TwoAsk(const std::string& fault) {
  const Told asks = {"active rdma_connect A private=\"hello\" -> 0"};
  return kListening + kRouteResolved + Renamed(kListening + kRouteResolved) +
         Told{"fault " + fault + " -> done", "@1s"} + asks + Renamed(asks);
}

const std::string kFetches = kFetchRequest + kRequestFields + " private=\"hello\"+51";
const std::string kFetchesOther =
    "passive rdma_get_cm_event T as=q id=Q -> 0  event RDMA_CM_EVENT_CONNECT_REQUEST id=Q "
    "listen=M" +
    kRequestFields + " private=\"hello\"+51";

class ACountedFault : public testing::TestWithParam<std::string> {};

TEST_P(ACountedFault, HitsTheFirst) {
  const Told told = TwoAsk(GetParam());
  const Told waits = {"@3s..4s", "passive wait S within=1s -> quiet"};
  ExpectPermitted(told + waits + Told{kFetchesOther});
  RefusalOfTheLast(told + Told{"passive wait S within=1s -> readable"});
}

TEST_P(ACountedFault, DoesNotHitAnother) {
  RefusalOfTheLast(TwoAsk(GetParam()) + Told{"@3s..4s", "passive wait T within=1s -> quiet"});
}

// They are asked for at once: the order is not known.
TEST_P(ACountedFault, HitsEitherOfTwoAtOnceButNotBoth) {
  Told told = TwoAsk(GetParam());
  for (std::string& line : told)
    if (line.find("rdma_connect B") != std::string::npos) line.replace(0, 6, "active/2 &");
  const Told s_quiet = {"@3s..4s", "passive wait S within=1s -> quiet"};
  const Told t_quiet = {"@5s..6s", "passive wait T within=1s -> quiet"};
  ExpectPermitted(told + s_quiet + Told{kFetchesOther});
  ExpectPermitted(told + Told{kFetches} + t_quiet);
  RefusalOfTheLast(told + s_quiet + t_quiet);
}

INSTANTIATE_TEST_SUITE_P(Once, ACountedFault,
                         testing::Values("drop REQ from=active nth=1",
                                         "delay REQ from=active nth=1 by=7s"));

}  // namespace
}  // namespace cm::model
