#include "tools/app/drawn_faults.h"

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "model/vocabulary/fault.h"
#include "model/vocabulary/profile.h"
#include "model/vocabulary/topology.h"
#include "model/vocabulary/topology_ref.h"
#include "tools/app/script.h"

namespace cm::app {
namespace {

constexpr uint64_t kSeeds = 200;

// Of all seeds.
std::vector<Fault> DrawnUnder(const Profile& profile) {
  std::vector<Fault> all;
  for (uint64_t seed = 1; seed <= kSeeds; ++seed)
    for (const Happening& one : DrawFaults(seed, FindTopology("two-kernels"), profile))
      if (one.fault) all.push_back(*one.fault);
  return all;
}

TEST(DrawnFaults, AreThoseThatTheProfileHas) {
  for (const Profile& profile : Profiles()) {
    SCOPED_TRACE(profile.name);
    const std::vector<Fault> drawn = DrawnUnder(profile);
    EXPECT_GT(drawn.size(), size_t{20});
    for (const Fault& fault : drawn)
      EXPECT_TRUE(profile.capabilities.Includes(Needs(fault))) << ToString(fault.kind);
  }
}

TEST(DrawnFaults, OverIwarpAreRemovedDevices) {
  for (const Fault& fault : DrawnUnder(*FindProfile("6.1-siw")))
    EXPECT_EQ(ToString(fault.kind), "remove-device");
}

}  // namespace
}  // namespace cm::app
