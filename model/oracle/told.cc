#include "model/oracle/told.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <utility>
#include <variant>

#include "model/base/duration.h"
#include "model/conversation/parse.h"
#include "model/conversation/words.h"

namespace cm::model {

History Tell(const Told& told) {
  std::string topology = "topology two-kernels\n";
  std::string said;
  std::string seen;
  Duration now;
  std::string until;
  for (const std::string& one : told) {
    if (one.starts_with("topology ")) {
      topology = one + "\n";
      continue;
    }
    if (one.starts_with("@")) {
      const size_t dots = one.find("..");
      now = ParseDuration(one.substr(1, dots == std::string::npos ? dots : dots - 1)).value();
      until = dots == std::string::npos ? "" : one.substr(dots);
      continue;
    }
    const std::string line = one.substr(0, ArrowIn(one));
    if (!line.starts_with("returned ")) said += line + "\n";
    seen += fmt::format("{}{}  {}\n", ToString(now), until, one);
    if (!until.empty()) now = ParseDuration(until.substr(2)).value();
    until.clear();
    now = now + Duration::Milliseconds(1);
  }
  auto parsed =
      ParseHistory("conversation 1\n" + topology + "capabilities none\n" + said + "----\n" + seen);
  if (const auto* problem = std::get_if<TextProblem>(&parsed)) {
    ADD_FAILURE() << problem->line << ": " << problem->what << "\n" << said << "----\n" << seen;
    return {};
  }
  return std::move(std::get<History>(parsed));
}

const Profile& ReferenceProfile() { return *FindProfile("6.1-rxe"); }

Said Judge(const Told& told, const Profile& profile) {
  const History history = Tell(told);
  const HistoryResult verdict = JudgeHistory(history, profile);
  return {verdict.kind, verdict.record, Explain(verdict.at_record)};
}

void ExpectPermitted(const Told& told, const Profile& profile) {
  const Said said = Judge(told, profile);
  EXPECT_EQ(said.verdict, VerdictKind::kPermitted) << "record " << said.record << "\n" << said.text;
}

// The last of the records is refused, and none before it.
std::string RefusalOfTheLast(const Told& told, const Profile& profile) {
  const Said said = Judge(told, profile);
  EXPECT_EQ(said.verdict, VerdictKind::kRefused);
  size_t records = 0;
  for (const std::string& one : told)
    if (!one.starts_with("@") && !one.starts_with("topology ")) ++records;
  EXPECT_EQ(said.record + 1, records) << said.text;
  return said.text;
}

Told operator+(Told a, const Told& b) {
  a.insert(a.end(), b.begin(), b.end());
  return a;
}

}  // namespace cm::model
