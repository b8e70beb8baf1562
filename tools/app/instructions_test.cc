#include "tools/app/instructions.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>
#include <optional>
#include <string>

namespace cm::app {
namespace {

using testing::HasSubstr;
using testing::Not;

int Opened() { return open("/dev/null", O_RDONLY | O_CLOEXEC); }

std::optional<uint64_t> Unread(int /*counter*/) {
  ADD_FAILURE() << "there is none to read";
  return std::nullopt;
}

TEST(WhyNotCounted, NamesWhatWasTriedTheErrorAndWhatWouldHelp) {
  const std::string why = WhyNotCounted({.open = [] { return -ENOENT; }, .read = &Unread});
  EXPECT_THAT(why, HasSubstr("perf_event_open of PERF_COUNT_HW_INSTRUCTIONS says ENOENT (No such "
                             "file or directory); it takes a machine whose processor's counters "
                             "are visible to it"));
  EXPECT_THAT(why, HasSubstr("kernel.perf_event_paranoid of at most 2"));
  EXPECT_THAT(why, Not(HasSubstr("\n")));
}

TEST(WhyNotCounted, NamesEachError) {
  EXPECT_THAT(WhyNotCounted({.open = [] { return -EACCES; }, .read = &Unread}),
              HasSubstr("says EACCES (Permission denied); it takes"));
  EXPECT_THAT(WhyNotCounted({.open = [] { return -ENOSYS; }, .read = &Unread}),
              HasSubstr("says ENOSYS (Function not implemented); it takes"));
  EXPECT_THAT(WhyNotCounted({.open = [] { return -EPERM; }, .read = &Unread}),
              HasSubstr("says EPERM (Operation not permitted); it takes"));
}

TEST(WhyNotCounted, RefusesACounterThatStandsStill) {
  EXPECT_THAT(
      WhyNotCounted({.open = &Opened, .read = [](int) { return std::optional(uint64_t{7}); }}),
      HasSubstr("gives a counter that has counted 0 in a loop of 1000; it takes"));
}

TEST(WhyNotCounted, RefusesACounterThatCannotBeRead) {
  const auto ends = [](int) -> std::optional<uint64_t> {
    errno = 0;
    return std::nullopt;
  };
  EXPECT_THAT(WhyNotCounted({.open = &Opened, .read = ends}),
              HasSubstr("gives a counter that cannot be read: the processor has none for it"));
  const auto fails = [](int) -> std::optional<uint64_t> {
    errno = EIO;
    return std::nullopt;
  };
  EXPECT_THAT(WhyNotCounted({.open = &Opened, .read = fails}),
              HasSubstr("cannot be read: EIO (Input/output error)"));
}

TEST(WhyNotCounted, IsEmptyWhereTheyAreCounted) {
  const auto counts = [](int counter) -> std::optional<uint64_t> {
    static uint64_t reading = 0;
    EXPECT_GE(fcntl(counter, F_GETFD), 0) << "it is open";
    return reading += 5'000;
  };
  const int before = Opened();
  close(before);
  EXPECT_EQ(WhyNotCounted({.open = &Opened, .read = counts}), "");
  const int after = Opened();
  EXPECT_EQ(after, before) << "it is closed again";
  close(after);
}

}  // namespace
}  // namespace cm::app
