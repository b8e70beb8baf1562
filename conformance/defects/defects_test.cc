// The list that the weaver makes, and the switch.
#include "conformance/defects/defects.h"

#include <gtest/gtest.h>

#include <cstddef>
#include <thread>

#include "conformance/defects/switch.h"

namespace cm {
namespace {

using defects::On;
using defects::SwitchedOn;

TEST(Defects, AreNumberedFromOneByName) {
  EXPECT_EQ(NumberOf("no-such-defect"), 0);
  for (size_t i = 0; i < Defects().size(); ++i) EXPECT_EQ(NumberOf(Defects()[i].name), i + 1);
}

TEST(Defects, NameAProfileThatShowsThem) {
  for (const Defect& defect : Defects()) {
    if (defect.needs.empty()) continue;
    const Profile* const profile = FindProfile(defect.profile);
    ASSERT_NE(profile, nullptr) << defect.name;
    EXPECT_EQ(WhoShows(defect.name, *profile), "") << defect.name << " needs " << defect.needs;
    EXPECT_EQ(WhoShows(defect.name, Profiles().front()), defect.profile) << defect.name;
  }
}

TEST(Switch, IsBackWhereItWasBehindTheScope) {
  const SwitchedOn outer(1);
  {
    const SwitchedOn inner(2);
    EXPECT_TRUE(On(2));
    EXPECT_FALSE(On(1));
  }
  EXPECT_TRUE(On(1));
}

TEST(Switch, IsOfOneThread) {
  const SwitchedOn on(1);
  bool elsewhere = true;
  std::thread([&] { elsewhere = On(1); }).join();
  EXPECT_FALSE(elsewhere);
}

}  // namespace
}  // namespace cm
