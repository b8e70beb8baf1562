#include "model/oracle/owed.h"

#include <algorithm>

namespace cm::model {
namespace {

constexpr Duration kOne = Duration::Seconds(1);
constexpr Duration kTimeOut = Duration::Seconds(2);  // of resolutions
constexpr Duration kOvertaken = Duration::Milliseconds(10);

Duration Zero(const Timing&) { return {}; }
Duration Prompt(const Timing& t) { return t.prompt; }
Duration Retry(const Timing& t) { return t.RequestInterval(); }
Duration LateRetry(const Timing& t) { return t.Latest(t.RequestInterval()) + t.prompt; }

constexpr OwedBounds kPromptly{"promptly", Zero, Prompt};
constexpr OwedBounds kReturns{"promptly", Zero, [](const Timing& t) { return t.Latest(t.prompt); }};
constexpr OwedBounds kOvertakenByOne{"promptly, and 10 ms later", Zero,
                                     [](const Timing& t) { return t.prompt + kOvertaken; }};
constexpr OwedBounds kDelayed{"1 s later", [](const Timing&) { return kOne; },
                              [](const Timing& t) { return kOne + t.prompt; }};
constexpr OwedBounds kAtRetry{"after one request interval", Retry, LateRetry};
constexpr OwedBounds kBySecondRetry{
    "after one or two request intervals", Retry,
    [](const Timing& t) { return t.Latest(t.RequestInterval()) * 2 + t.prompt; }};
constexpr OwedBounds kRetryOvertaken{"after one request interval and 10 ms", Retry,
                                     [](const Timing& t) { return LateRetry(t) + kOvertaken; }};
constexpr OwedBounds kRetryDelayed{"after one request interval and 1 s",
                                   [](const Timing& t) { return Retry(t) + kOne; },
                                   [](const Timing& t) { return LateRetry(t) + kOne; }};
constexpr OwedBounds kGivenUp{"after 16 request intervals",
                              [](const Timing& t) { return t.GiveUp(t.RequestInterval()); },
                              [](const Timing& t) { return t.LatestGiveUp(t.RequestInterval()); }};
constexpr OwedBounds kTimewait{"after timewait", [](const Timing& t) { return t.Timewait(); },
                               [](const Timing& t) { return t.Latest(t.Timewait()); }};
constexpr OwedBounds kThereAndBack{"promptly", Zero, [](const Timing& t) { return t.prompt * 2; }};
constexpr OwedBounds kAnswered{"by the answer to the repetition", Retry,
                               [](const Timing& t) { return LateRetry(t) + t.prompt; }};
constexpr OwedBounds kSubnetGivenUp{"after the retries of the SA query",
                                    [](const Timing&) { return Timing::AskPatience(kTimeOut); },
                                    [](const Timing& t) {
                                      return t.LatestOf(Timing::AskInterval(kTimeOut),
                                                        Timing::AskTimes(kTimeOut));
                                    }};
constexpr OwedBounds kUnanswered{"at the end of the time-out",
                                 [](const Timing&) { return kTimeOut; },
                                 [](const Timing& t) { return t.Latest(kTimeOut); }};

constexpr std::string_view kNoAddress = "RDMA_CM_EVENT_ADDR_ERROR id=A status=-110";
constexpr std::string_view kUnreachable = "RDMA_CM_EVENT_UNREACHABLE id=A status=-110";
constexpr std::string_view kNoListener = "RDMA_CM_EVENT_REJECTED id=A status=8 private=\"\"+148";
constexpr std::string_view kRemoval = "RDMA_CM_EVENT_DEVICE_REMOVAL id=A";
constexpr std::string_view kMoved = "RDMA_CM_EVENT_ADDR_CHANGE id=A";
constexpr std::string_view kGivesUp = "linux 6.1 cm.c cm_process_send_error";
constexpr std::string_view kMute =
    "observed lab 7.2-rxe, seed 61: after a send over a dead link nothing gets out";
constexpr std::string_view kRepeats = "linux 6.1 cm.c cm_process_send_error, mad.c retry_send";

// How a fault is injected, where its example would not do.
struct Case {
  FaultKind fault;
  std::string_view lines = "";  // empty: the example, of the passive side
  std::string_view profile = "6.1-rxe";
  std::string_view topology = "two-kernels";
  bool early = false;
};
constexpr auto kCases = std::to_array<Case>({
    {FaultKind::kDrop, "drop REQ from=active nth=1"},
    {FaultKind::kDelay, "delay any from=active by=1s"},
    {FaultKind::kDuplicate, "duplicate any from=active"},
    {FaultKind::kReorder, "reorder any from=active"},
    {FaultKind::kLinkUp, "link-down side=active; link-up side=active"},
    {FaultKind::kAddDevice, "remove-device side=passive; add-device side=passive"},
    {FaultKind::kFailOver, "fail-over side=active", "6.1-rxe", "bond", true},
    {FaultKind::kSilenceSm, "silence-sm side=active", "6.1-ib"},
    {FaultKind::kCorrupt, "corrupt REQ from=active nth=1"},
    {FaultKind::kDuplicateAddress, "duplicate-address side=active"},
    {FaultKind::kFlap, "link-flap side=passive every=1s times=1", "7.2-rxe"},
    {FaultKind::kRestart, "crash side=passive; restart side=passive"},
});

struct Change {
  FaultKind fault;
  Owed owed;
  OwedBounds bounds;
  std::string_view event;
  std::string_view source;
  std::string_view lines;
};
constexpr auto kChanges = std::to_array<Change>({
    {FaultKind::kDrop, Owed::kMessage, kAtRetry, "", kRepeats, ""},
    {FaultKind::kDrop, Owed::kRepetition, kBySecondRetry, "", kRepeats, ""},
    {FaultKind::kCorrupt, Owed::kMessage, kAtRetry, "", kRepeats, ""},
    {FaultKind::kCorrupt, Owed::kRepetition, kBySecondRetry, "", kRepeats, ""},
    {FaultKind::kDelay, Owed::kMessage, kDelayed, "", "the fault's own time", ""},
    {FaultKind::kDelay, Owed::kRepetition, kRetryDelayed, "", "the fault's own time", ""},
    {FaultKind::kReorder, Owed::kMessage, kOvertakenByOne, "", "the fault's own time", ""},
    {FaultKind::kReorder, Owed::kRepetition, kRetryOvertaken, "", "the fault's own time", ""},
    {FaultKind::kLinkDown, Owed::kMessage, kGivenUp, kUnreachable, kGivesUp, ""},
    {FaultKind::kLinkDown, Owed::kRepetition, kGivenUp, kUnreachable, kGivesUp, ""},
    {FaultKind::kRemoveDevice, Owed::kNews, kPromptly, kRemoval, "linux 6.1 cma.c cma_remove_one",
     "remove-device side=active"},
    {FaultKind::kRemoveDevice, Owed::kMessage, kGivenUp, kUnreachable, kGivesUp, ""},
    {FaultKind::kRemoveDevice, Owed::kRepetition, kGivenUp, kUnreachable, kGivesUp, ""},
    {FaultKind::kAddDevice, Owed::kMessage, kThereAndBack, kNoListener,
     "linux 6.1 cma.c cma_remove_one: the listener is gone", ""},
    {FaultKind::kAddDevice, Owed::kRepetition, kAnswered, kNoListener,
     "linux 6.1 cma.c cma_remove_one: the listener is gone", ""},
    {FaultKind::kFailOver, Owed::kNews, kPromptly, kMoved, "linux 6.1 cma.c cma_netdev_change", ""},
    {FaultKind::kFailOver, Owed::kTimewait, kPromptly, kMoved, "linux 6.1 cma.c cma_netdev_change",
     ""},
    {FaultKind::kNeighbourChange, Owed::kNews, kPromptly, kUnreachable,
     "linux 6.1 cma.c cma_netevent_callback", "neighbour-change side=active"},
    {FaultKind::kExit, Owed::kNews, kPromptly, "RDMA_CM_EVENT_DISCONNECTED id=A",
     "linux 6.1 ucma.c ucma_close: its ids are destroyed", ""},
    {FaultKind::kExit, Owed::kMessage, kThereAndBack, kNoListener,
     "linux 6.1 ucma.c ucma_close: the listener is gone", ""},
    {FaultKind::kExit, Owed::kRepetition, kAnswered, kNoListener,
     "linux 6.1 ucma.c ucma_close: the listener is gone", ""},
    {FaultKind::kSilenceSm, Owed::kEvent, kSubnetGivenUp,
     "RDMA_CM_EVENT_ROUTE_ERROR id=A status=-110", "linux 6.1 sa_query.c send_mad", ""},
    {FaultKind::kDuplicateAddress, Owed::kNews, kPromptly, kUnreachable,
     "linux 6.1 cma.c cma_netevent_callback", "duplicate-address side=passive"},
    {FaultKind::kFlap, Owed::kMessage, kGivenUp, kUnreachable, kMute, ""},
    {FaultKind::kFlap, Owed::kRepetition, kGivenUp, kUnreachable, kMute, ""},
    {FaultKind::kCrash, Owed::kAddress, kUnanswered, kNoAddress, "linux 6.1 addr.c process_one_req",
     ""},
    {FaultKind::kCrash, Owed::kMessage, kGivenUp, kUnreachable, kGivesUp, ""},
    {FaultKind::kCrash, Owed::kRepetition, kGivenUp, kUnreachable, kGivesUp, ""},
    {FaultKind::kRestart, Owed::kMessage, kThereAndBack, kNoListener,
     "nothing listens after the restart", ""},
    {FaultKind::kRestart, Owed::kRepetition, kAnswered, kNoListener,
     "nothing listens after the restart", ""},
    {FaultKind::kNeighbourExpires, Owed::kAddress, kUnanswered, kNoAddress,
     "linux 6.1 addr.c process_one_req", "link-down side=passive; neighbour-expires side=active"},
});

constexpr OwedBounds Usual(Owed owed) {
  switch (owed) {
    case Owed::kAddress:
    case Owed::kEvent:
    case Owed::kNews:
    case Owed::kMessage:
      return kPromptly;
    case Owed::kReturn:
      return kReturns;
    case Owed::kRepetition:
      return kAtRetry;
    case Owed::kTimewait:
      return kTimewait;
  }
  return kPromptly;
}

Case CaseOf(FaultKind fault) {
  const auto* const row = std::ranges::find(kCases, fault, &Case::fault);
  return row == kCases.end() ? Case{.fault = fault} : *row;
}

OwedRow RowFor(FaultKind fault, Owed owed) {
  const Case from = CaseOf(fault);
  OwedRow row{.fault = fault,
              .owed = owed,
              .lines = from.lines.empty() ? ExampleOf(fault, "passive") : std::string(from.lines),
              .early = from.early && owed != Owed::kNews && owed != Owed::kTimewait,
              .event = "",
              .bounds = Usual(owed),
              .profile = from.profile,
              .topology = from.topology,
              .source = ""};
  for (const Change& change : kChanges) {
    if (change.fault != fault || change.owed != owed) continue;
    row.bounds = change.bounds;
    row.event = change.event;
    row.source = change.source;
    if (!change.lines.empty()) row.lines = change.lines;
  }
  return row;
}

}  // namespace

std::vector<OwedRow> OwedRows() {
  std::vector<OwedRow> rows;
  for (const FaultRow& kind : kFaultKinds)
    for (const OwedThing& thing : kOwedThings) rows.push_back(RowFor(kind.kind, thing.owed));
  std::erase_if(rows,
                [](const OwedRow& row) { return row.owed == Owed::kNews && row.event.empty(); });
  return rows;
}

}  // namespace cm::model
