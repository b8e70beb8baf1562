// What a peer said, beside what the simulator says in its place.
//
// 1. For each connection of the tester: the same messages in the same order, each at its time.
//    Where a conversation ends the last ones may be on either side of the end.
// 2. The judge of captures reads all frames. The tester breaks rules on purpose, and a message
//    after that may look wrong as well: a rule that is broken beside the simulator too is none.
#ifndef CONFORMANCE_ADAPTERS_WIRE_COMPARE_H_
#define CONFORMANCE_ADAPTERS_WIRE_COMPARE_H_

#include <string>
#include <vector>

#include "conformance/adapters/wire/course.h"
#include "model/vocabulary/profile.h"

namespace cm::live {

struct Difference {
  std::string cause;  // the same for differences of one kind: "REP late"
  std::string saw;
  std::string permitted;
  std::string rule;  // of the judge, with its source
  Instant at;
};

// Empty when the peer behaves as the profile says.
std::vector<Difference> Differences(const Course& expected, const Course& seen,
                                    const Profile& profile);

}  // namespace cm::live

#endif  // CONFORMANCE_ADAPTERS_WIRE_COMPARE_H_
