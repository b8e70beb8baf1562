#include "model/oracle/orders.h"

#include <algorithm>
#include <numeric>
#include <optional>
#include <utility>
#include <vector>

namespace cm::model {
namespace {

constexpr int kMostOrders = 4096;

// Records of concurrent calls: [begin, end).
struct Group {
  size_t begin = 0;
  size_t end = 0;
};

// By line: the number of calls in its group.
std::vector<size_t> Companies(const Conversation& conversation) {
  std::vector<size_t> companies;
  while (companies.size() < conversation.lines.size()) {
    const size_t first = companies.size();
    const size_t end = EndOfTogether(conversation, first);
    companies.resize(end, end - first);
  }
  return companies;
}

// Independent of the order of a group's records.
std::vector<Group> GroupsOf(const History& history) {
  const std::vector<size_t> companies = Companies(history.conversation);
  std::vector<Group> groups;
  const std::vector<Record>& records = history.records;
  for (size_t i = 0; i < records.size();) {
    if (std::holds_alternative<seen::Released>(records[i].seen)) {
      ++i;
      continue;
    }
    const size_t end = std::min(i + companies[records[i].line], records.size());
    if (end - i > 1) groups.push_back({i, end});
    i = end;
  }
  return groups;
}

// Depth first, one group after the other. A refusal before the next group makes all orders of later
// groups hopeless.
class OrderSearch {
 public:
  OrderSearch(const History& history, const Profile& profile,
              const std::function<bool(const History&)>& enough)
      : as_recorded_(history), profile_(profile), enough_(enough), groups_(GroupsOf(history)) {
    tried_.history = history;
  }

  InOrder Run() {
    static_cast<void>(Try(0));
    InOrder found = best_ ? *std::move(best_) : std::move(tried_);
    if (found.verdict.kind == VerdictKind::kRefused)
      found.verdict = JudgeHistory(found.history, profile_);
    return found;
  }

 private:
  // True when the search is over.
  bool Try(size_t number) {
    const Group group = groups_[number];
    const bool last = number + 1 == groups_.size();
    const size_t settled = last ? tried_.history.records.size() : groups_[number + 1].begin;
    std::vector<size_t> order(group.end - group.begin);
    std::iota(order.begin(), order.end(), group.begin);
    do {
      for (size_t i = 0; i < order.size(); ++i)
        tried_.history.records[group.begin + i] = as_recorded_.records[order[i]];
      tried_.verdict = JudgeUpToRefusal(tried_.history, profile_);
      if (++orders_ > kMostOrders) {
        tried_.verdict.kind = VerdictKind::kInconclusive;
        best_ = tried_;
        return true;
      }
      const bool refused = tried_.verdict.kind == VerdictKind::kRefused;
      if (refused) KeepFurthest();
      if (!refused && Permitted()) return true;
      if (refused && tried_.verdict.record < settled) continue;
      if (!last && Try(number + 1)) return true;
    } while (std::next_permutation(order.begin(), order.end()));
    std::copy(as_recorded_.records.begin() + static_cast<ptrdiff_t>(group.begin),
              as_recorded_.records.begin() + static_cast<ptrdiff_t>(group.end),
              tried_.history.records.begin() + static_cast<ptrdiff_t>(group.begin));
    return false;
  }

  bool Permitted() {
    const bool enough = enough_(tried_.history);
    const bool first = !best_ || best_->verdict.kind == VerdictKind::kRefused;
    if (enough || first) best_ = tried_;
    return enough;
  }

  // Of two that got equally far the one with the later call, so that the result does not depend on
  // the order of the lines.
  void KeepFurthest() {
    const bool further =
        !best_ || (best_->verdict.kind == VerdictKind::kRefused && HowFar(*best_) < HowFar(tried_));
    if (further) best_ = tried_;
  }
  static std::pair<size_t, int> HowFar(const InOrder& in_order) {
    const Record& record = in_order.history.records[in_order.verdict.record];
    const auto* calls = std::get_if<line::Calls>(&in_order.history.conversation.lines[record.line]);
    const int kind = calls == nullptr ? 0 : static_cast<int>(KindOf(calls->call));
    return {in_order.verdict.record, kind};
  }

  const History& as_recorded_;
  const Profile& profile_;
  const std::function<bool(const History&)>& enough_;
  std::vector<Group> groups_;
  InOrder tried_;
  std::optional<InOrder> best_;
  int orders_ = 0;
};

}  // namespace

bool HasTogether(const Conversation& conversation) {
  return std::ranges::any_of(conversation.lines, [](const Line& line) {
    const auto* calls = std::get_if<line::Calls>(&line);
    return calls != nullptr && calls->meanwhile;
  });
}

History InSequence(const History& in_order) {
  History history = in_order;
  std::vector<Line>& lines = history.conversation.lines;
  lines.clear();
  history.records.clear();
  history.wire.clear();
  std::vector<uint32_t> now_at(in_order.conversation.lines.size());
  size_t lines_seen = 0;
  const auto append = [&](uint32_t line) {
    now_at[line] = static_cast<uint32_t>(lines.size());
    lines.push_back(in_order.conversation.lines[line]);
    if (auto* calls = std::get_if<line::Calls>(&lines.back())) calls->meanwhile = false;
  };
  const std::vector<Group> groups = GroupsOf(in_order);
  auto group = groups.begin();
  for (size_t i = 0; i < in_order.records.size(); ++i) {
    Record record = in_order.records[i];
    while (group != groups.end() && i >= group->end) ++group;
    const bool at_once = group != groups.end() && i >= group->begin;
    if (!std::holds_alternative<seen::Released>(record.seen)) {
      ++lines_seen;
      const auto* answered = std::get_if<seen::Answered>(&record.seen);
      if (at_once && answered != nullptr && answered->reply == Reply::NotApplicable()) continue;
      append(record.line);
    }
    record.line = now_at[record.line];
    history.records.push_back(std::move(record));
  }
  for (size_t line = lines_seen; line < in_order.conversation.lines.size(); ++line)
    append(static_cast<uint32_t>(line));
  return history;
}

InOrder FindOrder(const History& history, const Profile& profile,
                  const std::function<bool(const History&)>& enough) {
  if (GroupsOf(history).empty()) return {history, JudgeHistory(history, profile)};
  return OrderSearch(history, profile, enough).Run();
}

}  // namespace cm::model
