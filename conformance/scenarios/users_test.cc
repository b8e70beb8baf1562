// docs/users.md lists every trouble of users once: with the conversations that cite it, or with the
// reason why there is none.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <regex>
#include <set>
#include <sstream>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "conformance/scenarios/golden.h"
#include "conformance/scenarios/on_sim.h"

namespace cm {
namespace {

using testing::ElementsAreArray;
using testing::SizeIs;

const std::string kPage = "docs/users.md";
const std::string kFolder = "conformance/scenarios";
constexpr int kLastTrouble = 137;  // the odd numbers up to here

// A line of the page's tables, cell by cell.
struct Entry {
  std::string id;
  std::set<std::string> files;
  std::string last_cell;
};

std::vector<std::string> AllOf(const std::string& text, const std::string& pattern) {
  const std::regex regex(pattern);
  std::vector<std::string> found;
  for (auto it = std::sregex_iterator(text.begin(), text.end(), regex);
       it != std::sregex_iterator(); ++it)
    found.push_back((*it)[1]);
  return found;
}

std::vector<Entry> Entries() {
  std::vector<Entry> entries;
  std::istringstream in(TextOf(kPage));
  for (std::string line; std::getline(in, line);) {
    std::smatch cells;
    if (!std::regex_match(line, cells, std::regex(R"(\| (P\d{3}) \| (.+) \| (.*) \|)"))) continue;
    Entry entry{.id = cells[1], .last_cell = cells[3]};
    for (const std::string& file : AllOf(entry.last_cell, R"(\]\(\.\./([^)]*)\))"))
      entry.files.insert(file);
    entries.push_back(std::move(entry));
  }
  return entries;
}

// By trouble: the conversations whose source cites it.
std::map<std::string, std::set<std::string>> Citations() {
  std::map<std::string, std::set<std::string>> citations;
  for (const std::string& file : ConversationFiles(kFolder)) {
    const auto read = ReadGolden(TextOf(file));
    if (!std::holds_alternative<Golden>(read)) continue;
    const std::string& comment = std::get<Golden>(read).conversation.comment;
    const size_t source = comment.find("source: ");
    if (source == std::string::npos) continue;
    for (const std::string& id : AllOf(comment.substr(source), R"(\b(P\d{3})\b)"))
      citations[id].insert(file);
  }
  return citations;
}

TEST(UsersPage, HasEveryTroubleOnce) {
  std::vector<std::string> expected;
  for (int number = 1; number <= kLastTrouble; number += 2)
    expected.push_back(fmt::format("P{:03}", number));
  std::vector<std::string> ids;
  for (const Entry& entry : Entries()) ids.push_back(entry.id);
  std::ranges::sort(ids);  // lint: keys are unique
  EXPECT_THAT(ids, ElementsAreArray(expected));
}

TEST(UsersPage, NamesTheConversationsThatCiteATrouble) {
  std::map<std::string, std::set<std::string>> citations = Citations();
  for (const Entry& entry : Entries()) EXPECT_EQ(entry.files, citations[entry.id]) << entry.id;
  EXPECT_THAT(citations, SizeIs(Entries().size())) << "a conversation cites an unknown trouble";
}

TEST(UsersPage, SaysWhyThereIsNoConversation) {
  for (const Entry& entry : Entries()) {
    if (!entry.files.empty()) continue;
    EXPECT_GT(entry.last_cell.size(), 15u) << entry.id;
  }
}

}  // namespace
}  // namespace cm
