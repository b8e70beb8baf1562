// On hosts, where a conversation takes seconds, and a process of an earlier one may be held back.
#include "conformance/suite/drawn_by_rapidcheck.h"

#include <gtest/gtest.h>

#include <memory>
#include <set>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "conformance/adapters/sim/sim_adapter.h"
#include "conformance/defects/defective_sim.h"
#include "conformance/driver/implementation.h"
#include "conformance/walks/draw_options.h"
#include "model/conversation/conversation.h"
#include "model/vocabulary/profile.h"
#include "model/vocabulary/topology.h"

namespace cm {
namespace {

// The simulator as if its time were the hosts'.
class Hosts : public Implementation {
 public:
  explicit Hosts(const std::vector<std::string>& defects)
      : sim_(MakeDefectiveSim({.profile = *FindProfile("6.1-rxe"),
                               .watch_wire = true,
                               .capabilities = FindProfile("6.1-rxe")->capabilities},
                              defects)) {}

  std::string name() const override { return "hosts"; }
  const Profile& profile() const override { return sim_->profile(); }
  Capabilities capabilities() const override { return sim_->capabilities(); }
  std::unique_ptr<Session> Start(const Conversation& conversation) override {
    started.push_back(conversation.origin->index);
    return sim_->Start(conversation);
  }

  std::vector<uint64_t> started;  // the numbers of conversations

 private:
  std::unique_ptr<Implementation> sim_;
};

DrawOptions OptionsFor(const Hosts& hosts) {
  DrawOptions options;
  options.profile = hosts.profile();
  options.capabilities = hosts.capabilities();
  options.topology = FindTopology("two-kernels");
  options.calls = 20;
  return options;
}

// Ports, and queue pair numbers that are made up, follow from the number of a conversation.
TEST(Rapidcheck, DrawsEachConversationOnPortsOfItsOwn) {
  Hosts hosts({});
  EXPECT_EQ(CheckWithRapidcheck(hosts, OptionsFor(hosts)), "");
  EXPECT_EQ(std::set<uint64_t>(hosts.started.begin(), hosts.started.end()).size(),
            hosts.started.size());
}

TEST(Rapidcheck, StopsAtWhatItHasFound) {
  Hosts hosts({"connect-wrong-errno"});
  EXPECT_NE(CheckWithRapidcheck(hosts, OptionsFor(hosts)), "");
  EXPECT_LE(hosts.started.size(), 100u);
}

}  // namespace
}  // namespace cm
