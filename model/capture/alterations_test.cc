// Captures that no two nodes would produce are refused, as far as that can be decided.
//
// Three kinds: a field that is not free has another value; a message is missing, or swapped with
// its neighbour; and messages are reflected, repeated or made up. facts_reader.h, not the judge,
// decides whether a capture with a message missing or moved is impossible.
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <iostream>
#include <map>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "model/capture/altered.h"
#include "model/capture/facts_reader.h"
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
  std::ifstream in("model/capture/admissible.txt");
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

// Values of a damaged field: its neighbours, its limits, single flipped bits.
std::vector<uint64_t> OtherValues(uint64_t value, const mad::Field& field) {
  const uint64_t most = field.max();
  std::set<uint64_t> others = {0,
                               most,
                               (value + 1) & most,
                               (value - 1) & most,
                               value ^ 1,
                               value ^ (most / 2 + 1),
                               ~value & most};
  others.erase(value);
  return {others.begin(), others.end()};
}

// The rows about one field of a message.
struct Rows {
  bool related = false;  // to other messages; then any other value is wrong
  std::vector<std::pair<uint64_t, uint64_t>> ranges;

  bool Wrong(uint64_t value) const {
    return related || std::none_of(ranges.begin(), ranges.end(), [value](const auto& range) {
             return range.first <= value && value <= range.second;
           });
  }
};

std::map<std::string_view, Rows> ConstrainedIn(const mad::Frame& frame,
                                               std::span<const mad::Constraint> table) {
  std::map<std::string_view, Rows> fields;
  for (const mad::Constraint& row : table) {
    if (row.field.empty()) continue;
    if (row.message != mad::kEveryMessage && row.message != frame.mad.header.kind()) continue;
    if (!row.when.field.empty()) {
      const auto value = mad::ValueOf(frame, row.when.field);
      if (!value || *value < row.when.low || *value > row.when.high) continue;
    }
    Rows& rows = fields[row.field];
    if (row.relation == mad::Relation::kRange)
      rows.ranges.emplace_back(row.low, row.high);
    else
      rows.related = true;
  }
  fields["mad.attribute_id"].related = true;
  return fields;
}

void AlterFields(const Capture& capture, size_t i, std::span<const mad::Constraint> table,
                 std::vector<Alteration>* all) {
  const mad::Frame& frame = capture.frames[i].frame;
  for (const auto& [path, rows] : ConstrainedIn(frame, table)) {
    const auto place = mad::Find(mad::LayersOf(frame), path);
    const auto value = mad::ValueOf(frame, path);
    if (!place || !value) continue;
    for (const uint64_t other : OtherValues(*value, place->field))
      if (rows.Wrong(other)) all->push_back(Altered(capture, i, std::string(path), other));
  }
  for (const mad::Layer& layer : mad::LayersOf(frame.mad))
    for (const mad::Field& field : layer.fields)
      if (field.show == mad::Show::kReserved && field.is_number())
        all->push_back(Altered(capture, i, std::string(layer.name) + "." + std::string(field.name),
                               field.max()));
}

std::vector<Alteration> FieldsAltered(std::span<const mad::Constraint> table) {
  std::vector<Alteration> all;
  for (const Capture& capture : StoredCaptures())
    for (size_t i = 0; i < capture.frames.size(); ++i) AlterFields(capture, i, table, &all);
  return all;
}

std::vector<Alteration> DroppedOrSwapped() {
  std::vector<Alteration> all;
  for (const Capture& capture : StoredCaptures()) {
    for (size_t i = 0; i < capture.frames.size(); ++i) {
      all.push_back(Dropped(capture, i));
      if (i + 1 == capture.frames.size()) continue;
      // Two messages of the same kind that are swapped make no difference.
      if (capture.frames[i].frame.mad == capture.frames[i + 1].frame.mad) continue;
      all.push_back(Swapped(capture, i));
    }
  }
  return all;
}

std::string LocalCidOf(const mad::Frame& frame) {
  const auto name = mad::AttributeText(frame.mad.header.attribute_id);
  return name.starts_with("SIDR") ? name + ".request_id" : name + ".local_cid";
}

std::vector<Alteration> MadeUp() {
  constexpr int64_t kAtOnce = 1'000'000;
  std::vector<Alteration> all;
  for (const Capture& capture : StoredCaptures()) {
    for (size_t i = 0; i < capture.frames.size(); ++i) {
      const mad::Frame& frame = capture.frames[i].frame;
      Alteration reversed = Altered(capture, i, "mad.status", 0);
      reversed.what = Dropped(capture, i).what + " and sent the other way";
      reversed.capture.frames[i].frame = Reversed(frame);
      all.push_back(std::move(reversed));
      const uint64_t psn = mad::ValueOf(frame, "bth.psn").value() + 1;
      const mad::Frame next = With(frame, "bth.psn", psn & 0xffffff);
      all.push_back(Inserted(capture, i, "again at once", next, kAtOnce));
      const std::string cid = LocalCidOf(frame);
      const uint64_t other = mad::ValueOf(frame, cid).value() ^ 0x40000000;
      all.push_back(Inserted(capture, i, "again by another id", With(frame, cid, other), kAtOnce));
      if (i > 0)
        all.push_back(
            Inserted(capture, 0, "then early " + Dropped(capture, i).what, frame, kAtOnce / 1000));
    }
  }
  return all;
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

std::vector<mad::Constraint> Table() {
  std::vector<mad::Constraint> table = FilledBy(SoftRoce());
  table.insert(table.end(), mad::Constraints().begin(), mad::Constraints().end());
  return table;
}

bool IsRequest(const mad::Frame& frame) {
  const MadKind what = frame.mad.header.kind();
  return what == MadKind::kReq || what == MadKind::kSidrReq;
}

TEST(Alterations, OfFieldsThatAreNotFreeAreRefused) {
  const Score score = ScoreOf(Known(), FieldsAltered(Table()));
  score.Print("fields");
  EXPECT_GT(score.all(), 5000u);
  EXPECT_GE(score.percent(), kRefusedAtLeast);
}

TEST(Alterations, ThatLeaveOutOrMoveAMessageAreRefusedWhereTheyAreImpossible) {
  Score score, possible;
  for (const Alteration& one : DroppedOrSwapped()) {
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
  const Score score = ScoreOf(Known(), MadeUp());
  score.Print("made up");
  EXPECT_GT(score.all(), 500u);
  EXPECT_GE(score.percent(), kRefusedAtLeast);
}

// Nearly as many alterations are refused when the profile and the beginning of the capture are
// unknown: by field, and by kind of message.
TEST(Alterations, OfFieldsAreRefusedWhereNobodySaysWhatTheNodesAre) {
  std::map<MadKind, std::vector<Alteration>> by_kind;
  for (Alteration& one : FieldsAltered(Table())) {
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
  for (const Alteration& one : DroppedOrSwapped()) {
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
  const Score score = ScoreOf({}, MadeUp());
  score.Print("made up");
  EXPECT_GE(score.percent(), kRefusedAtLeast);
}

TEST(FactsReader, FindsNothingImpossibleInTheCaptures) {
  for (const Capture& capture : StoredCaptures())
    EXPECT_EQ(WhyImpossible(capture), "") << capture.name;
}

}  // namespace
}  // namespace cm::wire
