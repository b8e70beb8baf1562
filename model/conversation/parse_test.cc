#include "model/conversation/parse.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "model/conversation/print.h"

namespace cm {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::StartsWith;

constexpr std::string_view kHead = "conversation 1\ntopology two-kernels\n";

Conversation Parsed(std::string_view body) {
  auto parsed = ParseConversation(std::string(kHead) + std::string(body));
  if (const auto* problem = std::get_if<TextProblem>(&parsed)) {
    ADD_FAILURE() << problem->line << ": " << problem->what;
    return {.topology = FindTopology("two-kernels")};
  }
  return std::move(std::get<Conversation>(parsed));
}

std::vector<std::string> Lines(const Conversation& conversation) {
  std::vector<std::string> lines;
  for (const Line& line : conversation.lines) lines.push_back(ToString(line, conversation));
  return lines;
}

template <typename T>
std::string Problem(const std::variant<T, TextProblem>& parsed) {
  const auto* problem = std::get_if<TextProblem>(&parsed);
  if (problem == nullptr) return "";
  EXPECT_EQ(problem->what.find('\n'), std::string::npos) << problem->what;
  return std::to_string(problem->line) + ": " + problem->what;
}

std::string ProblemIn(std::string_view text) { return Problem(ParseConversation(text)); }

// The error of a line that follows two header lines and three valid ones.
std::string ProblemOfLine(std::string_view line) {
  return ProblemIn(std::string(kHead) +
                   "active rdma_create_event_channel C\n"
                   "active rdma_create_id A on=C\n"
                   "active rdma_get_cm_event C as=e\n" +
                   std::string(line) + "\nsettle\n");
}

TEST(ParseConversation, ReadsAnOrder) {
  const std::string text = std::string(kHead) + "order 1 0 2\nsettle\n";
  const auto parsed = ParseConversation(text);
  ASSERT_TRUE(std::holds_alternative<Conversation>(parsed)) << ProblemIn(text);
  const Conversation& conversation = std::get<Conversation>(parsed);
  EXPECT_EQ(conversation.order, (std::vector<uint64_t>{1, 0, 2}));
  EXPECT_NE(ToText(conversation).find("order 1 0 2\n"), std::string::npos);
  EXPECT_NE(ProblemIn(std::string(kHead) + "order\n"), "");
  EXPECT_NE(ProblemIn(std::string(kHead) + "order 1 x\n"), "");
}

TEST(ParseConversation, ReadsACommentAndAnOrigin) {
  const auto parsed = ParseConversation(
      "# Why it was\n#\n# kept.\nconversation 1\ntopology bond\nprofile 6.1-rxe\n"
      "capabilities drop time\nseed 18446744073709551615 index 7 walk life options calls=20\n");
  const auto& conversation = std::get<Conversation>(parsed);
  EXPECT_EQ(conversation.comment, "Why it was\n\nkept.\n");
  EXPECT_EQ(conversation.topology->name, "bond");
  EXPECT_EQ(conversation.profile, "6.1-rxe");
  EXPECT_TRUE(conversation.capabilities.Has(Capability::kDrop));
  EXPECT_TRUE(conversation.capabilities.Has(Capability::kTime));
  EXPECT_FALSE(conversation.capabilities.Has(Capability::kDelay));
  EXPECT_EQ(
      conversation.origin,
      (Origin{.seed = 0xffffffffffffffffu, .index = 7, .walk = "life", .options = "calls=20"}));
}

TEST(ParseConversation, ReadsCallsWithTheirDefaults) {
  const Conversation conversation = Parsed(
      "active rdma_create_event_channel C\nactive rdma_create_id A on=C\n"
      "active rdma_listen A\nactive rdma_resolve_route A\n");
  const auto& create = std::get<call::CreateId>(std::get<line::Calls>(conversation.lines[1]).call);
  EXPECT_EQ(create.space, PortSpace::kTcp);
  const auto& listen = std::get<call::Listen>(std::get<line::Calls>(conversation.lines[2]).call);
  EXPECT_EQ(listen.backlog, 8);
  const auto& route =
      std::get<call::ResolveRoute>(std::get<line::Calls>(conversation.lines[3]).call);
  EXPECT_EQ(route.timeout_ms, 2000);
}

TEST(ParseConversation, ReadsTheSameWithTabsBlankLinesAndCarriageReturns) {
  EXPECT_EQ(Lines(Parsed("\n\tactive\trdma_create_event_channel   C \r\n\n# between\n settle\r\n")),
            (std::vector<std::string>{"active rdma_create_event_channel C", "settle"}));
}

TEST(ParseConversation, ReadsFaults) {
  const Conversation conversation = Parsed(
      "fault drop REQ from=active nth=2..5 during=3s\nfault delay any from=passive nth=4.. by=1s\n"
      "fault duplicate DREP from=active nth=3\nfault link-down side=passive\n");
  const auto fault = [&](size_t i) { return std::get<line::Injects>(conversation.lines[i]).fault; };
  EXPECT_EQ(fault(0), (Fault{.kind = FaultKind::kDrop,
                             .side = kActiveSide,
                             .messages = MadKinds(MadKind::kReq),
                             .first = 2,
                             .last = 5,
                             .window = Duration::Seconds(3)}));
  EXPECT_EQ(fault(1), (Fault{.kind = FaultKind::kDelay,
                             .side = kPassiveSide,
                             .messages = MadKinds::All(),
                             .first = 4,
                             .last = 0,
                             .by = Duration::Seconds(1)}));
  EXPECT_EQ(fault(2), (Fault{.kind = FaultKind::kDuplicate,
                             .side = kActiveSide,
                             .messages = MadKinds(MadKind::kDrep),
                             .first = 3,
                             .last = 3}));
  EXPECT_EQ(fault(3), (Fault{.kind = FaultKind::kLinkDown, .side = kPassiveSide}));
}

TEST(ParseConversation, ReadsTheRarerFaults) {
  const std::vector<std::string> lines = {
      "fault corrupt REQ from=active nth=1",
      "fault drop any from=active to=passive",
      "fault drop DREQ from=any",
      "fault delay any from=passive by=1ms..5s",
      "fault delay REP from=passive by=1us..60s shape=tail after=2s during=1s",
      "fault link-flap side=active every=500ms times=3",
      "fault duplicate-address side=passive",
      "fault crash side=active",
      "fault restart side=active",
  };
  std::string body;
  for (const std::string& line : lines) body += line + "\n";
  const Conversation conversation = Parsed(body);
  EXPECT_EQ(Lines(conversation), lines);
  const auto fault = [&](size_t i) { return std::get<line::Injects>(conversation.lines[i]).fault; };
  EXPECT_EQ(fault(1).to, kPassiveSide);
  EXPECT_EQ(fault(2).side, kAnySide);
  EXPECT_EQ(fault(4), (Fault{.kind = FaultKind::kDelay,
                             .side = kPassiveSide,
                             .messages = MadKinds(MadKind::kRep),
                             .by = Duration::Microseconds(1),
                             .at_most = Duration::Seconds(60),
                             .shape = DelayShape::kTail,
                             .after = Duration::Seconds(2),
                             .window = Duration::Seconds(1)}));
}

TEST(ParseConversation, RefusesFaultsThatSayTooMuchOrTooLittle) {
  EXPECT_THAT(ProblemOfLine("fault delay any from=active by=5s..1s"),
              HasSubstr("the longest is no longer than the shortest"));
  EXPECT_THAT(ProblemOfLine("fault delay any from=active by=5s shape=tail"),
              HasSubstr("a range such as by=1ms..1s is wanted"));
  EXPECT_THAT(ProblemOfLine("fault delay any from=active by=1s..2s shape=bell"),
              HasSubstr("uniform or tail is wanted"));
  EXPECT_THAT(ProblemOfLine("fault drop any from=active to=elsewhere"),
              HasSubstr("\"elsewhere\" is not a side"));
  EXPECT_THAT(ProblemOfLine("fault link-flap side=active every=1s"), HasSubstr("times"));
  EXPECT_THAT(ProblemOfLine("fault link-flap side=active every=0s times=2"), HasSubstr("every"));
  EXPECT_THAT(ProblemOfLine("fault stop side=active"), HasSubstr("crash, restart"));
}

TEST(ParseConversation, ReadsLanes) {
  const Conversation conversation =
      Parsed("active rdma_create_event_channel C\nactive/3 wait C within=2s\n");
  EXPECT_EQ(std::get<line::Calls>(conversation.lines[0]).lane, (Lane{.side = 0, .number = 1}));
  EXPECT_EQ(std::get<line::Waits>(conversation.lines[1]).lane, (Lane{.side = 0, .number = 3}));
}

TEST(ParseConversation, ReadsCallsThatAreMadeAtOnce) {
  const std::vector<std::string> lines = {
      "active rdma_create_event_channel C", "active rdma_create_id A on=C",
      "active/2 & rdma_create_id B on=C",   "active/3 & rdma_create_id D on=C",
      "active/2 rdma_create_id E on=C",     "active/3 & rdma_create_id F on=C"};
  std::string text;
  for (const std::string& line : lines) text += line + "\n";
  const Conversation conversation = Parsed(text);
  EXPECT_EQ(Lines(conversation), lines);
  EXPECT_EQ(EndOfTogether(conversation, 0), 1u);
  EXPECT_EQ(EndOfTogether(conversation, 1), 4u);
  EXPECT_EQ(EndOfTogether(conversation, 4), 6u);
}

TEST(ParseConversation, NamesTheLineThatItCannotRead) {
  for (const auto& [line, what] : std::initializer_list<std::pair<const char*, const char*>>{
           {"active rdma_frobnicate A", "\"rdma_frobnicate\" is not a function"},
           {"active & wait C within=1s", "\"wait\" is not a function"},
           {"active & rdma_create_event_channel D",
            "&: this thread makes another of the concurrent calls"},
           {"sideways rdma_listen A", "\"sideways\" is neither a side of topology two-kernels"},
           {"active/0 rdma_listen A", "\"active/0\" is neither a side"},
           {"active/256 rdma_listen A", "\"active/256\" is neither a side"},
           {"active", "the line ends where a function should stand"},
           {"active rdma_listen", "the line ends where an id should stand"},
           {"active rdma_listen B", "B"},
           {"active rdma_listen A backlog=many", "backlog=many: a number"},
           {"active rdma_listen A backlog=2147483648", "backlog=2147483648: a number"},
           {"active rdma_listen A backlog=8x", "backlog=8x: a number"},
           {"active rdma_listen A backlog=8 9", "\"9\" is not understood here"},
           {"active rdma_bind_addr A", "addr=... is missing"},
           {"active rdma_bind_addr A addr=nowhere:1", "nowhere:1"},
           {"active rdma_bind_addr A addr=active", "active"},
           {"active rdma_bind_addr A addr=active:65536", "active:65536"},
           {"active rdma_bind_addr A addr=active:-1", "active:-1"},
           {"active rdma_create_id A on=C", "id A is created twice"},
           {"active rdma_create_id B on=D", "D"},
           {"active rdma_create_id B on=C ps=RDMA_PS_ODD", "ps=RDMA_PS_ODD"},
           {"active rdma_create_event_channel C", "channel C is created twice"},
           {"active rdma_get_cm_event C as=e", "event e is fetched twice"},
           {"active rdma_ack_cm_event f", "no event is fetched as f"},
           {"active rdma_create_ep A passive", "id A is created twice"},
           {"active rdma_create_ep B type=XRC", "type=XRC: RC, UC or UD"},
           {"active rdma_getaddrinfo I service=65536", "service=65536: a number"},
           {"active rdma_getaddrinfo I node=nowhere", "nowhere"},
           {"active rdma_getaddrinfo I nohints family=2", "family=2"},
           {"active rdma_freeaddrinfo I", "rdma_getaddrinfo does not return I"},
           {"active rdma_free_devices I", "rdma_get_devices does not return I"},
           {"active rdma_query_addrinfo A", "info=... is missing"},
           {"active rdma_write_cm_event A event=256", "event=256: a number"},
           {"active rdma_write_cm_event A status=2147483648", "status=2147483648: a number"},
           {"active rdma_write_cm_event A argument=g", "argument=g: a hexadecimal number"},
           {"active rdma_connect A private=hello", "private"},
           {"active rdma_connect A private=\"hello", "a quote is not closed"},
           {"active rdma_connect A private=count:256", "private"},
           {"active rdma_connect A private=hex:0", "private"},
           {"active rdma_connect A responder_resources=256", "responder_resources=256: a number"},
           {"active wait C", "within=... is missing"},
           {"active wait C within=soon", "\"soon\": a duration"},
           {"pass", "a duration"},
           {"pass -1s", "\"-1s\": a duration"},
           {"pass 100001s", "\"100001s\": at most 100000s in one value"},
           {"fault delay REQ from=active by=9223372036s", "\"9223372036s\": at most"},
           {"fault melt REQ from=active", "fault melt: not a kind of fault"},
           {"fault drop RUN from=active", "\"RUN\": REQ, MRA"},
           {"fault drop REQ", "from=... is missing"},
           {"fault drop REQ from=above", "above"},
           {"fault drop REQ from=active nth=0", "nth=0: 3, 2..5 or 4.. is wanted"},
           {"fault drop REQ from=active nth=5..2", "nth=5..2: the last is before the first"},
           {"fault delay REQ from=active", "by=... is missing"},
           {"heal now", "\"now\" is not understood here"},
           {"topology bond", "\"topology\" is neither a side"}}) {
    EXPECT_THAT(ProblemOfLine(line), HasSubstr(what)) << line;
    EXPECT_TRUE(ProblemOfLine(line).starts_with("6: ")) << ProblemOfLine(line);
  }
}

TEST(ParseConversation, WantsAHeaderThatItKnows) {
  EXPECT_THAT(ProblemIn(""), HasSubstr("not a conversation"));
  EXPECT_THAT(ProblemIn("{\"k\":\"call\"}\n"), HasSubstr("1: "));
  EXPECT_THAT(ProblemIn("conversation 2\n"), HasSubstr("1: this program reads version 1"));
  EXPECT_THAT(ProblemIn("conversation 1\ntopology ring\n"),
              HasSubstr("2: topology ring: there are two-kernels, "));
  EXPECT_EQ(ProblemIn("conversation 1\nsettle\n"), "2: a line `topology NAME` must come first");
  EXPECT_THAT(ProblemIn("topology bond\ncapabilities drop flight\n"), HasSubstr("2: capabilities"));
  EXPECT_THAT(ProblemIn("topology bond\nseed x index 1 walk w options none\n"),
              HasSubstr("2: \"x\": a seed is wanted"));
  EXPECT_THAT(ProblemIn("topology bond\nseed 1 walk w\n"), HasSubstr("2: index ... is wanted"));
}

TEST(Macros, AreExpandedToOneLineACall) {
  EXPECT_THAT(
      Lines(Parsed("passive listening L on=S port=7471\n")),
      ElementsAre("passive rdma_create_event_channel S", "passive rdma_create_id L on=S",
                  "passive rdma_bind_addr L addr=passive:7471", "passive rdma_listen L backlog=8"));
  EXPECT_THAT(
      Lines(Parsed("active connecting A on=C to=passive:7471 private=\"hello\"\n")),
      ElementsAre("active rdma_create_event_channel C", "active rdma_create_id A on=C",
                  "active rdma_resolve_addr A src=active:0 dst=passive:7471 timeout_ms=2000",
                  "active wait C within=1s", "active rdma_get_cm_event C as=e1",
                  "active rdma_ack_cm_event e1", "active rdma_resolve_route A timeout_ms=2000",
                  "active wait C within=1s", "active rdma_get_cm_event C as=e2",
                  "active rdma_ack_cm_event e2", "active rdma_create_qp A",
                  "active rdma_connect A private=\"hello\""));
}

TEST(Macros, TakeTheQueuePairAwayOnRequest) {
  const std::vector<std::string> lines =
      Lines(Parsed("passive listening L on=S port=1\npassive accepting P on=S noqp srq=1\n"));
  EXPECT_THAT(std::vector<std::string>(lines.begin() + 4, lines.end()),
              ElementsAre("passive wait S within=1s", "passive rdma_get_cm_event S as=e1 id=P",
                          "passive rdma_ack_cm_event e1", "passive rdma_accept P srq=1"));
}

TEST(Macros, MakeAChannelOnlyOnce) {
  const std::vector<std::string> lines =
      Lines(Parsed("passive listening L on=S port=1\npassive listening M on=S port=2\n"));
  EXPECT_EQ(std::ranges::count(lines, "passive rdma_create_event_channel S"), 1);
}

TEST(Macros, NameWhatTheyMiss) {
  EXPECT_THAT(ProblemOfLine("active listening B port=1"), HasSubstr("6: on=... is missing"));
  EXPECT_THAT(ProblemOfLine("active connecting B on=C"), HasSubstr("6: to=... is missing"));
  EXPECT_THAT(ProblemOfLine("active accepting B on=D"), HasSubstr("6: "));
  EXPECT_THAT(ProblemOfLine("active taking"), HasSubstr("6: the line ends"));
}

constexpr std::string_view kShort =
    "conversation 1\ntopology two-kernels\ncapabilities none\n"
    "active rdma_create_event_channel C\nactive rdma_create_id A on=C\nsettle\n";

History Kept() {
  History history;
  auto parsed = ParseConversation(kShort);
  history.conversation = std::move(std::get<Conversation>(parsed));
  history.implementation = "another";
  const auto at = [](int us) { return Instant() + Duration::Microseconds(us); };
  history.records = {{0, at(0), at(1), seen::Answered{}},
                     {1, at(1), at(2), seen::Answered{Reply::Refused(Errno::kNoDev), {}, {}}},
                     {2, at(2), at(9), seen::Done{}}};
  return history;
}

TEST(ParseHistory, ReadsWhatIsPrinted) {
  const std::string text = ToText(Kept());
  const auto parsed = ParseHistory(text);
  ASSERT_EQ(Problem(parsed), "");
  EXPECT_EQ(ToText(std::get<History>(parsed)), text);
  EXPECT_EQ(std::get<History>(parsed).implementation, "another");
}

TEST(ParseHistory, ReadsOutputs) {
  const std::string text = R"(conversation 1
topology one-kernel-two-devices
profile 6.1-rxe
capabilities none
active rdma_getaddrinfo I node=passive.v6 service=7471 flags=3 family=10 type=UD ps=RDMA_PS_IB src=active:1
active rdma_getaddrinfo J node=passive nohints
active rdma_freeaddrinfo I
active rdma_get_devices D
active rdma_free_devices D
active rdma_create_ep A dst=passive:7471 qp ps=RDMA_PS_UDP type=RC
----
  0us  active rdma_getaddrinfo I node=passive.v6 service=7471 flags=3 family=10 type=UD ps=RDMA_PS_IB src=active:1 -> 0  flags=1 family=10 type=UD ps=RDMA_PS_IB src=passive.v6:7471+28 dst=none+0 route=0 connect=0
  0us  active rdma_getaddrinfo J node=passive nohints -> -9
  0us  active rdma_freeaddrinfo I -> 0
  0us  active rdma_get_devices D -> 0  devices=rxe0,rxe1 unknown=2
  0us  active rdma_free_devices D -> 0
  0us  active rdma_create_ep A dst=passive:7471 qp ps=RDMA_PS_UDP type=RC -> -1 EINVAL
)";
  const auto parsed = ParseHistory(text);
  ASSERT_EQ(Problem(parsed), "");
  EXPECT_EQ(ToText(std::get<History>(parsed), {.times = false}).size(),
            text.size() - std::string_view("  0us  ").size() * 6);
}

TEST(ParseHistory, ReadsWhatIsWrittenToAnId) {
  const std::string text = R"(conversation 1
topology one-kernel-two-devices
profile 7.2-rxe
capabilities none
active rdma_create_event_channel C
active rdma_create_id A on=C
active rdma_write_cm_event A event=9 status=-2147483648 argument=0xffffffffffffffff
active rdma_write_cm_event A
active rdma_resolve_addrinfo A node=passive service=7471 flags=48
active rdma_query_addrinfo A info=I
active rdma_freeaddrinfo I
active rdma_get_cm_event C as=e
----
active rdma_create_event_channel C -> 0
active rdma_create_id A on=C -> 0
active rdma_write_cm_event A event=9 status=-2147483648 argument=0xffffffffffffffff -> 0
active rdma_write_cm_event A -> 0
active rdma_resolve_addrinfo A node=passive service=7471 flags=48 -> -1 E-6
active rdma_query_addrinfo A info=I -> 0  flags=0 family=2 type=RC ps=RDMA_PS_TCP src=none+0 dst=passive:7471+16 route=0 connect=0
active rdma_freeaddrinfo I -> 0
active rdma_get_cm_event C as=e -> 0  event RDMA_CM_EVENT_USER id=A status=2147483647 argument=0xfedcba9876543210
)";
  const auto parsed = ParseHistory(text);
  ASSERT_EQ(Problem(parsed), "");
  EXPECT_EQ(ToText(std::get<History>(parsed), {.times = false}), text);
}

TEST(ParseHistory, WantsAHistory) {
  EXPECT_EQ(Problem(ParseHistory(kShort)), "0: there is no history behind a line of dashes");
}

// The lines after the two of the header, as a conversation of its own.
std::string ProblemWith(const std::string& header, const std::string& body) {
  return Problem(ParseConversation(header + "\n" + body));
}

TEST(ParseConversation, RefusesFaultsThatWouldDoNothing) {
  const std::string two = "topology two-kernels\nprofile 6.1-rxe";
  EXPECT_THAT(ProblemWith(two, "fault fail-over side=active\n"),
              AllOf(StartsWith("3: "), HasSubstr("not on a bond")));
  EXPECT_THAT(ProblemWith(two, "fault silence-sm side=active\n"),
              AllOf(StartsWith("3: "), HasSubstr("6.1-rxe"), HasSubstr("6.1-ib")));
  EXPECT_THAT(
      ProblemWith("topology two-kernels\nprofile 6.1-siw", "fault silence-sm side=active\n"),
      HasSubstr("no administrator"));
  EXPECT_THAT(ProblemWith(two, "fault add-device side=active\n"),
              AllOf(StartsWith("3: "), HasSubstr("is there")));
  EXPECT_THAT(ProblemWith(two, "fault restart side=active\n"), HasSubstr("is running"));
  EXPECT_THAT(
      ProblemWith(two, "fault remove-device side=active\nfault remove-device side=active\n"),
      AllOf(StartsWith("4: "), HasSubstr("gone already")));
  EXPECT_THAT(ProblemWith(two, "fault crash side=active\nfault crash side=active\n"),
              AllOf(StartsWith("4: "), HasSubstr("not running")));
  EXPECT_THAT(ProblemWith(two, "fault crash side=active\nfault add-device side=active\n"),
              AllOf(StartsWith("4: "), HasSubstr("not running")));
}

TEST(ParseConversation, TakesFaultsThatGiveBackWhatIsGone) {
  const std::string two = "topology two-kernels\nprofile 6.1-rxe";
  EXPECT_EQ(ProblemWith("topology bond\nprofile 6.1-rxe", "fault fail-over side=active\n"), "");
  EXPECT_EQ(ProblemWith("topology two-kernels\nprofile 6.1-ib", "fault silence-sm side=active\n"),
            "");
  EXPECT_EQ(ProblemWith(two,
                        "fault remove-device side=active\nfault add-device side=active\n"
                        "fault remove-device side=active\n"),
            "");
  // A host that starts has all of its devices.
  EXPECT_EQ(ProblemWith(two,
                        "fault remove-device side=active\nfault crash side=active\n"
                        "fault restart side=active\nfault remove-device side=active\n"),
            "");
}

// A history that is truncated after any of its lines is not complete.
TEST(ParseHistory, SaysWhenItEndsEarly) {
  const std::string text = ToText(Kept());
  const size_t dashes = text.find("----\n");
  for (size_t end = text.rfind('\n', text.size() - 2); end > dashes + 5;
       end = text.rfind('\n', end - 1))
    EXPECT_THAT(Problem(ParseHistory(text.substr(0, end + 1))), HasSubstr("the history ends early"))
        << text.substr(0, end);
}

TEST(ParseHistory, NoticesALineThatWasEdited) {
  std::string text = ToText(Kept());
  const size_t dashes = text.find("----\n");
  text.replace(text.find("rdma_create_id A", dashes), 16, "rdma_create_id B");
  EXPECT_TRUE(Problem(ParseHistory(text)).starts_with("10: ")) << Problem(ParseHistory(text));
}

TEST(ParseHistory, NamesAnAnswerThatItCannotRead) {
  for (const auto& [before, after] : std::initializer_list<std::pair<const char*, const char*>>{
           {"-1 ENODEV", "-1 ENOWHERE"}, {"-1 ENODEV", "minus"}, {"-1 ENODEV", ""}}) {
    std::string text = ToText(Kept());
    text.replace(text.find(before), std::string_view(before).size(), after);
    EXPECT_TRUE(Problem(ParseHistory(text)).starts_with("10: ")) << Problem(ParseHistory(text));
  }
}

TEST(ParseConversation, NamesWhatIsNotKnownAndWhatIs) {
  EXPECT_THAT(ProblemIn("topology bond\ncapabilities drop fly time\n"),
              AllOf(HasSubstr("2: capabilities: \"fly\" is none of drop, drop-nth, "),
                    HasSubstr(", tester; or none")));
  EXPECT_THAT(ProblemIn("topology bond\nfault drop FOO from=active\n"),
              HasSubstr("2: \"FOO\": REQ, MRA, REJ, REP, RTU, DREQ, DREP, SIDR_REQ, SIDR_REP, LAP, "
                        "APR or any is wanted"));
  EXPECT_THAT(ProblemIn("topology bond\nfault drop REQ from=north\n"),
              HasSubstr("2: \"north\" is not a side of topology bond; there are active, passive"));
  EXPECT_THAT(ProblemIn("topology bond\nnorth settle\n"), HasSubstr("(active, passive) nor"));
  EXPECT_THAT(ProblemIn("topology bond\nprofile 6.1-rxe\nprofile 7.2-rxe\n"),
              HasSubstr("3: profile: it is 6.1-rxe already"));
}

TEST(ParseConversation, RefusesNamesThatTheDriverProtocolHasNoPlaceFor) {
  const std::string longest(64, 'x');
  for (const std::string form :
       {"active rdma_create_event_channel @", "active rdma_create_id @ on=C",
        "active rdma_get_cm_event C as=@", "active rdma_get_cm_event C id=@",
        "active rdma_getaddrinfo @", "active rdma_reg_msgs @ id=A", "active taking C id=@",
        "active listening L on=@ port=1", "active connecting B on=@ to=passive:1"}) {
    const auto problem = [&form](std::string line, const std::string& name) {
      return ProblemOfLine(line.replace(form.find('@'), 1, name));
    };
    for (const std::string& name : {std::string("\xc3\x84"), std::string("\x1b"),
                                    std::string("a\0b", 3), std::string("\"a b\""), longest + "x"})
      EXPECT_THAT(problem(form, name),
                  AllOf(StartsWith("6: \""), HasSubstr("\" is no name: 1 to 64")));
    EXPECT_EQ(problem(form, longest), "") << form;
  }
  EXPECT_THAT(ProblemOfLine("active rdma_get_cm_event C as="), StartsWith("6: \"\" is no name"));
}

// Walks draw faults without effect as well.
TEST(ParseConversation, RefusesFaultsThatDoNothingUnlessTheyWereDrawn) {
  const std::string drawn = "topology bond\nseed 1 index 0 walk loss options none\n";
  for (const std::string fault :
       {"fault drop REQ from=active during=0s\n", "fault delay REQ from=active by=0s\n"}) {
    EXPECT_THAT(ProblemIn("topology bond\n" + fault), HasSubstr("=0s: nothing would come of it"));
    EXPECT_EQ(ProblemIn(drawn + fault), "");
  }
  EXPECT_EQ(ProblemIn("topology bond\nfault delay REQ from=active by=0s..1s\n"), "");
}

}  // namespace
}  // namespace cm
