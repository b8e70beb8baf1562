#include "conformance/adapters/wire/drawn.h"

#include <fmt/format.h>

#include <array>
#include <string_view>
#include <variant>

#include "model/base/check.h"
#include "model/base/choice.h"
#include "model/conversation/parse.h"

namespace cm::live {
namespace {

constexpr int kFewestLines = 3;
constexpr int kMostLines = 9;
constexpr uint32_t kFirstQp = 18;

// What may be unusual in a request; most are usual.
constexpr auto kRequests =
    std::to_array<std::string_view>({"",
                                     "",
                                     "",
                                     "",
                                     "",
                                     " response=8 retries=3",
                                     " response=9 retries=1",
                                     " retries=0 response=12",
                                     " response=10 retries=2 ack_timeout=12",
                                     " p_key=0x1234",
                                     " p_key=0x7fff",
                                     " cma_version=1",
                                     " uc",
                                     " alternate",
                                     " mixed-gids",
                                     " class_version=1",
                                     " method=2",
                                     " base_version=2",
                                     " responder_resources=0 initiator_depth=0",
                                     " responder_resources=200",
                                     " flow_control=0",
                                     " retry_count=0 rnr_retry_count=0",
                                     " srq=1",
                                     " private=count:56",
                                     " ack_timeout=0",
                                     " private=\"hello\""});
constexpr auto kRejections = std::to_array<std::string_view>(
    {" of=REP", " of=REP reason=10", " of=REP reason=3", " of=other", " of=other reason=10",
     " of=REQ", " of=other reason=4", " of=REQ reason=10"});
// To whom there is nothing behind it.
constexpr auto kStray = std::to_array<std::string_view>(
    {"DREQ to=passive remote=99 qp=17", "DREP to=passive remote=99", "RTU to=passive remote=99",
     "REP to=passive remote=99", "MRA to=passive remote=99", "REJ to=passive remote=99",
     "SIDR_REP to=passive remote=99", "DREQ to=passive remote=99 method=1",
     "OTHER to=passive attribute=0x001b", "OTHER to=passive attribute=0x001c",
     "OTHER to=passive attribute=0x0001 method=1", "LAP to=passive remote=99"});

// To an id that has asked; some with more depth than a device has.
constexpr auto kReplies = std::to_array<std::string_view>(
    {"", "", "", "", " responder_resources=0 initiator_depth=0", " responder_resources=129",
     " initiator_depth=255", " flow_control=0", " rnr_retry_count=0", " srq=1", " ack_delay=0",
     " private=count:56", " class_version=1", " method=2", " tid=99"});
constexpr auto kRefusals = std::to_array<std::string_view>(
    {" of=REQ", " of=REQ reason=8", " of=REQ reason=10", " of=REQ reason=4", " of=other",
     " of=other reason=10", " of=REP", " of=REQ reason=24", " of=REQ reason=28 private=\"no\""});

class Drawing {
 public:
  Drawing(uint64_t seed, uint64_t number, bool v6)
      : state_(NamedStream(seed, fmt::format("wire {}", number))), choice_(&state_) {
    v6_ = v6 && choice_.Below(3, "family") == 0;
  }

  // With a passive peer.
  std::string Lines() {
    text_ = "passive listening L on=S port=7471\n";
    Request();
    const uint64_t lines = kFewestLines + choice_.Below(kMostLines - kFewestLines + 1, "lines");
    for (uint64_t i = 0; i < lines; ++i) Next();
    return text_ + "settle\n";
  }

  // With an active one.
  std::string LinesOfAnActiveOne() {
    text_ = "active rdma_create_event_channel C nonblocking\n";
    Connecting();
    const uint64_t lines = kFewestLines + choice_.Below(kMostLines - kFewestLines + 1, "lines");
    for (uint64_t i = 0; i < lines; ++i) NextOfAnActiveOne();
    if (text_.find("tester sends") == std::string::npos) Say("REP to=active local=20 remote=A1");
    Fetching();
    return text_ + "settle\n";
  }

 private:
  // The n-th id is called An; it asks the tester, whose ids are 20 and above.
  void Connecting() {
    const uint64_t n = ++requests_;
    const std::string id = fmt::format("A{}", n);
    text_ += fmt::format(
        "active rdma_create_id {0} on=C\n"
        "active rdma_resolve_addr {0} src=active{1}:0 dst=tester{1}:7471\n",
        id, v6_ ? ".v6" : "");
    Fetching();
    text_ += fmt::format("active rdma_resolve_route {}\n", id);
    Fetching();
    text_ += fmt::format("active rdma_create_qp {0}\nactive rdma_connect {0}\n", id);
  }

  // What comes within a tenth of a second, if anything does.
  void Fetching() {
    const uint64_t n = ++fetched_;
    text_ += fmt::format(
        "active wait C within=100ms\nactive rdma_get_cm_event C as=e{0}\n"
        "active rdma_ack_cm_event e{0}\n",
        n);
  }

  // Mostly with a queue pair of its own.
  void Reply(uint64_t n, const std::string& ids) {
    const bool used = choice_.Below(8, "queue pair") == 0;
    const std::string_view unusual = OneOf(kReplies, "reply");
    Say(fmt::format("REP {}{} qp={}", ids, unusual, used ? kFirstQp : kFirstQp + n));
  }

  void NextOfAnActiveOne() {
    const uint64_t n = 1 + choice_.Below(requests_, "connection");
    const std::string ids = fmt::format("to=active local={} remote=A{}", 19 + n, n);
    switch (choice_.Below(12, "line")) {
      case 0:
      case 1:
      case 2:
        return Reply(n, ids);
      case 3:
        return Say(fmt::format("REJ {}{}", ids, OneOf(kRefusals, "refusal")));
      case 4:
        return Say(fmt::format("MRA {} timeout={}", ids, 8 + choice_.Below(6, "timeout")));
      case 5:
        return Say(fmt::format("DREQ {} qp=A{}", ids, n));
      case 6:
        return Say("DREP " + ids);
      case 7:
        return Say(choice_.Below(2, "other") == 0 ? "RTU " + ids
                                                  : fmt::format("DREQ {} qp=99", ids));
      case 8:
        if (requests_ < 3) return Connecting();
        return Wait();
      case 9:
        text_ += fmt::format("active rdma_disconnect A{}\n", n);
        return;
      case 10:
        return Wait();
      default:
        return Fetching();
    }
  }

  template <size_t kCount>
  std::string_view OneOf(const std::array<std::string_view, kCount>& all, std::string_view what) {
    return all[choice_.Below(kCount, what)];
  }

  void Next() {
    const uint64_t what = choice_.Below(14, "line");
    if (what < 2) return Request();
    if (what < 3) return Say(std::string(OneOf(kStray, "stray")));
    if (what < 4) return Wait();
    if (requests_ == 0) return Request();
    Answer(1 + choice_.Below(requests_, "connection"), what);
  }

  void Say(const std::string& message) { text_ += "tester sends " + message + "\n"; }

  void Wait() {
    constexpr auto kSpans =
        std::to_array<std::string_view>({"20ms", "100ms", "300ms", "700ms", "1500ms"});
    text_ += fmt::format("pass {}\n", OneOf(kSpans, "span"));
  }

  // A new one, mostly with a queue pair of its own.
  void Request() {
    ++requests_;
    const bool used = requests_ > 1 && choice_.Below(8, "queue pair") == 0;
    const uint64_t qp = kFirstQp + (used ? choice_.Below(requests_ - 1, "used") : requests_ - 1);
    const int port = choice_.Below(10, "port") == 0 ? 7 : 7471;
    std::string_view unusual = OneOf(kRequests, "request");
    if (v6_ && unusual == " mixed-gids") unusual = {};  // its other family is IPv6
    Say(fmt::format("REQ to=passive port={} local={} qp={}{}{}", port, requests_, qp, unusual,
                    v6_ ? " v6" : ""));
    text_ += fmt::format("passive rdma_get_cm_event S id=P{}\n", requests_);
  }

  // About a connection: what comes next in its life, or something else.
  void Answer(uint64_t n, uint64_t what) {
    const std::string ids = fmt::format("to=passive local={0} remote=P{0}", n);
    if (what < 7) return Say("RTU " + ids);
    if (what < 9) return Say(fmt::format("DREQ {} qp=P{}", ids, n));
    if (what < 10) return Say(fmt::format("REJ {}{}", ids, OneOf(kRejections, "rejection")));
    if (what < 11) return Receipt(ids);
    if (what < 12)
      return Say(fmt::format("REQ to=passive port=7471 local={} qp={}{}", n, kFirstQp + n - 1,
                             v6_ ? " v6" : ""));
    if (what < 13) return Say("DREP " + ids);
    Say(choice_.Below(2, "other") == 0 ? "REP " + ids : fmt::format("DREQ {} qp=99", ids));
  }

  void Receipt(const std::string& ids) {
    const bool of_the_request = choice_.Below(3, "of") == 0;
    const uint64_t timeout = 8 + choice_.Below(6, "timeout");
    Say(fmt::format("MRA {} of={} timeout={}", ids, of_the_request ? "REQ" : "REP", timeout));
  }

  StreamState state_;
  RandomChoice choice_;
  bool v6_ = false;
  uint64_t requests_ = 0;
  uint64_t fetched_ = 0;
  std::string text_;
};

}  // namespace

Conversation Draw(uint64_t seed, uint64_t number, const std::string& profile, Manner manner) {
  Drawing drawing(seed, number, manner.v6);
  const std::string text = fmt::format(
      "topology tester\nprofile {}\ncapabilities time tester\n{}", profile,
      manner.active && number % 3 == 2 ? drawing.LinesOfAnActiveOne() : drawing.Lines());
  auto parsed = ParseConversation(text);
  const auto* problem = std::get_if<TextProblem>(&parsed);
  CM_CHECK(problem == nullptr) << problem->what << " in line " << problem->line << " of\n" << text;
  return std::get<Conversation>(std::move(parsed));
}

}  // namespace cm::live
