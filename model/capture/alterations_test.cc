// Captures that no two nodes would produce are refused, as far as that can be decided.
//
// Three kinds: a field that is not free has another value; a message is missing, or swapped with
// its neighbour; and messages are reflected, repeated or made up. facts_reader.h, not the judge,
// decides whether a capture with a message missing or moved is impossible.
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <functional>
#include <iostream>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "model/capture/altered.h"
#include "model/capture/facts_reader.h"
#include "model/capture/stored_captures.h"
#include "model/mad/constraints.h"
#include "model/mad/text.h"
#include "model/vocabulary/profile.h"

namespace cm::wire {
namespace {

constexpr size_t kRefusedAtLeast = 95;  // of a hundred

JudgeOptions Known() { return {.whole = true, .profiles = {FindProfile("6.1-rxe")}}; }

// The number of refused alterations, and the accepted ones.
struct Score {
  size_t refused = 0;
  std::vector<std::string> accepted;

  size_t all() const { return refused + accepted.size(); }
  size_t percent() const { return all() == 0 ? 0 : refused * 100 / all(); }
  void Add(const JudgeOptions& manner, const Alteration& alteration) {
    if (WhatIsWrong(manner, alteration.capture).empty())
      accepted.push_back(alteration.what);
    else
      ++refused;
  }
  void Print(const std::string& title) const {
    std::cout << title << ": " << refused << " of " << all() << " refused\n";
    for (const std::string& what : accepted) std::cout << "  accepted " << what << '\n';
  }
};

// Lines of admissible.txt: "CAPTURE:FRAME MESSAGE ..." as an alteration prints itself, or with a *
// in place of an end. Each follows a comment with the reason why it is admissible.
std::vector<std::string> Admissible() {
  std::ifstream in("model/mad/captures/admissible.txt");
  EXPECT_TRUE(in.good());
  std::vector<std::string> lines;
  for (std::string line; std::getline(in, line);)
    if (!line.empty() && line[0] != '#') lines.push_back(line);
  return lines;
}

bool Matches(const std::string& what, const std::string& pattern) {
  const size_t star = pattern.find('*');
  if (star == std::string::npos) return what == pattern;
  const std::string head = pattern.substr(0, star);
  const std::string tail = pattern.substr(star + 1);
  return what.size() >= head.size() + tail.size() && what.starts_with(head) && what.ends_with(tail);
}

using Alterer = std::function<std::vector<Alteration>(const Capture&)>;

std::vector<Alteration> OfAllCaptures(const Alterer& alter) {
  std::vector<Alteration> all;
  for (const Capture& capture : StoredCaptures())
    for (Alteration& one : alter(capture)) all.push_back(std::move(one));
  return all;
}

std::vector<Alteration> AllFieldsAltered() {
  const std::vector<mad::Constraint> table = ConstraintsOfSoftRoce();
  return OfAllCaptures([&](const Capture& capture) { return FieldsAltered(capture, table); });
}

Score ScoreOf(const JudgeOptions& manner, const std::vector<Alteration>& alterations) {
  const std::vector<std::string> admissible = Admissible();
  Score score;
  for (const Alteration& one : alterations) {
    const bool excused = std::any_of(admissible.begin(), admissible.end(),
                                     [&](const auto& line) { return Matches(one.what, line); });
    if (!excused) score.Add(manner, one);
  }
  return score;
}

bool IsRequest(const mad::Frame& frame) {
  const MadKind what = frame.mad.header.kind();
  return what == MadKind::kReq || what == MadKind::kSidrReq;
}

TEST(Alterations, OfFieldsThatAreNotFreeAreRefused) {
  const Score score = ScoreOf(Known(), AllFieldsAltered());
  score.Print("fields");
  EXPECT_GT(score.all(), 5000u);
  EXPECT_GE(score.percent(), kRefusedAtLeast);
}

TEST(Alterations, ThatLeaveOutOrMoveAMessageAreRefusedWhereTheyAreImpossible) {
  Score score, possible;
  for (const Alteration& one : OfAllCaptures(DroppedOrSwapped)) {
    const bool impossible = !WhyImpossible(one.capture).empty();
    (impossible ? score : possible).Add(Known(), one);
  }
  score.Print("impossible");
  possible.Print("possible");
  EXPECT_GT(score.all(), 150u);
  EXPECT_GE(score.percent(), kRefusedAtLeast);
  EXPECT_EQ(possible.refused, 0u) << "what is possible is permitted";
}

TEST(Alterations, ThatMakeMessagesUpAreRefused) {
  const Score score = ScoreOf(Known(), OfAllCaptures(MadeUp));
  score.Print("made up");
  EXPECT_GT(score.all(), 500u);
  EXPECT_GE(score.percent(), kRefusedAtLeast);
}

// As ClassPortInfo, which users' captures may contain.
TEST(Alterations, OfAMessageThatNamesNoIdAreMade) {
  Capture capture = StoredCapture("connect_disconnect");
  mad::Frame& request = capture.frames[0].frame;
  request = With(request, "mad.attribute_id", 0x0001);
  for (const Alteration& one : MadeUp(capture))
    EXPECT_FALSE(one.index == 0 && one.what.ends_with("again by another id")) << one.what;
}

// Nearly as many alterations are refused when the profile and the beginning of the capture are
// unknown: by field, and by kind of message.
TEST(Alterations, OfFieldsAreRefusedWhereNobodySaysWhatTheNodesAre) {
  std::map<MadKind, std::vector<Alteration>> by_kind;
  for (Alteration& one : AllFieldsAltered()) {
    const mad::Frame& frame = StoredCapture(one.capture.name).frames[one.index].frame;
    by_kind[frame.mad.header.kind()].push_back(std::move(one));
  }
  EXPECT_EQ(by_kind.size(), 9u);
  for (const auto& [kind, alterations] : by_kind) {
    const Score score = ScoreOf({}, alterations);
    score.Print(std::string(ToString(kind)));
    EXPECT_GE(score.percent(), kRefusedAtLeast) << ToString(kind);
  }
}

TEST(Alterations, OfTheOrderAreRefusedWhereNobodySaysWhatTheNodesAre) {
  Score score, possible;
  for (const Alteration& one : OfAllCaptures(DroppedOrSwapped)) {
    // Without its first message a capture begins in the middle.
    const bool whole = IsRequest(one.capture.frames.front().frame);
    const bool impossible = !WhyImpossible(one.capture).empty();
    if (whole || !impossible) (impossible ? score : possible).Add({}, one);
  }
  score.Print("impossible");
  EXPECT_GE(score.percent(), kRefusedAtLeast);
  EXPECT_EQ(possible.refused, 0u) << "what is possible is permitted";
}

TEST(Alterations, ThatMakeMessagesUpAreRefusedWhereNobodySaysWhatTheNodesAre) {
  const Score score = ScoreOf({}, OfAllCaptures(MadeUp));
  score.Print("made up");
  EXPECT_GE(score.percent(), kRefusedAtLeast);
}

TEST(FactsReader, FindsNothingImpossibleInTheCaptures) {
  for (const Capture& capture : StoredCaptures())
    EXPECT_EQ(WhyImpossible(capture), "") << capture.name;
}

}  // namespace
}  // namespace cm::wire
