#include "model/vocabulary/sockaddr.h"

#include <gtest/gtest.h>

namespace cm {
namespace {

constexpr Address kSilentV4{.kind = AddressKind::kSilent, .port = 7};
constexpr Address kSilentV6{.kind = AddressKind::kSilent, .v6 = true, .port = 7};

TEST(SockAddr, HasTheBuiltInAddressesUntilThoseOfTheNetworkAreSet) {
  const Topology& topology = *FindTopology("two-kernels");
  EXPECT_EQ(HostSet(AddressKind::kSilent), nullptr);
  EXPECT_EQ(HostHere(kSilentV4, topology), "10.0.1.99");
  SockAddr built_in(kSilentV6, topology);

  SetHost(AddressKind::kSilent, {.v4 = "172.20.4.99", .v6 = ""});
  EXPECT_EQ(HostHere(kSilentV4, topology), "172.20.4.99");
  EXPECT_EQ(HostHere(kSilentV6, topology), "") << "there is none of IPv6";
  EXPECT_EQ(HostSet(AddressKind::kUnroutable), nullptr);
  SockAddr here(kSilentV4, topology);
  EXPECT_EQ(AddressOf(here.get(), topology), kSilentV4);
  EXPECT_EQ(AddressOf(built_in.get(), topology), kSilentV6);

  SetHost(AddressKind::kForeign, {.v4 = "172.20.9.9", .v6 = "fd77:9::9"});
  const Address foreign{.kind = AddressKind::kForeign, .v6 = true, .port = 1};
  SockAddr elsewhere(foreign, topology);
  EXPECT_EQ(AddressOf(elsewhere.get(), topology), foreign);
}

}  // namespace
}  // namespace cm
