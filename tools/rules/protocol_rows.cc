// The rows of the protocol's tables, as sentences of our own.
#include <array>
#include <string_view>
#include <vector>

#include "model/ib_cm/unreachable.h"
#include "tools/rules/protocol.h"

namespace cm::ruledoc {
namespace {

// A sentence about the event.
struct Said {
  std::string_view name;
  std::string_view says;
};

// clang-format off
constexpr auto kRows = std::to_array<Said>({
  {"N1", "the sender of a REQ cannot be reached for an answer: nothing is said, and others wait a second"},
  {"N2a", "a repeated REQ finds its id before the application could be told: dropped"},
  {"N2b", "a repeated REQ finds an id whose application has not answered: MRA"},
  {"N2c", "a repeated REQ finds an id in timewait: REJ 10"},
  {"N2d", "a repeated REQ finds an id that has moved on: dropped"},
  {"N3", "the queue pair of a REQ has a connection already: REJ 10, and the old connection is taken down"},
  {"N4", "no listener has the service: REJ 8"},
  {"N5", "the path of a REQ cannot be resolved, or its P_Key is unknown: REJ 12"},
  {"N6", "the alternate path of a REQ cannot be resolved: REJ 18"},
  {"N7", "a REQ reaches the application of a listener"},
  {"N8", "the backlog of a listener is full: nothing is said"},
  {"N9", "a listener cannot take the REQ, for its address or its kind: REJ 28"},

  {"R1", "MRA to a REQ that is out: longer intervals for all that follow"},
  {"R2", "REP to a REQ that is out"},
  {"R3", "REP from an id that is known already: dropped"},
  {"R4", "REP with the queue pair of another connection: REJ 10, and the REQ stays out"},
  {"R5", "REJ to a REQ that is out: the id is idle"},
  {"R6", "REJ 10 to a REQ that is out: timewait"},
  {"R7", "REJ to a request that was not answered yet"},
  {"R8", "MRA to a REP that is out: longer intervals for all that follow"},
  {"R9", "RTU: the connection stands"},
  {"R10", "REJ to a REP that is out"},
  {"R11", "DREQ to a REP that is out: disconnected before it was connected"},
  {"R12", "REJ while a reply lies unread: timewait"},
  {"R13", "a repeated REP while the first lies unread: MRA"},
  {"R14", "a repeated REP before the first reached the application: dropped"},
  {"R15", "a repeated REP for a connection that stands: RTU again"},
  {"R16", "a second RTU: dropped"},
  {"R17", "DREQ for a connection that stands"},
  {"R18", "REJ for a connection that stands: timewait"},
  {"R18b", "REJ for a connection that has an alternate path: dropped"},
  {"R19", "DREP to a DREQ that is out: timewait"},
  {"R20", "DREQ while our own is out: not answered"},
  {"R21", "REJ to a DREQ that is out: timewait"},
  {"R22", "a repeated DREQ that was not answered yet: dropped"},
  {"R23", "DREP after DREQ have crossed: timewait"},
  {"R24", "a repeated DREQ in timewait: DREP again"},
  {"R25", "a repeated DREQ for an idle id: nothing"},
  {"R26", "DREQ for an unknown id: DREP"},
  {"R27", "DREQ with another queue pair than ours: dropped"},
  {"R28", "any other message for an unknown id: dropped"},
  {"R29", "a message that a state has no use for: dropped"},
  {"R30", "LAP or APR over RoCE: dropped"},
  {"R31", "LAP for a connection over InfiniBand"},
  {"R32", "a second LAP"},
  {"R33", "a second LAP that is to be answered by MRA"},
  {"R35", "a repeated SIDR_REQ that was not answered yet: dropped"},
  {"R36", "SIDR_REQ for a service without a listener: status 1"},
  {"R37", "SIDR_REQ reaches the application of a listener"},
  {"R38", "a listener cannot take the SIDR_REQ: status 2"},
  {"R39", "SIDR_REP to a SIDR_REQ that is out"},
  {"R40", "any other SIDR_REP: dropped"},
  {"R41", "a message of another version, method or attribute: dropped"},
  {"R42", "ClassPortInfo is asked for: refused by the layer below"},

  {"L0", "a service is listened for"},
  {"L1", "REQ is sent"},
  {"L2", "REP is sent"},
  {"L3", "RTU is sent"},
  {"L4", "MRA is armed for a request that waits for its application"},
  {"L5", "MRA is armed for a reply that waits for its application"},
  {"L5b", "MRA is sent at once"},
  {"L6", "a request is refused: REJ"},
  {"L7", "a reply is refused: REJ"},
  {"L8", "REJ behind a REP that is out, which is repeated all the same"},
  {"L9", "REJ behind a REQ that is out, which is repeated all the same"},
  {"L10", "DREQ is sent"},
  {"L11", "DREP is sent"},
  {"L12", "the application has seen that the connection stands"},
  {"L12b", "the application has seen that the path has changed"},
  {"L13", "DREQ and DREP where there is nothing to end: nothing is said"},
  {"L14", "SIDR_REQ is sent"},
  {"L15", "SIDR_REP is sent"},

  {"D1", "a listener is destroyed"},
  {"D2", "destroyed with a REQ out: REJ 4"},
  {"D3", "destroyed before the application was told of the request: REJ 28, and nothing where memory or the backlog is short"},
  {"D4", "destroyed with a request that waits for its application: REJ 28"},
  {"D5", "destroyed with a reply that waits for its application: REJ 28"},
  {"D6", "destroyed with a REP out: REJ 28"},
  {"D7", "destroyed while connected: one DREQ"},
  {"D8", "destroyed with a DREQ out: it is not repeated any more"},
  {"D9", "destroyed with a DREQ that was not answered: DREP"},
  {"D10", "destroyed idle or in timewait: nothing"},
  {"D11", "destroyed with a SIDR_REQ out: nothing"},
  {"D12", "destroyed with a SIDR_REQ that was not answered: status 2"},

  {"M1", "REQ is repeated"},
  {"M2", "REQ is given up: the id is idle"},
  {"M3", "REP is repeated"},
  {"M4", "REP is given up: the id is idle"},
  {"M5", "DREQ is repeated"},
  {"M6", "DREQ is given up: timewait"},
  {"M7", "SIDR_REQ is repeated"},
  {"M8", "SIDR_REQ is given up: the id is idle"},
  {"M9", "timewait is over"},
  {"M10", "a message cannot be sent: given up at once"},
});
// clang-format on

std::string_view WhyUnreachable(std::string_view name) {
  for (const model::UnreachableRow& row : model::kUnreachableRows)
    if (row.row == name) return row.reason;
  return {};
}

}  // namespace

std::span<const ProtocolRow> ProtocolRows() {
  static const std::vector<ProtocolRow> rows = [] {
    std::vector<ProtocolRow> all;
    for (const Said& row : kRows) all.push_back({row.name, row.says, WhyUnreachable(row.name)});
    return all;
  }();
  return rows;
}

}  // namespace cm::ruledoc
