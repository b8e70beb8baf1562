// The course of a conversation on a wire: the tester's lines are carried out, all frames are kept.
//
// 1. A door with an application carries out its lines as well, and there is a history. Without one
//    they are not carried out: the peer is what it is. A wait for an event that is fetched next is
//    none then; every other wait lasts as long as it says, up to a limit.
// 2. After each message there is a pause, so that it never floods and its order is certain. Where
//    another course is expected, its answers are waited for as well: that time is not counted.
#ifndef CONFORMANCE_ADAPTERS_WIRE_COURSE_H_
#define CONFORMANCE_ADAPTERS_WIRE_COURSE_H_

#include <optional>
#include <string>
#include <vector>

#include "conformance/adapters/wire/door.h"
#include "conformance/adapters/wire/tester_end.h"
#include "model/conversation/conversation.h"
#include "model/conversation/history.h"

namespace cm::live {

struct Pace {
  Duration pause = Duration::Milliseconds(50);  // after each message
  Duration longest = Duration::Seconds(5);      // wait of one line
  Duration patience;  // how long what the expected course has is waited for before a message
};

struct Passing {
  Instant at;  // since the beginning
  bool ours = false;
  Bytes bytes;
  std::string text;    // the line, or what the peer says
  uint32_t about = 0;  // of the peer's: the tester's id
};

struct Course {
  std::vector<Passing> frames;
  Instant end;  // what comes later answers the farewells
  std::optional<History> history;
};

// Whether a Listener is not enough: the peer is active, or the service is one of datagrams.
bool NeedsItsLines(const Conversation& conversation);
bool IsOverV6(const Conversation& conversation);
// The peer's side; that of a Listener where the tester says nothing.
uint8_t PeerSideOf(const Conversation& conversation);
// Empty when a tester can carry it out, with a driver at the peer or alone; otherwise why not.
std::string WhyNot(const Conversation& conversation, bool with_driver);

// The tester names the ids of the peer as the conversation goes on. `expected` may be null.
Course CarryOut(const Conversation& conversation, Door& door, TesterEnd& tester, const Ends& ends,
                const Pace& pace, const Course* expected);

// All frames with the lines as comments.
std::string ToPcapng(const Course& course, const std::string& about);

}  // namespace cm::live

#endif  // CONFORMANCE_ADAPTERS_WIRE_COURSE_H_
