// Basic value types: errnos, results, short sequences, checks.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cerrno>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "model/base/check.h"
#include "model/base/errno.h"
#include "model/base/inline_vector.h"
#include "model/base/result.h"

namespace cm {
namespace {

using testing::ElementsAre;

template <typename T, size_t kCapacity>
std::vector<T> Items(const InlineVector<T, kCapacity>& v) {
  return {v.begin(), v.end()};
}

// The numbers of this machine's <errno.h>, which is Linux.
TEST(Errno, HasTheNumbersAndNamesOfLinux) {
  const std::vector<std::pair<Errno, std::pair<int, std::string_view>>> all = {
      {Errno::kPerm, {EPERM, "EPERM"}},
      {Errno::kNoEnt, {ENOENT, "ENOENT"}},
      {Errno::kIntr, {EINTR, "EINTR"}},
      {Errno::kIo, {EIO, "EIO"}},
      {Errno::kNxIo, {ENXIO, "ENXIO"}},
      {Errno::kBadF, {EBADF, "EBADF"}},
      {Errno::kAgain, {EAGAIN, "EAGAIN"}},
      {Errno::kNoMem, {ENOMEM, "ENOMEM"}},
      {Errno::kAcces, {EACCES, "EACCES"}},
      {Errno::kFault, {EFAULT, "EFAULT"}},
      {Errno::kBusy, {EBUSY, "EBUSY"}},
      {Errno::kNoDev, {ENODEV, "ENODEV"}},
      {Errno::kInval, {EINVAL, "EINVAL"}},
      {Errno::kNoSpc, {ENOSPC, "ENOSPC"}},
      {Errno::kNoSys, {ENOSYS, "ENOSYS"}},
      {Errno::kNoData, {ENODATA, "ENODATA"}},
      {Errno::kProto, {EPROTO, "EPROTO"}},
      {Errno::kNotSup, {ENOTSUP, "ENOTSUP"}},
      {Errno::kAddrInUse, {EADDRINUSE, "EADDRINUSE"}},
      {Errno::kAddrNotAvail, {EADDRNOTAVAIL, "EADDRNOTAVAIL"}},
      {Errno::kNetDown, {ENETDOWN, "ENETDOWN"}},
      {Errno::kNetUnreach, {ENETUNREACH, "ENETUNREACH"}},
      {Errno::kConnReset, {ECONNRESET, "ECONNRESET"}},
      {Errno::kIsConn, {EISCONN, "EISCONN"}},
      {Errno::kNotConn, {ENOTCONN, "ENOTCONN"}},
      {Errno::kTimedOut, {ETIMEDOUT, "ETIMEDOUT"}},
      {Errno::kConnRefused, {ECONNREFUSED, "ECONNREFUSED"}},
      {Errno::kHostUnreach, {EHOSTUNREACH, "EHOSTUNREACH"}}};
  for (const auto& [error, linux_one] : all) {
    EXPECT_EQ(static_cast<int>(error), linux_one.first) << linux_one.second;
    EXPECT_EQ(ToString(error), linux_one.second);
    EXPECT_EQ(ParseErrno(linux_one.second), error);
  }
}

TEST(Errno, IsZeroForSuccessAndANumberWhereItHasNoName) {
  EXPECT_EQ(ToString(Errno::kNone), "0");
  EXPECT_EQ(ParseErrno("0"), Errno::kNone);
  EXPECT_EQ(ToString(static_cast<Errno>(524)), "E524");
  EXPECT_EQ(ParseErrno("E524"), static_cast<Errno>(524));
}

TEST(Errno, TakesNothingElseForAName) {
  for (const std::string_view bad :
       {"", "E", "EINVALID", "einval", "22", "-22", "E99999", "E-99999"})
    EXPECT_EQ(ParseErrno(bad), std::nullopt) << bad;
}

TEST(Result, HoldsAValueOrAnErrno) {
  const Result<int> good(7);
  EXPECT_TRUE(good.ok());
  EXPECT_EQ(good.value(), 7);
  EXPECT_EQ(good.error(), Errno::kNone);
  const Result<int> bad(Errno::kBusy);
  EXPECT_FALSE(bad.ok());
  EXPECT_EQ(bad.error(), Errno::kBusy);
}

TEST(ResultDeathTest, HasNoValueBesidesItsErrnoAndNoErrnoForSuccess) {
  const Result<int> bad(Errno::kBusy);
  EXPECT_DEATH(static_cast<void>(bad.value()), "no value: EBUSY");
  EXPECT_DEATH(static_cast<void>(Result<int>(Errno::kNone)), "error != Errno::kNone");
}

TEST(InlineVector, KeepsItsItemsInOrder) {
  InlineVector<int, 4> v;
  for (const int n : {3, 1, 2}) v.push_back(n);
  EXPECT_THAT(Items(v), ElementsAre(3, 1, 2));
  EXPECT_EQ(v.front(), 3);
  EXPECT_EQ(v.back(), 2);
  v.clear();
  EXPECT_TRUE(v.empty());
}

TEST(InlineVector, IsFullAtItsCapacity) {
  InlineVector<int, 2> v;
  v.push_back(1);
  EXPECT_FALSE(v.full());
  v.push_back(2);
  EXPECT_TRUE(v.full());
}

TEST(InlineVectorDeathTest, TakesNoMoreThanItHasRoomFor) {
  InlineVector<int, 1> v;
  v.push_back(1);
  EXPECT_DEATH(v.push_back(2), "capacity 1");
}

// Equal sequences are equal objects: cleared elements leave no trace.
TEST(InlineVector, LeavesNothingBehindItsEnd) {
  InlineVector<std::string, 3> cleared;
  for (const char* s : {"a", "b", "c"}) cleared.push_back(s);
  cleared.clear();
  for (size_t i = 0; i < cleared.capacity(); ++i) EXPECT_EQ(cleared.begin()[i], "");
}

TEST(InlineVector, ComparesAsAWordInADictionary) {
  InlineVector<int, 3> shorter;
  shorter.push_back(1);
  InlineVector<int, 3> longer = shorter;
  longer.push_back(0);
  InlineVector<int, 3> larger;
  larger.push_back(2);
  EXPECT_LT(shorter, longer);
  EXPECT_LT(longer, larger);
  EXPECT_NE(shorter, longer);
  longer.clear();
  longer.push_back(1);
  EXPECT_EQ(shorter, longer);
}

TEST(CheckDeathTest, SaysWhatFailedAndWhatWasBeingWorkedOn) {
  EXPECT_DEATH(
      {
        SetCheckContext("seed 7, sequence 12");
        CM_CHECK(1 + 1 == 3) << "the sum is " << 1 + 1;
      },
      "1 \\+ 1 == 3[^$]*the sum is 2[^$]*seed 7, sequence 12");
}

TEST(Check, EvaluatesNothingMoreWhenItHolds) {
  int times = 0;
  const auto count = [&times] { return ++times; };
  CM_CHECK(count() == 1) << count();
  EXPECT_EQ(times, 1);
}

}  // namespace
}  // namespace cm
