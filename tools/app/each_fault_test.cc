#include "tools/app/each_fault.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "model/base/duration.h"
#include "model/vocabulary/mad_kind.h"
#include "model/vocabulary/profile.h"
#include "model/vocabulary/topology.h"
#include "tools/app/broker.h"

namespace cm::app {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

Setting ASetting() {
  return {.topology = FindTopology("two-kernels"),
          .profile = *FindProfile("6.1-rxe"),
          .programs = {},
          .staying_sides = {},
          .script = {}};
}

// "2us fault link-down side=active, 1000002us fault link-up side=active".
std::vector<std::string> TextsOf(const std::vector<std::vector<Happening>>& scripts) {
  std::vector<std::string> texts;
  for (const std::vector<Happening>& script : scripts) {
    texts.emplace_back();
    for (const Happening& one : script)
      texts.back() +=
          (texts.back().empty() ? "" : ", ") + ToString(one.at - Instant()) + " " + one.text;
  }
  return texts;
}

TEST(Steps, OfARunWithoutAnyHaveNoFaults) {
  Setting setting = ASetting();
  Steps steps;
  steps.Watch(&setting);
  EXPECT_THAT(steps.Faults(setting), IsEmpty());
}

TEST(Steps, HaveADeviceRemovedAndALinkDownOfEachSideAtEachInstantOnce) {
  Setting setting = ASetting();
  Steps steps;
  steps.Watch(&setting);
  setting.traces("         2us  active rdma_create_id file=0 -> id=0");
  setting.traces("         2us  passive rdma_listen id=0 backlog=3 -> 0");
  setting.traces("      9500ns  active exit code 0");
  setting.traces("a line without an instant");
  EXPECT_THAT(TextsOf(steps.Faults(setting)),
              ElementsAre("2us fault remove-device side=active",
                          "2us fault link-down side=active, 1000002us fault "
                          "link-up side=active",
                          "2us fault remove-device side=passive",
                          "2us fault link-down side=passive, 1000002us fault "
                          "link-up side=passive",
                          "9500ns fault remove-device side=active",
                          "9500ns fault link-down side=active, 1000009500ns "
                          "fault link-up side=active",
                          "9500ns fault remove-device side=passive",
                          "9500ns fault link-down side=passive, 1000009500ns "
                          "fault link-up side=passive"));
}

TEST(Steps, HaveEachMessageLostThatGoesToAnotherDevice) {
  Setting setting = ASetting();
  Steps steps;
  steps.Watch(&setting);
  const uint8_t active = setting.topology->sides[kActiveSide].device;
  const uint8_t passive = setting.topology->sides[kPassiveSide].device;
  const auto sends = [&](MadKind kind, uint8_t from, uint8_t to) {
    sim::WireNote note{.from = from, .to = to, .mad = {}};
    note.mad.kind = kind;
    setting.on_wire(note);
  };
  sends(MadKind::kReq, active, passive);
  sends(MadKind::kReq, active, passive);
  sends(MadKind::kReq, passive, active);
  sends(MadKind::kRep, passive, passive);
  setting.on_wire({.from = active, .to = passive, .data = std::make_shared<sim::DataNote>()});
  EXPECT_THAT(TextsOf(steps.Faults(setting)), ElementsAre("0us fault drop REQ from=active nth=1",
                                                          "0us fault drop REQ from=active nth=2",
                                                          "0us fault drop REQ from=passive nth=1"));
}

TEST(Steps, HaveOnlyFaultsThatTheProfileHas) {
  Setting setting = ASetting();
  setting.profile = *FindProfile("6.1-siw");
  Steps steps;
  steps.Watch(&setting);
  setting.traces("         2us  active rdma_create_id file=0 -> id=0");
  sim::WireNote note{.from = setting.topology->sides[kActiveSide].device,
                     .to = setting.topology->sides[kPassiveSide].device,
                     .mad = {}};
  note.mad.kind = MadKind::kReq;
  setting.on_wire(note);
  EXPECT_THAT(TextsOf(steps.Faults(setting)), ElementsAre("2us fault remove-device side=active",
                                                          "2us fault remove-device side=passive"));
}

}  // namespace
}  // namespace cm::app
