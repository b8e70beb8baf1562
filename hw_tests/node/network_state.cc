#include "hw_tests/node/network_state.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <cstdint>
#include <iterator>
#include <nlohmann/json.hpp>
#include <optional>
#include <sstream>
#include <string_view>
#include <utility>

#include "model/base/json.h"

namespace node {
namespace {

using Json = nlohmann::json;

constexpr int kNoSuchProgram = 127;
constexpr std::string_view kBare = "+noprefixroute";  // behind an address

Words WordsOf(std::string_view line) {
  std::istringstream stream{std::string(line)};
  Words words;
  for (std::string word; stream >> word;) words.push_back(word);
  return words;
}

std::vector<std::string> LinesOf(const std::string& text) {
  std::istringstream stream(text);
  std::vector<std::string> lines;
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  return lines;
}

bool Has(const Words& words, std::string_view word) {
  return std::ranges::find(words, word) != words.end();
}

std::string TablesBegin(const std::string& interface) {
  std::string name = "cmcheck_";
  for (const char c : interface) name += std::isalnum(static_cast<unsigned char>(c)) != 0 ? c : '_';
  return name + "_";
}

// Reads facts by running programs. Keeps the first error.
class Reader {
 public:
  Reader(const Interface& interface, Tools& tools) : interface_(interface), tools_(tools) {}

  void Read() {
    ReadLinkAndAddresses();
    ReadDevices();
    ReadRoutes();
    ReadNeighbours();
    ReadTables();
  }
  std::variant<Facts, std::string> Result() {
    if (!problem_.empty()) return problem_;
    return facts_;
  }

 private:
  std::optional<std::string> Ask(const Words& words, bool may_be_missing = false) {
    if (!problem_.empty()) return std::nullopt;
    Ran ran = tools_.Run(words);
    if (ran.status == 0) return std::move(ran.printed);
    if (ran.status != kNoSuchProgram || !may_be_missing)
      problem_ = fmt::format("{}: status {}: {}", fmt::join(words, " "), ran.status, ran.printed);
    return std::nullopt;
  }
  // The objects that `ip -j` prints.
  Json AskIp(Words words) {
    words.insert(words.begin(), {"ip", "-j"});
    const std::optional<std::string> text = Ask(words);
    Json json = cm::ParseJson(text ? *text : "[]");
    const bool empty = text && text->find_first_not_of(" \n") == std::string::npos;
    if (json.is_array()) return json;
    if (problem_.empty() && !empty) problem_ = fmt::format("{}: no JSON", fmt::join(words, " "));
    return Json::array();
  }

  // Without the addresses that a router or a server gave: they come and go by themselves.
  void ReadLinkAndAddresses() {
    for (const Json& link : AskIp({"address", "show", "dev", interface_.name})) {
      for (const Json& flag : link.value("flags", Json::array()))
        if (flag == "UP") facts_.emplace_back("link up");
      TakeAddresses(link.value("addr_info", Json::array()));
    }
  }
  void TakeAddresses(const Json& addresses) {
    std::string later;
    for (const Json& address : addresses) {
      if (address.value("scope", "") == "link" || address.value("dynamic", false) ||
          address.value("valid_life_time", UINT32_MAX) != UINT32_MAX)
        continue;
      const std::string text =
          fmt::format("{}/{}", address.value("local", ""), address.value("prefixlen", 0));
      if (address.value("family", "") == "inet6")
        later += fmt::format(" {}{}", text, address.value("noprefixroute", false) ? kBare : "");
      else
        facts_.push_back("address " + text);
    }
    if (!later.empty()) facts_.push_back("addresses6" + later);
  }
  // "link rxe0/1 state ACTIVE physical_state LINK_UP netdev veth0"
  void ReadDevices() {
    const auto text = Ask({"rdma", "link", "show"}, true);
    for (const std::string& line : LinesOf(text.value_or(""))) {
      const Words words = WordsOf(line);
      const auto at = std::ranges::find(words, "netdev");
      if (words.size() < 2 || at == words.end() || at + 1 == words.end() ||
          at[1] != interface_.name)
        continue;
      const std::string device = words[1].substr(0, words[1].find('/'));
      // source: linux 6.1 rxe_verbs.c parent_show
      const std::string parent = fmt::format("{}/{}/parent", interface_.devices, device);
      facts_.push_back(
          fmt::format("device {}{}", device, access(parent.c_str(), R_OK) == 0 ? " rxe" : ""));
    }
  }
  void ReadRoutes() {
    for (const std::string_view family : {"4", "6"}) {
      const auto text = Ask({"ip", fmt::format("-{}", family), "route", "show", "table", "all",
                             "dev", interface_.name});
      for (const std::string& line : LinesOf(text.value_or(""))) {
        Words words = WordsOf(line);
        if (words.empty() || Has(words, "kernel") || Has(words, "ra") || Has(words, "expires"))
          continue;
        std::erase_if(words,
                      [](const std::string& word) { return word == "linkdown" || word == "dead"; });
        facts_.push_back(fmt::format("route{} {}", family, fmt::join(words, " ")));
      }
    }
  }
  void ReadNeighbours() {
    const Json all = AskIp({"neigh", "show", "dev", interface_.name, "nud", "permanent"});
    for (const Json& neighbour : all)
      if (neighbour.contains("dst") && neighbour.contains("lladdr"))
        facts_.push_back(fmt::format("neighbour {} {}", neighbour.value("dst", ""),
                                     neighbour.value("lladdr", "")));
  }
  void ReadTables() {
    const std::string ours = TablesBegin(interface_.name);
    const auto text = Ask({"nft", "list", "tables"}, true);
    for (const std::string& line : LinesOf(text.value_or(""))) {
      const Words words = WordsOf(line);
      if (words.size() == 3 && words[2].starts_with(ours)) facts_.push_back("table " + words[2]);
    }
  }

  const Interface& interface_;
  Tools& tools_;
  Facts facts_;
  std::string problem_;
};

// The kernel puts a new address before the others.
std::vector<Words> MakingAddresses6(const Words& fact, const std::string& interface) {
  std::vector<Words> commands;
  for (size_t i = 1; i < fact.size(); ++i)
    commands.push_back(
        {"ip", "address", "del", fact[i].substr(0, fact[i].find(kBare)), "dev", interface});
  for (size_t i = fact.size() - 1; i > 0; --i) {
    const size_t bare = fact[i].find(kBare);
    commands.push_back(
        {"ip", "address", "add", fact[i].substr(0, bare), "dev", interface, "nodad"});
    if (bare != std::string::npos) commands.back().emplace_back("noprefixroute");
  }
  return commands;
}

// The command that makes a fact true, or false; empty: none does.
Words Making(const Words& fact, const std::string& interface) {
  if (fact[0] == "link") return {"ip", "link", "set", interface, "up"};
  if (fact[0] == "device" && fact.size() == 3)
    return {"rdma", "link", "add", fact[1], "type", fact[2], "netdev", interface};
  Words words;
  if (fact[0] == "address") {
    words = {"ip", "address", "replace", fact[1], "dev", interface};
  } else if (fact[0] == "route4" || fact[0] == "route6") {
    words = {"ip", fact[0] == "route4" ? "-4" : "-6", "route", "replace"};
    words.insert(words.end(), fact.begin() + 1, fact.end());
    words.insert(words.end(), {"dev", interface});
  } else if (fact[0] == "neighbour") {
    words = {"ip",    "neigh", "replace", fact[1], "lladdr",
             fact[2], "dev",   interface, "nud",   "permanent"};
  }
  return words;
}
Words Unmaking(const Words& fact, const std::string& interface) {
  if (fact[0] == "neighbour") return {"ip", "neigh", "del", fact[1], "dev", interface};
  if (fact[0] == "table") return {"nft", "delete", "table", "inet", fact[1]};
  return {};
}

// A list of addresses holds where they stand in that order, perhaps with others between them.
bool Holds(const std::string& fact, const Facts& facts) {
  if (std::ranges::find(facts, fact) != facts.end()) return true;
  const Words wanted = WordsOf(fact);
  if (wanted.front() != "addresses6") return false;
  for (const std::string& other : facts) {
    size_t found = 0;
    for (const std::string& word : WordsOf(other))
      if (found < wanted.size() && word == wanted[found]) ++found;
    if (found == wanted.size()) return true;
  }
  return false;
}

Facts Without(const Facts& some, const Facts& others) {
  Facts left;
  for (const std::string& fact : some)
    if (!Holds(fact, others)) left.push_back(fact);
  return left;
}

// What is more than before: only what faults make. Other users may have added the rest.
Facts TooMuch(const Facts& before, const Facts& now) {
  Facts more = Without(now, before);
  std::erase_if(more, [](const std::string& fact) { return Unmaking(WordsOf(fact), "").empty(); });
  return more;
}

}  // namespace

std::variant<Facts, std::string> ReadFacts(const Interface& interface, Tools& tools) {
  Reader reader(interface, tools);
  reader.Read();
  return reader.Result();
}

std::string TableName(const std::string& interface, int number) {
  return TablesBegin(interface) + std::to_string(number);
}

std::vector<Words> Mend(const Facts& before, const Facts& now, const std::string& interface,
                        Mends which) {
  std::vector<Words> commands;
  for (const std::string& fact : TooMuch(before, now))
    commands.push_back(Unmaking(WordsOf(fact), interface));
  for (const std::string& fact : Without(before, now)) {
    if (which == Mends::kAllButDevices && fact.starts_with("device")) continue;
    const Words words = WordsOf(fact);
    if (words.front() == "addresses6")
      std::ranges::move(MakingAddresses6(words, interface), std::back_inserter(commands));
    else if (Words command = Making(words, interface); !command.empty())
      commands.push_back(std::move(command));
  }
  return commands;
}

std::string Difference(const Facts& before, const Facts& now) {
  constexpr size_t kShown = 3;
  const Facts missing = Without(before, now);
  const Facts more = TooMuch(before, now);
  std::vector<std::string> words;
  for (const auto& [facts, how] : {std::pair{&missing, "not there: "}, {&more, "still there: "}})
    for (size_t i = 0; i < facts->size() && i < kShown; ++i) words.push_back(how + (*facts)[i]);
  return fmt::format("{}", fmt::join(words, "; "));
}

}  // namespace node
