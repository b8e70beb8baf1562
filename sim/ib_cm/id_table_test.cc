#include "sim/ib_cm/id_table.h"

#include <gtest/gtest.h>

#include "model/vocabulary/profile.h"
#include "model/vocabulary/topology.h"
#include "sim/core/agenda.h"
#include "sim/fabric/fabric.h"

namespace cm::sim {
namespace {

constexpr uint8_t kHere = 0;   // the device of a kernel
constexpr uint8_t kThere = 2;  // the tester's device

class IdTableTest : public testing::Test {
 protected:
  IbContext Context() { return {&agenda_, &fabric_, nullptr, profile_}; }
  IbIndex Create() { return ids_.Create(fabric_.KernelOf(kHere), kHere, CmIdIndex(), 0); }
  // With a peer that has these numbers.
  IbIndex Connect(uint32_t remote_cid, uint32_t remote_qpn) {
    const IbIndex ib = Create();
    IdTable::SetPeer(Context(), &ids_[ib], kThere);
    ids_[ib].remote_cid = remote_cid;
    ids_[ib].remote_qpn = remote_qpn;
    ids_.IndexByPeer(&ids_[ib]);
    return ib;
  }
  IbIndex FindRemoteId(uint32_t cid) {
    return ids_.FindRemoteId(fabric_.KernelOf(kHere), fabric_.CaOf(kThere), cid);
  }
  IbIndex FindRemoteQp(uint32_t qpn) {
    return ids_.FindRemoteQp(fabric_.KernelOf(kHere), fabric_.CaOf(kThere), qpn);
  }

  const Profile* profile_ = FindProfile("6.1-rxe");
  Agenda agenda_;
  Fabric fabric_{FindTopology("tester"), profile_};
  IdTable ids_;
};

TEST_F(IdTableTest, MatchesAMessageByBothItsIds) {
  const IbIndex ib = Connect(77, 18);
  const uint32_t cid = ids_[ib].local_cid;
  EXPECT_EQ(ids_.Match(Context(), kHere, cid, 77), ib);
  EXPECT_FALSE(ids_.Match(Context(), kHere, cid, 78).valid());
  EXPECT_FALSE(ids_.Match(Context(), kHere, cid + 1, 77).valid());
  EXPECT_FALSE(ids_.Match(Context(), kThere, cid, 77).valid()) << "another kernel";
  ids_[ib].dying = true;
  EXPECT_FALSE(ids_.Match(Context(), kHere, cid, 77).valid());
}

TEST_F(IdTableTest, FindsTheOldestIdByThePeersNumbers) {
  const IbIndex first = Connect(77, 18);
  const IbIndex second = Connect(77, 18);
  EXPECT_EQ(FindRemoteId(77), first);
  EXPECT_EQ(FindRemoteQp(18), first);
  ids_.Free(first);
  EXPECT_EQ(FindRemoteId(77), second);
  ids_.Unindex(&ids_[second]);
  EXPECT_FALSE(FindRemoteId(77).valid());
  EXPECT_FALSE(FindRemoteQp(18).valid());
}

// A slot is reused, and its communication id is not.
TEST_F(IdTableTest, GivesEachIdANewCommunicationId) {
  const IbIndex first = Create();
  const uint32_t cid = ids_[first].local_cid;
  ids_.Free(first);
  const IbIndex second = Create();
  EXPECT_EQ(second, first);
  EXPECT_EQ(ids_[second].local_cid, cid + 1);
}

}  // namespace
}  // namespace cm::sim
