// Turns the JSON lines of a recording into lines and records, one after the other.
#ifndef CONFORMANCE_RECORDINGS_READER_H_
#define CONFORMANCE_RECORDINGS_READER_H_

#include <initializer_list>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "conformance/recordings/recording.h"
#include "conformance/recordings/script.h"

namespace cm {

class RecordingReader {
 public:
  RecordingReader(std::vector<nlohmann::json> lines, const Topology* topology);

  std::variant<std::unique_ptr<Recording>, TextProblem> Read();

 private:
  using Json = nlohmann::json;
  // A call on another thread, from its `bg` line to its return.
  struct Background {
    std::string name;
    uint8_t lane = 2;
    bool is_shell = false;
    bool blocked = false;
    std::optional<size_t> call_line;  // index of the line that records its return
    Instant returned;
    uint32_t record_line = 0;
    bool reported = false;
  };

  // An event that the script did not acknowledge immediately.
  struct Kept {
    std::string name;  // name in the acknowledgement
    size_t event_line = 0;
    EventRef event;
  };

  void ReadLine(const Json& line);
  void ReadCall(const Json& line);
  void ReadEvent(const Json& line);
  void SayFetched(ChannelRef on, const CmEvent& event, IdRef request);
  void ReadCrash(const Json& line);
  void ReadShow(const Json& line);
  void ReadIdEvent(const Json& line);
  void ReadQuiet(const Json& line, std::string_view span_key);
  void Say(Lane lane, const Call& call, Observation seen, Instant begin, Instant end);
  void Environment(Line line, Instant begin, Instant end, bool ok = true);
  void Foreign(const std::string& what, const std::vector<IdRef>& ids);
  void Problem(std::string what);
  // The line contradicts itself or another one.
  void Contradict(std::string saw, std::string permitted, std::string source);
  Instant At(const Json& line) const;
  Reply ReplyOf(const Json& line) const;
  std::string UnusedName(const std::string& name) const;
  std::optional<IdRef> KnownId(const std::string& name) const;
  std::optional<ChannelRef> KnownChannel(const std::string& name) const;

  std::optional<Address> ReadAddress(std::string_view text) const;

  // The call of a script; empty where its arguments are incomplete.
  std::optional<Call> CallOf(CallKind kind, const ScriptWords& words);

  // datagram.cc
  // The host or the group of a GID.
  Address AddressOfGid(const std::string& digits) const;
  // The address that the id resolved last.
  std::optional<Address> DestinationOf(IdRef id) const;
  // Parameters and address handle of an event of a datagram id.
  void ReadDatagram(const Json& ud, CmEvent* event);

  // background.cc
  void FindKeptEvents();
  void ReadShell(const Json& line);
  std::optional<ShellEffect> EffectOfShell(const std::string& command);
  void ReadBond(const Bond& bond, Instant begin, Instant end);
  void ReadBackground(const Json& line);
  void ReadWait(const Json& line);
  void ReleaseUntil(Instant now);
  void ReadEmbeddedScript(Instant at);
  void SayUnseen(std::initializer_list<std::string_view> lines, Instant begin, Instant end);
  void FinishEmbedded(Instant at);
  bool IsForeign(const std::string& name) const;
  uint8_t SideOf(const Call& call) const;
  uint8_t SideOfId(IdRef id) const;
  uint8_t SideOfSynchronous(const std::string& name) const;
  bool WaitsForEvent(const Call& call) const;
  PortSpace SpaceOfId(IdRef id) const;
  // The scripts call the accepting side's channel S.
  static uint8_t SideOfChannel(const std::string& name) { return name.starts_with("S") ? 1 : 0; }
  static Lane LaneOf(uint8_t side) { return {.side = side, .number = 1}; }

  std::vector<Json> lines_;
  const Topology* topology_;
  std::unique_ptr<Recording> recording_ = std::make_unique<Recording>();
  size_t at_ = 0;
  Instant now_;
  std::string problem_;
  std::vector<std::pair<std::string, std::optional<IdRef>>> ids_;  // newest last; none: foreign
  std::vector<Background> backgrounds_;
  std::vector<IdRef> disowned_;
  std::vector<bool> consumed_;  // lines that were read ahead
  std::vector<Kept> kept_;
  std::optional<call::GetCmEvent> explicit_fetch_;
  std::optional<Bond> bond_;
  bool embedded_ = false;  // another process waits for rdma_accept
  int event_count_ = 0;
};

}  // namespace cm

#endif  // CONFORMANCE_RECORDINGS_READER_H_
