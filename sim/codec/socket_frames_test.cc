#include "sim/codec/socket_frames.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "model/base/duration.h"
#include "model/mad/field.h"
#include "model/mad/ip_packet.h"
#include "model/vocabulary/topology.h"
#include "sim/fabric/names.h"

namespace cm::sim {
namespace {

using testing::ElementsAre;
using What = SocketNote::What;

constexpr size_t kTcpAt = 34;

Instant At(int64_t microseconds) { return Instant() + Duration::Microseconds(microseconds); }

const SocketEnd kActive = {GidOfHost("10.0.0.1"), 41'234};
const SocketEnd kPassive = {GidOfHost("10.0.1.1"), 5'000};

// From the active side, and 10 us on its way.
SocketNote Note(What what, int64_t at, std::string bytes = {}, uint64_t number = 0) {
  return {.what = what,
          .at = At(at),
          .arrives = At(at + 10),
          .from = kActive,
          .to = kPassive,
          .socket = 7,
          .number = number,
          .bytes = {bytes.begin(), bytes.end()}};
}
SocketNote Back(SocketNote note) {
  std::swap(note.from, note.to);
  note.socket = 8;
  return note;
}
SocketNote Lost(SocketNote note) {
  note.arrives.reset();
  return note;
}

// "20 active SA 0,1 hello": instant, sender, flags, sequence number and acknowledgement from the
// starting numbers, payload; "lost" where it does not arrive.
std::vector<std::string> Course(std::vector<SocketNote> notes) {
  std::vector<std::string> course;
  std::array<std::optional<uint32_t>, 2> starts;
  for (const CarriedFrame& frame :
       SocketFrames(FindTopology("two-kernels")).FramesOf(std::move(notes))) {
    const auto tcp = mad::Get<mad::Tcp>(frame.bytes.data() + kTcpAt);
    const std::string payload(frame.bytes.begin() + kTcpAt + 4 * tcp.words, frame.bytes.end());
    if (tcp.syn || !starts[frame.from]) starts[frame.from] = tcp.sequence;
    std::string flags;
    if (tcp.syn) flags += 'S';
    if (tcp.fin) flags += 'F';
    if (tcp.rst) flags += 'R';
    if (tcp.ack) flags += 'A';
    course.push_back(fmt::format(
        "{} {} {} {},{}{}{}{}", (frame.sent - Instant()).microseconds(),
        frame.from == 0 ? "active" : "passive", flags, tcp.sequence - *starts[frame.from],
        tcp.ack ? tcp.acknowledgement - starts[1 - frame.from].value_or(0) : 0,
        payload.empty() ? "" : " ", payload, frame.arrives ? "" : " lost"));
  }
  return course;
}

TEST(SocketFrames, AreThoseOfAConnection) {
  EXPECT_THAT(
      Course({Note(What::kSyn, 0), Back(Note(What::kSynAck, 10)), Note(What::kData, 30, "hello", 1),
              Back(Note(What::kData, 40, "yes", 1)), Note(What::kFin, 60, "", 2),
              Back(Note(What::kClose, 75, "", 2))}),
      ElementsAre("0 active S 0,0", "10 passive SA 0,1", "20 active A 1,1", "30 active A 1,1 hello",
                  "40 passive A 1,6", "40 passive A 1,6 yes", "50 active A 6,4", "60 active FA 6,4",
                  "70 passive A 4,7", "75 passive FA 4,7", "85 active A 7,5"));
}

// What has arrived behind a gap is acknowledged when the gap is filled.
TEST(SocketFrames, OfWhatIsSentAgainHaveTheSameNumbers) {
  SocketNote behind = Note(What::kData, 35, "two", 2);
  EXPECT_THAT(
      Course({Note(What::kSyn, 0), Back(Note(What::kSynAck, 10)),
              Lost(Note(What::kData, 30, "one", 1)), behind, Note(What::kData, 200'030, "one", 1)}),
      ElementsAre("0 active S 0,0", "10 passive SA 0,1", "20 active A 1,1",
                  "30 active A 1,1 one lost", "35 active A 4,1 two", "45 passive A 1,1",
                  "200030 active A 1,1 one", "200040 passive A 1,7"));
}

TEST(SocketFrames, OfARequestThatIsLostOrRefusedHaveNoConnection) {
  EXPECT_THAT(Course({Lost(Note(What::kSyn, 0)), Note(What::kSyn, 1'000, "", 1),
                      Back(Note(What::kRefusal, 1'010))}),
              ElementsAre("0 active S 0,0 lost", "1000 active S 0,0", "1010 passive RA 0,1"));
}

// As of a server that gives a connection to a child: the first close is not the end.
TEST(SocketFrames, EndWithTheLastDescriptor) {
  EXPECT_THAT(
      Course({Note(What::kSyn, 0), Back(Note(What::kSynAck, 10)), Note(What::kClose, 30, "", 1),
              Note(What::kData, 40, "more", 2), Note(What::kClose, 60, "", 3)}),
      ElementsAre("0 active S 0,0", "10 passive SA 0,1", "20 active A 1,1", "40 active A 1,1 more",
                  "50 passive A 1,5", "60 active FA 5,1", "70 passive A 1,6"));
}

TEST(SocketFrames, OfAMessageWithoutASocketAreFollowedByAReset) {
  SocketNote reset = Back(Note(What::kReset, 40));
  EXPECT_THAT(Course({Note(What::kSyn, 0), Back(Note(What::kSynAck, 10)),
                      Note(What::kData, 30, "hello", 1), reset, Note(What::kData, 60, "more", 2)}),
              ElementsAre("0 active S 0,0", "10 passive SA 0,1", "20 active A 1,1",
                          "30 active A 1,1 hello", "40 passive A 1,6", "40 passive RA 1,6"));
}

}  // namespace
}  // namespace cm::sim
