// The course of a conversation on a wire: the tester's lines are carried out, all frames are kept.
//
// 1. Lines of applications are not carried out: the peer is what it is. A wait for an event that is
//    fetched next is none; every other wait lasts as long as it says, up to a limit.
// 2. After each message there is a pause, so that it never floods and its order is certain. Where
//    another course is expected, its answers are waited for as well: that time is not counted.
#ifndef CONFORMANCE_ADAPTERS_WIRE_COURSE_H_
#define CONFORMANCE_ADAPTERS_WIRE_COURSE_H_

#include <string>
#include <vector>

#include "conformance/adapters/wire/door.h"
#include "conformance/adapters/wire/tester_end.h"
#include "model/conversation/conversation.h"
#include "model/mad/pcapng.h"

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
};

// Empty when a tester alone can carry it out; otherwise why not.
std::string WhyNotAlone(const Conversation& conversation);

// The tester names the ids of the peer as the conversation goes on. `expected` may be null.
Course CarryOut(const Conversation& conversation, Door& door, TesterEnd& tester, const Ends& ends,
                const Pace& pace, const Course* expected);

// All frames with the lines as comments.
std::string ToPcapng(const Course& course, const std::string& about);

}  // namespace cm::live

#endif  // CONFORMANCE_ADAPTERS_WIRE_COURSE_H_
