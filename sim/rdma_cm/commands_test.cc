// Commands to two kernels: refusals of resolutions, backlogs, what a destroy counts, and iWARP.
//
// Time advances to the events of the kernels' rdma_cm alone; messages are delivered by hand.
#include "sim/rdma_cm/commands.h"

#include <gtest/gtest.h>

#include <string_view>

#include "sim/rdma_cm/ib_transport.h"
#include "sim/rdma_cm/iw_transport.h"
#include "sim/rdma_cm/rdma_cm.h"
#include "sim/rdma_cm/transports.h"

namespace cm::sim {
namespace {

constexpr uint16_t kPort = 7471;

constexpr Address Side(uint8_t side, uint16_t port = kPort) {
  return {.kind = AddressKind::kSide, .side = side, .port = port};
}

class Kernels : public testing::Test {
 protected:
  explicit Kernels(std::string_view profile_name = "6.1-rxe")
      : profile(FindProfile(profile_name)), fabric(FindTopology("two-kernels"), profile) {}

  // A new id of the file, by its handle.
  uint32_t Create(FileIndex file, PortSpace space = PortSpace::kTcp) {
    return Execute(k, file, command::CreateId{.uid = ++last_uid, .space = space}).value();
  }
  uint32_t Listener(int32_t backlog) {
    const uint32_t id = Create(there);
    EXPECT_EQ(Execute(k, there, command::Bind{id, Side(1)}), Errno::kNone);
    EXPECT_EQ(Execute(k, there, command::Listen{id, backlog}), Errno::kNone);
    return id;
  }
  Errno Resolve(uint32_t id, const Address& destination, int32_t timeout_ms = 1000) {
    return Execute(
        k, here,
        command::ResolveAddr{.id = id, .destination = destination, .timeout_ms = timeout_ms});
  }
  // Runs the kernels to their next event; false when there is none.
  bool Step() {
    if (!agenda.NextAt()) return false;
    const Event event = agenda.Take();
    const CmIdIndex id(event.on());
    if (event.kind() == EventKind::kAddressWork) OnAddressWork(k, id);
    if (event.kind() == EventKind::kRouteWork) OnRouteWork(k, id);
    if (event.kind() == EventKind::kCloseWork) OnCloseWork(k, id);
    if (event.kind() == EventKind::kNeighbourFails) OnNeighbourFails(k, 0, 1);
    if (event.kind() == EventKind::kNeighbourWork) OnNeighbourWork(k, id);
    if (event.kind() == EventKind::kMembershipWork)
      OnMembershipWork(k, MembershipIndex(id.value()));
    if (event.kind() == EventKind::kFrameArrives) iw.OnFrame(IwCall(k), FrameIndex(event.on()));
    return true;
  }
  // The next event of the file, as soon as there is one.
  response::Event Take(FileIndex file) {
    while (!cma.files.Readable(file))
      if (!Step()) return {.type = EventType::kInternal};
    return Execute(k, file, command::GetEvent{}).value();
  }
  // An id with a resolved route to the passive side.
  uint32_t Routed() {
    const uint32_t id = Create(here);
    EXPECT_EQ(Resolve(id, Side(1)), Errno::kNone);
    EXPECT_EQ(Take(here).type, EventType::kAddrResolved);
    EXPECT_EQ(Execute(k, here, command::ResolveRoute{id, 1000}), Errno::kNone);
    EXPECT_EQ(Take(here).type, EventType::kRouteResolved);
    return id;
  }
  // A REQ of the active side's device arrives, each of a connection of its own.
  void Request() {
    ++last_cid;
    ib.Receive(IbCall(k), 1,
               {.local_cid = last_cid,
                .tid = last_cid,
                .port = kPort,
                .sender = 0,
                .qp_num = last_cid,
                .source = Side(0, 9),
                .destination = Side(1)});
  }

  const Profile* const profile;
  Agenda agenda;
  Fabric fabric;
  IbCm ib;
  IwCm iw;
  RdmaCm cma;
  const KernelContext k{&cma, &agenda, &fabric, &ib, &iw, profile, &TransportOf(*profile)};
  const FileIndex here = cma.files.Open(0);
  const FileIndex there = cma.files.Open(1);
  uint64_t last_uid = 0;
  uint32_t last_cid = 100;
};

TEST_F(Kernels, CheckTheHandleFirst) {
  const uint32_t id = Create(here);
  EXPECT_EQ(Execute(k, here, command::Bind{id + 1, Side(1)}), Errno::kNoEnt);
  EXPECT_EQ(Execute(k, there, command::Bind{id, Side(0)}), Errno::kInval) << "of another file";
  EXPECT_EQ(Execute(k, here, command::Disconnect{id}), Errno::kInval) << "without a device";
  EXPECT_TRUE(Execute(k, here, command::DestroyId{id}).value().finished);
  EXPECT_EQ(Execute(k, here, command::Bind{id, Side(0)}), Errno::kNoEnt);
}

TEST_F(Kernels, ReportOneRemovalOfADeviceThatIsBackForAMoment) {
  const uint32_t id = Create(here);
  EXPECT_EQ(Execute(k, here, command::Bind{id, Side(0)}), Errno::kNone);
  RemoveDevice(k, 0);
  fabric.Register(0);
  RemoveDevice(k, 0);
  EXPECT_EQ(Take(here).type, EventType::kDeviceRemoval);
  EXPECT_EQ(Take(here).type, EventType::kInternal) << "another event";
}

// An id of datagrams that joins a group.
class Groups : public Kernels {
 protected:
  uint32_t Join(FileIndex file) {
    const uint32_t id = Create(file, PortSpace::kUdp);
    EXPECT_EQ(Execute(k, file, command::Bind{id, Side(0)}), Errno::kNone);
    const command::JoinMulticast join{
        .id = id, .uid = 1, .address = {.kind = AddressKind::kGroup, .group = 1}};
    EXPECT_TRUE(Execute(k, file, join).ok());
    return id;
  }
};

TEST_F(Groups, AreNotJoinedAfterACrash) {
  Join(here);
  CrashKernel(k, 0);
  while (Step()) {
  }
  EXPECT_EQ(cma.memberships.live_count(), 0u);
}

TEST_F(Groups, AreReportedOnceAndInTimeWhereAnEarlierJoinHadThePlace) {
  Join(here);
  CrashKernel(k, 0);
  agenda.AdvanceTo(agenda.Now() + Duration::Microseconds(5));
  const FileIndex file = cma.files.Open(0);
  Join(file);
  EXPECT_TRUE(Step());
  EXPECT_FALSE(cma.files.Readable(file));
  EXPECT_EQ(Take(file).type, EventType::kMulticastJoin);
  EXPECT_EQ(agenda.Now(), Instant() + Duration::Microseconds(15));
  EXPECT_EQ(Take(file).type, EventType::kInternal) << "another event";
}

TEST_F(Groups, OfADestroyedIdOutliveACrashOfTheOtherHost) {
  EXPECT_TRUE(Execute(k, here, command::DestroyId{Join(here)}).value().finished);
  EXPECT_EQ(cma.memberships.live_count(), 1u);
  CrashKernel(k, 1);
  EXPECT_TRUE(Step());
  EXPECT_EQ(cma.memberships.live_count(), 0u);
}

// source: docs/sources/api.md 9.3
TEST_F(Kernels, SetNoTimeoutOfAnIdThatOnlyAnswers) {
  const auto set = [&](command::IdType type) {
    const command::CreateId create{.uid = ++last_uid, .space = PortSpace::kIb, .type = type};
    const uint32_t id = Execute(k, here, create).value();
    return Execute(
        k, here,
        command::SetOption{.id = id, .option = kAckTimeoutOption, .value = 14, .length = 1});
  };
  EXPECT_EQ(set(command::IdType::kUsual), Errno::kNone);
  EXPECT_EQ(set(command::IdType::kXrcSend), Errno::kNone);
  EXPECT_EQ(set(command::IdType::kXrcReceive), Errno::kInval);
}

TEST_F(Kernels, BindToTheirOwnAddressesAlone) {
  const uint32_t id = Create(here);
  EXPECT_EQ(Execute(k, here, command::Bind{id, Side(1)}), Errno::kAddrNotAvail);
  EXPECT_EQ(Execute(k, here, command::Bind{id, Side(0)}), Errno::kNone);
  EXPECT_EQ(Execute(k, here, command::Bind{id, Side(0)}), Errno::kInval) << "it is bound";
  EXPECT_EQ(Execute(k, here, command::QueryAddr{id}).value().source, Side(0));
}

TEST_F(Kernels, RefuseToResolveWithoutARoute) {
  const uint32_t id = Create(here);
  EXPECT_EQ(Resolve(id, {.kind = AddressKind::kUnroutable}), Errno::kNetUnreach);
  EXPECT_EQ(Resolve(id, {.kind = AddressKind::kSide, .side = 1, .v6 = true}), Errno::kInval)
      << "its source is IPv4 from now on";
  fabric.device(0).up = false;
  EXPECT_EQ(Resolve(id, Side(1)), Errno::kNetUnreach);
  fabric.device(0).up = true;
  EXPECT_EQ(Resolve(id, Side(1)), Errno::kNone);
  EXPECT_EQ(Resolve(id, Side(1)), Errno::kInval) << "while it resolves";
  EXPECT_EQ(Take(here).type, EventType::kAddrResolved);
  EXPECT_EQ(agenda.Now(), Instant() + Duration::Microseconds(20));
}

TEST_F(Kernels, GiveUpANeighbourThatIsSilent) {
  const Address silent{.kind = AddressKind::kSilent};
  EXPECT_EQ(Resolve(Create(here), silent, 30), Errno::kNone);
  const response::Event event = Take(here);
  EXPECT_EQ(event.type, EventType::kAddrError);
  EXPECT_EQ(event.status, -static_cast<int>(Errno::kTimedOut));
  EXPECT_EQ(agenda.Now(), Instant() + Duration::Milliseconds(30));
  EXPECT_EQ(Resolve(Create(here), silent, -1), Errno::kNone);
  EXPECT_FALSE(agenda.NextAt()) << "it retries for ever";
}

TEST_F(Kernels, TellTheIdsOfANeighbourThatWasAskedInVain) {
  Routed();
  fabric.device(0).neighbours.Expire();
  fabric.device(1).up = false;
  const Instant asked = agenda.Now();
  for (int i = 0; i < 2; ++i) EXPECT_EQ(Resolve(Create(here), Side(1), 30), Errno::kNone);
  for (int i = 0; i < 2; ++i) EXPECT_EQ(Take(here).type, EventType::kAddrError);
  EXPECT_EQ(Take(here).type, EventType::kUnreachable);
  EXPECT_EQ(agenda.Now(), asked + Duration::Seconds(3) + Duration::Microseconds(10));
  EXPECT_FALSE(agenda.NextAt()) << "one question";
}

TEST_F(Kernels, ResolveARouteOfAnAddress) {
  const uint32_t id = Create(here);
  EXPECT_EQ(Execute(k, here, command::ResolveRoute{id, 1000}), Errno::kInval);
  EXPECT_EQ(Resolve(id, Side(1)), Errno::kNone);
  Take(here);
  EXPECT_EQ(Execute(k, here, command::ResolveRoute{id, 0}), Errno::kInval) << "no time";
  EXPECT_EQ(Execute(k, here, command::ResolveRoute{id, 1000}), Errno::kNone);
  Take(here);
  EXPECT_EQ(agenda.Now(), Instant() + Duration::Microseconds(20 + 15));
}

TEST_F(Kernels, DropRequestsBeyondTheBacklog) {
  const uint32_t listener = Listener(2);
  for (int i = 0; i < 3; ++i) Request();
  EXPECT_EQ(cma.files[there].queue.size(), 2u);
  EXPECT_EQ(cma.ids.live_count(), 3u);
  const response::Event event = Take(there);
  EXPECT_EQ(event.type, EventType::kConnectRequest);
  EXPECT_NE(event.id, listener);
  Request();
  Request();
  EXPECT_EQ(cma.files[there].queue.size(), 2u) << "one was fetched, so that there was room for one";
}

TEST_F(Kernels, CountFetchedEventsAndDropTheOthers) {
  const uint32_t id = Create(here);
  EXPECT_EQ(Resolve(id, Side(1)), Errno::kNone);
  Take(here);
  EXPECT_EQ(Execute(k, here, command::ResolveRoute{id, 1000}), Errno::kNone);
  while (!cma.files.Readable(here)) Step();
  const response::DestroyId destroyed = Execute(k, here, command::DestroyId{id}).value();
  EXPECT_TRUE(destroyed.finished);
  EXPECT_EQ(destroyed.events_reported, 1u);
  EXPECT_FALSE(cma.files.Readable(here));
  EXPECT_EQ(cma.ids.live_count(), 0u);
}

TEST_F(Kernels, DestroyUnfetchedRequestsWithTheirListener) {
  const uint32_t listener = Listener(8);
  Request();
  Request();
  const response::Event fetched = Take(there);
  EXPECT_EQ(Execute(k, there, command::DestroyId{listener}).value().events_reported, 1u);
  EXPECT_EQ(cma.ids.live_count(), 1u);
  EXPECT_TRUE(cma.ids.Live(CmIdIndex(fetched.id)));
  EXPECT_TRUE(CloseFile(k, there));
  EXPECT_EQ(cma.ids.live_count(), 0u);
}

TEST_F(Kernels, CloseIdsOfARemovedDevice) {
  const uint32_t id = Routed();
  RemoveDevice(k, 0);
  EXPECT_EQ(RegisteredDevices(k, 0), 0u);
  EXPECT_EQ(Take(here).type, EventType::kDeviceRemoval);
  EXPECT_TRUE(Step());
  EXPECT_EQ(Execute(k, here, command::Connect{.id = id}), Errno::kNxIo);
  EXPECT_EQ(Execute(k, here, command::DestroyId{id}).value().events_reported, 3u);
}

class OverTcp : public Kernels {
 protected:
  OverTcp() : Kernels("6.1-siw") {}

  Errno Connect(uint32_t id, bool qp_known = true) {
    return Execute(k, here, command::Connect{.id = id, .param = {.qp_known = qp_known}});
  }
};

TEST_F(OverTcp, AConnectionIsRefusedWithinTheCall) {
  const uint32_t id = Routed();
  EXPECT_EQ(Connect(id, false), Errno::kInval) << "without a queue pair";
  EXPECT_EQ(Connect(id), Errno::kConnRefused);
  Listener(8);
  fabric.device(1).up = false;
  EXPECT_EQ(Connect(id), Errno::kTimedOut);
  fabric.device(1).up = true;
  EXPECT_EQ(Connect(id), Errno::kNone);
  EXPECT_EQ(Connect(id), Errno::kInval) << "it connects";
}

TEST_F(OverTcp, ARequestBeyondTheBacklogIsRejected) {
  Listener(1);
  const uint32_t first = Routed();
  const uint32_t second = Routed();
  EXPECT_EQ(Connect(first), Errno::kNone);
  EXPECT_EQ(Connect(second), Errno::kNone);
  const response::Event rejected = Take(here);
  EXPECT_EQ(rejected.type, EventType::kRejected);
  EXPECT_EQ(rejected.id, second);
  EXPECT_EQ(Take(there).type, EventType::kConnectRequest);
}

TEST_F(OverTcp, AnAcceptReportsToTheContextThatItGives) {
  Listener(1);
  EXPECT_EQ(Connect(Routed()), Errno::kNone);
  const uint32_t request = Take(there).id;
  const command::Accept accept{
      .id = request, .uid = 77, .valid = true, .param = {.qp_known = true}};
  EXPECT_EQ(Execute(k, there, accept), Errno::kNone);
  const response::Event event = Take(there);
  EXPECT_EQ(event.type, EventType::kEstablished);
  EXPECT_EQ(event.uid, 77u);
  EXPECT_EQ(Execute(k, there, command::JoinMulticast{.id = request}).error(), Errno::kInval);
}

TEST_F(OverTcp, ADestroyWaitsForTheReply) {
  Listener(1);
  const uint32_t id = Routed();
  EXPECT_EQ(Connect(id), Errno::kNone);
  const response::DestroyId destroyed = Execute(k, here, command::DestroyId{id}).value();
  EXPECT_FALSE(destroyed.finished);
  EXPECT_EQ(Execute(k, here, command::DestroyId{id}).error(), Errno::kNoEnt);
  EXPECT_EQ(Execute(k, there, command::Reject{.id = Take(there).id}), Errno::kNone);
  EXPECT_FALSE(cma.destroys.Take(destroyed.ticket));
  EXPECT_TRUE(Step());
  EXPECT_EQ(cma.destroys.Take(destroyed.ticket), 2u);
  EXPECT_FALSE(cma.ids.Live(CmIdIndex(id)));
}

// Closing waits as well, and no caller takes a ticket of it.
TEST_F(OverTcp, AFileThatWaitsForAReplyLeavesNothingBehind) {
  Listener(1);
  EXPECT_EQ(Connect(Routed()), Errno::kNone);
  EXPECT_FALSE(CloseFile(k, here));
  EXPECT_EQ(Execute(k, there, command::Reject{.id = Take(there).id}), Errno::kNone);
  while (Step()) {
  }
  EXPECT_FALSE(cma.files.IsOpen(here));
  EXPECT_TRUE(cma.destroys == PendingDestroys());
}

}  // namespace
}  // namespace cm::sim
