// The list that the weaver makes, and the switch.
#include "conformance/defects/defects.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstddef>
#include <thread>

#include "conformance/defects/switch.h"

namespace cm {
namespace {

using defects::Numbers;
using defects::On;
using defects::SwitchedOn;
using testing::AllOf;
using testing::HasSubstr;

Numbers Only(size_t number) { return Numbers().set(number); }

TEST(Defects, AreNumberedFromOneByName) {
  EXPECT_EQ(NumberOf("no-such-defect"), 0);
  for (size_t i = 0; i < Defects().size(); ++i) EXPECT_EQ(NumberOf(Defects()[i].name), i + 1);
}

TEST(Defects, FitIntoTheSwitch) { EXPECT_LT(Defects().size(), Numbers().size()); }

TEST(Defects, AreNotOnTogetherWhenTheyChangeOneFunction) {
  EXPECT_EQ(WhyNotTogether({}), "");
  EXPECT_EQ(WhyNotTogether({"forgets-timewait", "connect-wrong-errno"}), "");
  EXPECT_THAT(WhyNotTogether({"forgets-timewait", "nope"}),
              AllOf(HasSubstr("no defect 'nope'"), HasSubstr("forgets-timewait, ")));
  EXPECT_THAT(WhyNotTogether({"ep-leaks", "ep-leaks"}), HasSubstr("ep-leaks is named twice"));
  EXPECT_THAT(WhyNotTogether({"ignores-rtu", "ep-leaks", "established-twice"}),
              AllOf(HasSubstr("the defects ignores-rtu and established-twice both change "),
                    HasSubstr("ReceiveRtu in sim/ib_cm/receive.cc")));
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
  const SwitchedOn outer(Only(1));
  {
    const SwitchedOn inner(Only(2));
    EXPECT_TRUE(On(2));
    EXPECT_FALSE(On(1));
  }
  EXPECT_TRUE(On(1));
}

TEST(Switch, HasSeveralOnAtOnce) {
  const SwitchedOn on(Only(1) | Only(3));
  EXPECT_TRUE(On(1));
  EXPECT_FALSE(On(2));
  EXPECT_TRUE(On(3));
}

TEST(Switch, IsOfOneThread) {
  const SwitchedOn on(Only(1));
  bool elsewhere = true;
  std::thread([&] { elsewhere = On(1); }).join();
  EXPECT_FALSE(elsewhere);
}

}  // namespace
}  // namespace cm
