// An implementation of several: each side of a conversation has a connection manager of its own,
// which another one answers over the network that they share.
//
// 1. Each is given the whole conversation, and the calls and waits of its own side only. Names of
//    objects belong to a side, so they need no translation.
// 2. `pass`, `settle` and `heal` are done by all at once. A fault goes to the side that it names;
//    one of messages to those that receive them, where they can be treated without the sender's
//    knowledge.
// 3. The clocks of two hosts do not agree: time is the suite's, when it asks and when it is
//    answered. Sides whose time is virtual share a world, or they could not talk to each other:
//    then the latest answer says what time it is, and what concerns all is asked of the first.
// 4. What one of them lacks, all lack, and calls whose answers show a dialect that `profile` has
//    not are lacking. One that dies has crashed the call that it was asked.
#ifndef CONFORMANCE_ADAPTERS_EXEC_SIDES_H_
#define CONFORMANCE_ADAPTERS_EXEC_SIDES_H_

#include <memory>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "conformance/driver/implementation.h"
#include "model/vocabulary/profile.h"

namespace cm {

// One side, and what stands for it: "exec:./mydriver".
struct SideText {
  std::string side;
  std::string what;
};

// Reads "active=exec:./a --fast,passive=tcp:localhost:7180", in the order of the sides. Or the
// error, in one line.
std::variant<std::vector<SideText>, std::string> ParseSides(std::string_view text);

struct OneSide {
  std::string side;
  std::unique_ptr<Implementation> implementation;
};

// `sides`: in the order of the topologies'. `profile`: by which all are judged together. The
// implementation, or why these cannot talk to each other.
std::variant<std::unique_ptr<Implementation>, std::string> MakeSidesImplementation(
    std::vector<OneSide> sides, Profile profile);

}  // namespace cm

#endif  // CONFORMANCE_ADAPTERS_EXEC_SIDES_H_
