#include "sim/ib_cm/cid_table.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <set>

namespace cm::sim {
namespace {

std::multiset<uint32_t> Remotes(const CidTable& table, uint32_t cid) {
  std::multiset<uint32_t> remotes;
  table.VisitRemotes(cid, [&](IbIndex ib) { remotes.insert(ib.value()); });
  return remotes;
}

TEST(CidTable, FindsWhoHasACommunicationId) {
  CidTable table;
  EXPECT_FALSE(table.Owner(1).valid());
  for (uint32_t cid = 1; cid <= 2000; ++cid) table.Add(cid, IbIndex(3 * cid));
  for (uint32_t cid = 1; cid <= 2000; ++cid) EXPECT_EQ(table.Owner(cid), IbIndex(3 * cid));
  EXPECT_FALSE(table.Owner(0).valid());
  EXPECT_FALSE(table.Owner(0xffffffff).valid());
}

TEST(CidTable, ForgetsWhoIsGone) {
  CidTable table;
  for (uint32_t cid = 1; cid <= 1000; ++cid) table.Add(cid, IbIndex(cid));
  for (uint32_t cid = 1; cid <= 1000; ++cid)
    if (cid % 300 != 0) table.Remove(cid);
  // Later numbers reuse the room, and old entries are not found.
  for (uint32_t cid = 1001; cid <= 2000; ++cid) table.Add(cid, IbIndex(cid));
  for (uint32_t cid = 1; cid <= 2000; ++cid)
    EXPECT_EQ(table.Owner(cid), cid <= 1000 && cid % 300 != 0 ? IbIndex() : IbIndex(cid));
}

// A peer may use any number: one that another peer uses, or one that was never assigned.
TEST(CidTable, ShowsEveryoneWhosePeerSaysThatItHasOne) {
  CidTable table;
  table.Add(7, IbIndex(70));
  for (const uint32_t cid : {7u, 8u, 4'000'000'000u}) {
    EXPECT_TRUE(Remotes(table, cid).empty());
    for (const uint32_t ib : {1u, 2u, 3u}) table.AddRemote(cid, IbIndex(ib));
    EXPECT_EQ(Remotes(table, cid), (std::multiset<uint32_t>{1, 2, 3}));
    table.RemoveRemote(cid, IbIndex(1));
    EXPECT_EQ(Remotes(table, cid), (std::multiset<uint32_t>{2, 3}));
    table.AddRemote(cid, IbIndex(4));
    table.RemoveRemote(cid, IbIndex(3));
    table.RemoveRemote(cid, IbIndex(2));
    EXPECT_EQ(Remotes(table, cid), (std::multiset<uint32_t>{4}));
  }
  EXPECT_EQ(table.Owner(7), IbIndex(70));
  EXPECT_FALSE(table.Owner(8).valid());
}

// The user stays longer than the owner, which goes first.
TEST(CidTable, IsKnownWhenNobodyHasItAnyMore) {
  CidTable table;
  table.Add(7, IbIndex(70));
  table.AddRemote(7, IbIndex(1));
  table.Remove(7);
  EXPECT_FALSE(table.Owner(7).valid());
  EXPECT_EQ(Remotes(table, 7), (std::multiset<uint32_t>{1}));
  table.RemoveRemote(7, IbIndex(1));
  EXPECT_TRUE(Remotes(table, 7).empty());
  table.AddRemote(7, IbIndex(2));
  EXPECT_EQ(Remotes(table, 7), (std::multiset<uint32_t>{2}));
}

}  // namespace
}  // namespace cm::sim
