#include "conformance/explore/repertoire.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "model/conversation/parse.h"

namespace cm::explore {
namespace {

std::string ActiveName(int i) { return std::string(1, static_cast<char>('A' + i)); }
std::string RequestName(int i) { return std::string(1, static_cast<char>('P' + i)); }

// The text of an alphabet, from which it is parsed as any other conversation.
class Writer {
 public:
  explicit Writer(const Size& size) : size_(size) {}

  Repertoire Take(Conversation alphabet) {
    made_.alphabet = std::move(alphabet);
    Names& names = made_.alphabet.names;
    made_.listener = names.ids.Intern("L");
    for (int i = 0; i < size_.connections; ++i)
      made_.callers.push_back(names.ids.Intern(ActiveName(i)));
    for (int i = 0; i < Requests(); ++i) made_.requests.push_back(names.ids.Intern(RequestName(i)));
    return std::move(made_);
  }

  // One more than connections: a request that was repeated may be a new one.
  int Requests() const { return size_.connections + 1; }

  std::string Text() {
    text_ = fmt::format("topology two-kernels\nprofile {}\ncapabilities none\n", size_.profile);
    Before();
    made_.before = lines_;
    if (size_.from_nothing) Beginnings();
    for (int i = 0; i < size_.connections; ++i)
      for (const char* call : {"rdma_connect", "rdma_disconnect", "rdma_destroy_id"})
        Add(Action::Kind::kCall, fmt::format("active {} {}", call, ActiveName(i)));
    AddTaking("active", "C", "");
    for (int i = 0; i < Requests(); ++i) AddTaking("passive", "S", " id=" + RequestName(i));
    for (int i = 0; i < Requests(); ++i) {
      const std::string request = RequestName(i);
      Add(Action::Kind::kCall, fmt::format("passive rdma_accept {} qp_num={}", request, 4101 + i));
      for (const char* call : {"rdma_reject", "rdma_disconnect", "rdma_destroy_id"})
        Add(Action::Kind::kCall, fmt::format("passive {} {}", call, request));
    }
    Add(Action::Kind::kCall, "passive rdma_destroy_id L");
    for (const std::string& fault : size_.faults)
      Add(Action::Kind::kFault, fault == "heal" ? fault : "fault " + fault);
    Add(Action::Kind::kTime, "pass 1us");
    made_.settles = lines_;
    Line("settle");
    for (const char* wait : {"active wait C within=1us", "passive wait S within=1us"}) {
      made_.quiet_waits.push_back(lines_);
      Line(wait);
    }
    return text_;
  }

 private:
  void Line(const std::string& line) {
    text_ += line + "\n";
    ++lines_;
  }
  void Add(Action::Kind kind, const std::string& line) {
    made_.actions.push_back({kind, lines_});
    Line(line);
  }
  void AddTaking(const char* side, const char* channel, const std::string& request) {
    const std::string event = fmt::format("e{}", made_.actions.size());
    Add(Action::Kind::kTake,
        fmt::format("{} rdma_get_cm_event {} as={}{}", side, channel, event, request));
    Line(fmt::format("{} rdma_ack_cm_event {}", side, event));
  }

  std::vector<std::string> Creating() const {
    std::vector<std::string> lines = {"passive rdma_create_id L on=S",
                                      "passive rdma_bind_addr L addr=passive:7471",
                                      "passive rdma_listen L backlog=8"};
    for (int i = 0; i < size_.connections; ++i) {
      const std::string id = ActiveName(i);
      lines.push_back(fmt::format("active rdma_create_id {} on=C", id));
      lines.push_back(
          fmt::format("active rdma_resolve_addr {} dst=passive:7471 timeout_ms=2000", id));
      lines.push_back(fmt::format("active rdma_resolve_route {} timeout_ms=2000", id));
      lines.push_back(fmt::format("active rdma_create_qp {}", id));
    }
    return lines;
  }
  void Before() {
    Line("passive rdma_create_event_channel S");
    Line("active rdma_create_event_channel C");
    if (size_.from_nothing) return;
    int event = 0;
    for (const std::string& line : Creating()) {
      Line(line);
      if (line.find("rdma_resolve") == std::string::npos) continue;
      Line(fmt::format("active rdma_get_cm_event C as=b{}", event));
      Line(fmt::format("active rdma_ack_cm_event b{}", event++));
    }
  }
  void Beginnings() {
    for (const std::string& line : Creating()) Add(Action::Kind::kCall, line);
  }

  const Size& size_;
  std::string text_;
  uint32_t lines_ = 0;
  Repertoire made_;
};

}  // namespace

std::variant<Repertoire, std::string> MakeRepertoire(const Size& size) {
  Writer writer(size);
  auto parsed = ParseConversation(writer.Text());
  if (const auto* problem = std::get_if<TextProblem>(&parsed)) return problem->what;
  return writer.Take(std::get<Conversation>(std::move(parsed)));
}

std::vector<std::string> FaultLines(FaultKind kind) {
  const FaultRow& row = RowOf(kind);
  const bool ends_another = std::ranges::any_of(
      kFaultKinds, [kind](const FaultRow& other) { return other.undone_by == kind; });
  if (ends_another || row.wants == FaultPremise::kBonded) return {};
  std::vector<std::string> lines = {ExampleOf(kind, "active"), ExampleOf(kind, "passive")};
  const bool ends_by_itself = std::ranges::any_of(row.takes, [](FaultField field) {
    return field == FaultField::kNth || field == FaultField::kTimes;
  });
  if (row.healed && !ends_by_itself) lines.emplace_back("heal");
  return lines;
}

}  // namespace cm::explore
