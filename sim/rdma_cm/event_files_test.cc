// Queues of event channels, and destroys that wait.
#include "sim/rdma_cm/event_files.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "sim/rdma_cm/pending_destroys.h"

namespace cm::sim {
namespace {

using testing::ElementsAre;

constexpr CmIdIndex kFirst(0);
constexpr CmIdIndex kSecond(1);
constexpr CmIdIndex kRequest(2);

class Files : public testing::Test {
 protected:
  void Push(FileIndex file, CmIdIndex on, int32_t number) {
    files.Push(file, {.event = {.status = number}, .on = on});
  }
  // The numbers of the queued events.
  std::vector<int32_t> In(FileIndex file) const {
    std::vector<int32_t> numbers;
    for (const QueuedEvent& queued : files[file].queue) numbers.push_back(queued.event.status);
    return numbers;
  }

  EventFiles files;
  const FileIndex one = files.Open(0);
  const FileIndex other = files.Open(1);
};

TEST_F(Files, TheOldestEventIsTakenFirst) {
  EXPECT_FALSE(files.Readable(one));
  EXPECT_FALSE(files.Take(one));
  for (const int32_t number : {1, 2, 3}) Push(one, kFirst, number);
  EXPECT_TRUE(files.Readable(one));
  EXPECT_FALSE(files.Readable(other));
  EXPECT_EQ(files.Take(one)->event.status, 1);
  EXPECT_THAT(In(one), ElementsAre(2, 3));
}

TEST_F(Files, EventsThatMoveKeepTheirOrderBehindTheOthers) {
  Push(one, kFirst, 1);
  Push(one, kSecond, 2);
  Push(one, kFirst, 3);
  Push(other, kSecond, 4);
  files.Move(kFirst, one, other);
  EXPECT_THAT(In(one), ElementsAre(2));
  EXPECT_THAT(In(other), ElementsAre(4, 1, 3));
}

TEST_F(Files, EventsThatStayMoveToTheEnd) {
  Push(one, kFirst, 1);
  Push(one, kSecond, 2);
  files.Move(kFirst, one, one);
  EXPECT_THAT(In(one), ElementsAre(2, 1));
}

TEST_F(Files, DroppedEventsNameTheirRequests) {
  Push(one, kFirst, 1);
  files.Push(one, {.event = {.status = 2}, .on = kFirst, .request = kRequest});
  Push(one, kSecond, 3);
  EXPECT_THAT(files.DropEventsOf(kFirst, one), ElementsAre(kRequest));
  EXPECT_THAT(In(one), ElementsAre(3));
}

TEST_F(Files, EventsOfAMembershipAreDroppedAlone) {
  const MembershipIndex membership(4);
  files.Push(one, {.event = {.status = 1}, .on = kFirst, .membership = membership});
  Push(one, kFirst, 2);
  files.DropEventsOf(membership, one);
  EXPECT_THAT(In(one), ElementsAre(2));
}

TEST_F(Files, AForgottenRequestKeepsItsEventWithoutAnId) {
  files.Push(other, {.event = {.id = kRequest.value()}, .on = kFirst, .request = kRequest});
  files.ForgetRequest(kRequest);
  const QueuedEvent queued = *files.Take(other);
  EXPECT_EQ(queued.event.id, kNobody);
  EXPECT_FALSE(queued.request.valid());
}

TEST(PendingDestroys, AreTakenOnceAfterTheyFinish) {
  PendingDestroys destroys;
  const uint32_t first = destroys.Add(kFirst);
  const uint32_t second = destroys.Add(kSecond);
  EXPECT_FALSE(destroys.Take(first));
  destroys.Finish(kFirst, 5);
  EXPECT_FALSE(destroys.Take(second));
  EXPECT_EQ(destroys.Take(first), 5);
  EXPECT_FALSE(destroys.Take(first));
}

TEST(PendingDestroys, OfACrashedKernelAreDropped) {
  PendingDestroys destroys;
  const uint32_t ticket = destroys.Add(kFirst);
  destroys.Drop([](CmIdIndex id) { return id == kFirst; });
  destroys.Finish(kFirst, 0);
  EXPECT_FALSE(destroys.Take(ticket));
}

}  // namespace
}  // namespace cm::sim
