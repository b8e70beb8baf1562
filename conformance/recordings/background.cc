// Calls on other threads, other processes, and the environment.
#include <algorithm>

#include "conformance/recordings/fields.h"
#include "conformance/recordings/reader.h"
#include "conformance/recordings/script_call.h"
#include "model/conversation/line_parser.h"

namespace cm {
namespace {

constexpr Duration kAtOnce = Duration::Milliseconds(100);

}  // namespace

// The events that a script kept: for each acknowledgement the event of the id that is being
// destroyed at that time, or else the last event before it.
void RecordingReader::FindKeptEvents() {
  std::vector<std::string> destroying;
  std::vector<std::pair<size_t, std::string>> fetched;
  for (size_t i = 0; i < lines_.size(); ++i) {
    const Json& line = lines_[i];
    if (!line.is_object()) continue;
    const std::string kind = Text(line, "k");
    if (kind == "event") {
      const std::string listener = Text(line, "listen_id");
      fetched.emplace_back(i, listener.empty() ? Text(line, "id") : listener);
    } else if (kind == "bg" && Text(line, "cmd").starts_with("destroy ")) {
      destroying.push_back(Text(line, "cmd").substr(8));
    }
    const bool acks = (kind == "call" && Text(line, "fn") == "rdma_ack_cm_event") ||
                      (kind == "bg" && Text(line, "cmd").starts_with("ack "));
    if (!acks) continue;
    const std::string name =
        kind == "bg" ? Text(line, "cmd").substr(4) : ScriptWords(Text(line, "args")).Word(0);
    if (std::ranges::count(kept_, name, &Kept::name) > 0) continue;
    std::optional<size_t> chosen;
    for (const bool of_destroyed : {true, false}) {
      for (size_t f = fetched.size(); f-- > 0 && !chosen;) {
        const bool taken = std::ranges::count(kept_, fetched[f].first, &Kept::event_line) > 0;
        const bool dying = std::ranges::count(destroying, fetched[f].second) > 0;
        if (!taken && (dying || !of_destroyed)) chosen = fetched[f].first;
      }
    }
    if (chosen) kept_.push_back({.name = name, .event_line = *chosen});
  }
}

bool RecordingReader::IsForeign(const std::string& name) const {
  for (size_t i = ids_.size(); i-- > 0;)
    if (ids_[i].first == name) return !ids_[i].second.has_value();
  return false;
}

uint8_t RecordingReader::SideOf(const Call& call) const {
  const Names& names = recording_->history.conversation.names;
  if (const auto* create = std::get_if<call::CreateId>(&call); create && !create->channel.valid())
    return SideOfSynchronous(names.ids.NameOf(create->id));
  if (const ChannelRef channel = ChannelOf(call); channel.valid())
    return SideOfChannel(names.channels.NameOf(channel));
  if (const auto* ack = std::get_if<call::AckCmEvent>(&call)) {
    for (const Record& record : recording_->history.records) {
      const auto* said =
          std::get_if<line::Calls>(&recording_->history.conversation.lines[record.line]);
      if (said == nullptr) continue;
      const auto* get = std::get_if<call::GetCmEvent>(&said->call);
      if (get != nullptr && get->event == ack->event) return said->lane.side;
    }
    return 0;
  }
  return SideOfId(IdOf(call));
}

// An id is on the side of its channel.
uint8_t RecordingReader::SideOfId(IdRef id) const {
  for (const Line& line : recording_->history.conversation.lines) {
    const auto* said = std::get_if<line::Calls>(&line);
    if (said == nullptr) continue;
    if (const auto* create = std::get_if<call::CreateId>(&said->call); create && create->id == id)
      return said->lane.side;
    if (const auto* get = std::get_if<call::GetCmEvent>(&said->call); get && get->request == id)
      return said->lane.side;
    if (const auto* get = std::get_if<call::GetRequest>(&said->call); get && get->request == id)
      return said->lane.side;
  }
  return 0;
}

// The listening application is on the accepting side.
uint8_t RecordingReader::SideOfSynchronous(const std::string& name) const {
  for (size_t i = at_ + 1; i < lines_.size(); ++i) {
    if (lines_[i].is_object() && Text(lines_[i], "fn") == "rdma_listen" &&
        ScriptWords(Text(lines_[i], "args")).Word(0) == name)
      return kPassiveSide;
  }
  return kActiveSide;
}

// A call on a synchronous id returns after a call of another thread.
bool RecordingReader::WaitsForEvent(const Call& call) const {
  const IdRef id = IdOf(call);
  bool synchronous = false;
  for (const Line& line : recording_->history.conversation.lines) {
    const auto* said = std::get_if<line::Calls>(&line);
    if (said == nullptr) continue;
    if (const auto* create = std::get_if<call::CreateId>(&said->call); create && create->id == id)
      synchronous = !create->channel.valid();
    if (const auto* to = std::get_if<call::MigrateId>(&said->call); to && to->id == id)
      synchronous = !to->channel.valid();
  }
  return synchronous;
}

// The port space of an id is that of its creation; of a request, that of its listener.
PortSpace RecordingReader::SpaceOfId(IdRef id) const {
  const History& history = recording_->history;
  for (const Record& record : history.records) {
    const auto* said = std::get_if<line::Calls>(&history.conversation.lines[record.line]);
    const auto* answered = std::get_if<seen::Answered>(&record.seen);
    if (said == nullptr || answered == nullptr) continue;
    if (const auto* create = std::get_if<call::CreateId>(&said->call); create && create->id == id)
      return create->space;
    if (answered->event && answered->event->id == id && answered->event->listen_id.valid())
      return SpaceOfId(answered->event->listen_id);
  }
  return PortSpace::kTcp;
}

void RecordingReader::ReadShell(const Json& line) {
  const std::string command = Text(line, "cmd");
  const Instant begin = At(line);
  const Instant end = begin + Duration::Microseconds(Number(line, "dur_us"));
  if (command.find("cmprobe") != std::string::npos) return ReadEmbeddedScript(begin);
  if (const std::optional<Bond> bond = BondMadeBy(command)) return ReadBond(*bond, begin, end);
  const std::optional<ShellEffect> effect = EffectOfShell(command);
  if (!effect) {
    // What a filter on the way out does, is a matter of the kernel, and no fault has it.
    if (command.find("hook output") != std::string::npos)
      recording_->judged_until = recording_->history.records.size();
    return Foreign("sh " + command, {});
  }
  for (const Fault& fault : effect->faults) Environment(line::Injects{fault}, begin, end);
  if (effect->heals) Environment(line::Heals{}, begin, end);
}

// A bond that loses the interface that it uses takes the other one.
std::optional<ShellEffect> RecordingReader::EffectOfShell(const std::string& command) {
  if (bond_ && command == "ip link set " + bond_->slave + " down")
    return ShellEffect{.faults = {{.kind = FaultKind::kFailOver, .side = kActiveSide}}};
  std::optional<ShellEffect> effect = EffectOf(command, *topology_);
  const ScriptWords words(command);
  if (bond_ && effect && words.Word(0) == "echo") bond_->slave = words.Word(1);
  return effect;
}

// The active side is on the bond from here on. Its neighbour never answers: it is the passive side,
// to which all packets are lost.
void RecordingReader::ReadBond(const Bond& bond, Instant begin, Instant end) {
  bond_ = bond;
  topology_ = FindTopology("bond");
  recording_->history.conversation.topology = topology_;
  const Fault silence{.kind = FaultKind::kDrop, .side = kActiveSide, .messages = MadKinds::All()};
  Environment(line::Injects{silence}, begin, end);
}

void RecordingReader::ReadBackground(const Json& line) {
  const std::string command = Text(line, "cmd");
  const Instant begin = At(line);
  Background background{.name = Text(line, "name"),
                        .lane = static_cast<uint8_t>(2 + backgrounds_.size())};
  if (command.starts_with("sh ")) {
    background.is_shell = true;
    const std::optional<ShellEffect> effect = EffectOf(command.substr(3), *topology_);
    if (!effect) return Foreign(command, {});
    for (const Fault& fault : effect->faults) Environment(line::Injects{fault}, begin, begin);
    backgrounds_.push_back(background);
    return;
  }
  const size_t space = command.find(' ');
  const std::optional<CallKind> kind = CallOfScriptWord(command.substr(0, space));
  const std::string arguments = space == std::string::npos ? "" : command.substr(space + 1);
  const std::optional<Call> call = kind ? CallOf(*kind, ScriptWords(arguments)) : std::nullopt;
  if (!call) return Foreign(command, {});
  // Its own line is printed when it returns, and contains the time of its begin.
  for (size_t i = at_ + 1; i < lines_.size(); ++i) {
    const Json& later = lines_[i];
    if (!later.is_object() || Text(later, "fn") != FunctionName(*kind) || consumed_[i]) continue;
    if (ScriptWords(Text(later, "args")).Word(0) != ScriptWords(arguments).Word(0)) continue;
    background.call_line = i;
    background.returned = At(later) + Duration::Microseconds(Number(later, "dur_us"));
    consumed_[i] = true;
    break;
  }
  const Lane lane{.side = SideOf(*call), .number = background.lane};
  const bool at_once =
      background.call_line && background.returned - begin < kAtOnce && !WaitsForEvent(*call);
  background.reported = at_once;
  background.record_line = static_cast<uint32_t>(recording_->history.conversation.lines.size());
  const Reply reply = at_once ? ReplyOf(lines_[*background.call_line]) : Reply::Blocked();
  Say(lane, *call, seen::Answered{.reply = reply}, begin, at_once ? background.returned : begin);
  if (at_once) recording_->line_of.back() = static_cast<int>(*background.call_line) + 1;
  backgrounds_.push_back(background);
}

// Blocked calls that have returned by now.
void RecordingReader::ReleaseUntil(Instant now) {
  for (Background& background : backgrounds_) {
    if (background.is_shell || background.reported || !background.call_line) continue;
    if (background.returned > now) continue;
    background.reported = true;
    recording_->history.records.push_back(
        {.line = background.record_line,
         .begin = background.returned,
         .end = now,
         .seen = seen::Released{.reply = ReplyOf(lines_[*background.call_line])}});
    recording_->line_of.push_back(static_cast<int>(*background.call_line) + 1);
  }
}

void RecordingReader::ReadWait(const Json& line) {
  const auto background = std::ranges::find(backgrounds_, Text(line, "name"), &Background::name);
  if (background == backgrounds_.end()) return Foreign("a wait for " + Text(line, "name"), {});
  const auto done = line.find("done");
  const bool says = done != line.end() && done->is_boolean() && done->get<bool>();
  const bool is = !background->is_shell && background->reported;
  if (says == is) return;
  // The removal of a device ends when no process has it open any more, this one included.
  Contradict(says ? "done" : "not done",
             is ? "done: the call has returned" : "not done: nothing has ended it",
             background->is_shell ? "linux 6.1 device.c disable_device: waits for every user"
                                  : "the line of the call itself");
}

// A second process, which was not recorded: its calls are made, and their results are unknown. It
// processes the reply, which completes the connection, so it waits until this process accepts.
void RecordingReader::ReadEmbeddedScript(Instant at) {
  SayUnseen({"active rdma_create_event_channel other.C", "active rdma_create_id other.A on=other.C",
             "active rdma_resolve_addr other.A src=active:0 dst=passive:7471",
             "active rdma_get_cm_event other.C as=other.e1", "active rdma_ack_cm_event other.e1",
             "active rdma_resolve_route other.A", "active rdma_get_cm_event other.C as=other.e2",
             "active rdma_ack_cm_event other.e2", "active rdma_create_qp other.A",
             "active rdma_connect other.A"},
            at, at + Duration::Milliseconds(200));
  embedded_ = true;
}

void RecordingReader::FinishEmbedded(Instant at) {
  if (!embedded_) return;
  embedded_ = false;
  const Instant soon = at + Duration::Milliseconds(5);
  SayUnseen({"active rdma_get_cm_event other.C as=other.e3"}, at, soon);
  Environment(line::Injects{{.kind = FaultKind::kExit, .side = 0}}, soon, soon);
}

void RecordingReader::SayUnseen(std::initializer_list<std::string_view> lines, Instant begin,
                                Instant end) {
  Conversation read{.topology = topology_};
  std::swap(read.names, recording_->history.conversation.names);
  LineParser parser(&read);
  for (const std::string_view line : lines)
    if (std::string problem = parser.Parse(line); !problem.empty()) Problem(std::move(problem));
  std::swap(read.names, recording_->history.conversation.names);
  for (const Line& line : read.lines) {
    const auto& calls = std::get<line::Calls>(line);
    Say(calls.lane, calls.call, seen::Answered{.reply = Reply::Unseen()}, begin, end);
  }
}

}  // namespace cm
