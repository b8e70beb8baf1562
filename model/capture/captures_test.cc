// Captures of real kernels are permitted under all options of the judge.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "model/capture/altered.h"
#include "model/capture/stored_captures.h"
#include "model/vocabulary/profile.h"

namespace cm::wire {
namespace {

class Captures : public testing::TestWithParam<std::string> {
 protected:
  bool repeats_ = false;
};

TEST_P(Captures, ArePermitted) { EXPECT_EQ(WhatIsWrong({}, StoredCapture(GetParam())), ""); }

TEST_P(Captures, ArePermittedAsWholeOnes) {
  EXPECT_EQ(WhatIsWrong({.whole = true, .strict = true}, StoredCapture(GetParam())), "");
}

TEST_P(Captures, ArePermittedToTheKernelThatTheyAreOf) {
  const JudgeOptions manner{.whole = true, .profiles = {FindProfile("6.1-rxe")}};
  EXPECT_EQ(WhatIsWrong(manner, StoredCapture(GetParam())), "");
}

TEST_P(Captures, ArePermittedWhereMessagesMayBeMissing) {
  EXPECT_EQ(WhatIsWrong({.missing = true}, StoredCapture(GetParam())), "");
}

// Each suffix of a capture is permitted. A retransmitted REQ looks like the first one of a
// connection, unless messages may be missing.
TEST_P(Captures, ArePermittedFromTheMiddleOn) {
  Capture capture = StoredCapture(GetParam());
  while (capture.frames.size() > 1) {
    const bool begun = capture.frames.front().frame.mad.header.kind() == MadKind::kReq;
    capture.frames.erase(capture.frames.begin());
    const bool again =
        begun && std::any_of(capture.frames.begin(), capture.frames.end(), [](const auto& one) {
          return one.frame.mad.header.kind() == MadKind::kReq;
        });
    EXPECT_EQ(WhatIsWrong({.missing = again || repeats_}, capture), "")
        << capture.frames.size() << " frames";
    repeats_ = repeats_ || again;
  }
}

TEST_P(Captures, ArePermittedWithoutAnyOneMessageWhereMessagesMayBeMissing) {
  const Capture& capture = StoredCapture(GetParam());
  for (size_t i = 0; i < capture.frames.size(); ++i)
    EXPECT_EQ(WhatIsWrong({.missing = true}, Dropped(capture, i).capture), "")
        << Dropped(capture, i).what;
}

std::vector<std::string> Names() {
  std::vector<std::string> names;
  for (const Capture& capture : StoredCaptures()) names.push_back(capture.name);
  return names;
}

INSTANTIATE_TEST_SUITE_P(All, Captures, testing::ValuesIn(Names()),
                         [](const auto& info) { return info.param; });

}  // namespace
}  // namespace cm::wire
