#include "conformance/recordings/reader.h"

#include <fmt/format.h>

#include <algorithm>

#include "conformance/recordings/fields.h"
#include "conformance/recordings/script_call.h"
#include "model/base/json.h"
#include "model/conversation/call_reader.h"
#include "model/conversation/name_scope.h"
#include "model/conversation/words.h"
#include "model/vocabulary/profile.h"

namespace cm {
namespace {

// Calls without an effect in the tables.
bool Harmless(std::string_view function, bool succeeded) {
  return !succeeded || function == "ibv_create_qp" || function == "ibv_query_qp";
}

std::vector<uint8_t> FromHex(const std::string& digits) {
  std::vector<uint8_t> bytes;
  for (size_t i = 0; i + 1 < digits.size(); i += 2)
    bytes.push_back(static_cast<uint8_t>(std::stoi(digits.substr(i, 2), nullptr, 16)));
  return bytes;
}

bool IsHex(const std::string& digits) {
  return digits.size() % 2 == 0 &&
         digits.find_first_not_of("0123456789abcdefABCDEF") == std::string::npos;
}

}  // namespace

RecordingReader::RecordingReader(std::vector<nlohmann::json> lines, const Topology* topology)
    : lines_(std::move(lines)), topology_(topology), consumed_(lines_.size(), false) {
  recording_->history.conversation.topology = topology;
}

Instant RecordingReader::At(const Json& line) const {
  return Instant() + Duration::Microseconds(Number(line, "t_us"));
}

void RecordingReader::Problem(std::string what) {
  if (problem_.empty()) problem_ = std::move(what);
}

std::variant<std::unique_ptr<Recording>, TextProblem> RecordingReader::Read() {
  for (size_t i = 0; i < lines_.size(); ++i) {
    const std::string problem =
        lines_[i].is_object() ? ProblemOfFields(lines_[i]) : "not a line of a recording";
    if (!problem.empty()) return TextProblem{static_cast<int>(i) + 1, problem};
  }
  FindKeptEvents();
  for (at_ = 0; at_ < lines_.size(); ++at_) {
    if (consumed_[at_]) continue;
    const Json& line = lines_[at_];
    if (line.contains("t_us")) now_ = std::max(now_, At(line));
    ReleaseUntil(now_);
    const bool fetched = explicit_fetch_.has_value();
    ReadLine(line);
    if (fetched && explicit_fetch_) {
      explicit_fetch_.reset();
      Contradict("rdma_get_cm_event returned 0, and no event", "an event",
                 "man rdma_get_cm_event(3)");
    }
    if (!problem_.empty()) return TextProblem{static_cast<int>(at_) + 1, problem_};
  }
  if (explicit_fetch_)
    return TextProblem{static_cast<int>(lines_.size()),
                       "the file ends where the event of rdma_get_cm_event should stand"};
  MarkRecords(&recording_->history);
  return std::move(recording_);
}

void RecordingReader::ReadLine(const Json& line) {
  const std::string kind = Text(line, "k");
  if (kind == "call") return ReadCall(line);
  if (kind == "event") return ReadEvent(line);
  if (kind == "crash") return ReadCrash(line);
  if (kind == "show") return ReadShow(line);
  if (kind == "sh") return ReadShell(line);
  if (kind == "bg") return ReadBackground(line);
  if (kind == "wait") return ReadWait(line);
  if (kind == "no_event") return ReadQuiet(line, "waited_ms");
  if (kind == "quiet") return ReadQuiet(line, "ms");
  if (kind == "sleep") {
    const Duration span = Duration::Milliseconds(Number(line, "ms"));
    return Environment(line::Passes{span}, At(line), At(line) + span);
  }
  if (kind == "id_event") return ReadIdEvent(line);
  if (kind == "bad") return Foreign("a script line that could not run", {});
  const bool says_nothing = kind == "end" || kind == "note" || kind == "out";
  if (!says_nothing) Problem("\"" + kind + "\" is not a kind of line that recordings have");
}

void RecordingReader::Say(Lane lane, const Call& call, Observation seen, Instant begin,
                          Instant end) {
  Conversation& conversation = recording_->history.conversation;
  conversation.lines.push_back(line::Calls{lane, call});
  recording_->history.records.push_back(
      {.line = static_cast<uint32_t>(conversation.lines.size() - 1),
       .begin = begin,
       .end = end,
       .seen = std::move(seen)});
  recording_->line_of.push_back(static_cast<int>(at_) + 1);
}

void RecordingReader::Environment(Line line, Instant begin, Instant end, bool ok) {
  Conversation& conversation = recording_->history.conversation;
  conversation.lines.push_back(std::move(line));
  recording_->history.records.push_back(
      {.line = static_cast<uint32_t>(conversation.lines.size() - 1),
       .begin = begin,
       .end = end,
       .seen = seen::Done{.ok = ok}});
  recording_->line_of.push_back(static_cast<int>(at_) + 1);
}

void RecordingReader::Foreign(const std::string& what, const std::vector<IdRef>& ids) {
  recording_->foreign.push_back({.line = static_cast<int>(at_) + 1,
                                 .before_record = recording_->history.records.size(),
                                 .what = what,
                                 .disowns = ids});
  disowned_.insert(disowned_.end(), ids.begin(), ids.end());
}

void RecordingReader::Contradict(std::string saw, std::string permitted, std::string source) {
  recording_->contradictions.push_back({.line = static_cast<int>(at_) + 1,
                                        .saw = std::move(saw),
                                        .permitted = std::move(permitted),
                                        .source = std::move(source)});
}

// An address with or without a port; addresses of a bond are mapped to those of the sides.
std::optional<Address> RecordingReader::ReadAddress(std::string_view text) const {
  std::string plain(text);
  if (text.find(':') == std::string_view::npos && !text.starts_with("af") && text != "null")
    plain += ":0";
  const size_t colon = plain.rfind(':');
  const std::string host = plain.substr(0, colon);
  const bool stands_for_side = bond_ && (host == bond_->address || host == bond_->neighbour);
  if (stands_for_side) {
    const uint8_t side = host == bond_->address ? kActiveSide : kPassiveSide;
    plain.replace(0, colon, NumericHost({.kind = AddressKind::kSide, .side = side}, *topology_));
  }
  const std::optional<Address> address = AddressOfNumeric(plain, *topology_);
  const bool another = bond_ && !stands_for_side && address && address->kind == AddressKind::kSide;
  return another ? std::nullopt : address;
}

// Scripts use a name again for another id.
std::string RecordingReader::UnusedName(const std::string& name) const {
  std::string unused = name;
  const NameTable<IdTag>& ids = recording_->history.conversation.names.ids;
  for (int again = 2; ids.Find(unused); ++again) unused = fmt::format("{}#{}", name, again);
  return unused;
}

std::optional<IdRef> RecordingReader::KnownId(const std::string& name) const {
  for (size_t i = ids_.size(); i-- > 0;)
    if (ids_[i].first == name) return ids_[i].second;
  return std::nullopt;
}

std::optional<ChannelRef> RecordingReader::KnownChannel(const std::string& name) const {
  return recording_->history.conversation.names.channels.Find(name);
}

std::optional<Call> RecordingReader::CallOf(CallKind kind, const ScriptWords& words) {
  Conversation& conversation = recording_->history.conversation;
  std::vector<std::pair<std::string, std::string>> made;  // name in the script, in the conversation
  const ScriptNames names{
      .id = [this, &conversation](const std::string& name) -> std::optional<std::string> {
        const std::optional<IdRef> id = KnownId(name);
        if (!id) return std::nullopt;
        return std::string(conversation.names.ids.NameOf(*id));
      },
      .new_id =
          [this, &made](const std::string& name) {
            made.emplace_back(name, UnusedName(name));
            return made.back().second;
          },
      .address = [this](const std::string& text) -> std::optional<std::string> {
        const std::optional<Address> address = ReadAddress(text);
        if (!address) return std::nullopt;
        return ToString(*address, *topology_);
      },
      .kept_event = [this, &conversation](const std::string& name) -> std::optional<std::string> {
        const auto kept = std::ranges::find(kept_, name, &Kept::name);
        if (kept == kept_.end() || !kept->event.valid()) return std::nullopt;
        return std::string(conversation.names.events.NameOf(kept->event));
      },
      .new_event = [this] { return fmt::format("e{}", ++event_count_); },
      // The only route to the neighbour of a bond is from its address.
      .source =
          bond_ ? std::optional(ToString(*ReadAddress(bond_->address), *topology_)) : std::nullopt};
  const std::optional<std::string> arguments = ArgumentsInConversation(kind, words, names);
  if (!arguments) return std::nullopt;
  Words text(*arguments);
  Call call = CallReader(&conversation, &text).Arguments(kind);
  text.Finish();
  if (!text.ok()) return std::nullopt;
  for (const auto& [name, unique] : made)
    ids_.emplace_back(name, conversation.names.ids.Find(unique));
  return call;
}

Reply RecordingReader::ReplyOf(const Json& line) const {
  Reply reply{.value = static_cast<int32_t>(Number(line, "ret"))};
  const std::optional<Errno> error = ParseErrno(Text(line, "errno"));
  reply.error = error.value_or(static_cast<Errno>(-1));
  return reply;
}

void RecordingReader::ReadCall(const Json& line) {
  const std::string function = Text(line, "fn");
  const ScriptWords words(Text(line, "args"));
  const Instant begin = At(line);
  const Instant end = begin + Duration::Microseconds(Number(line, "dur_us"));
  const std::optional<CallKind> kind = ParseFunctionName(function);
  const std::optional<Call> call = kind ? CallOf(*kind, words) : std::nullopt;
  if (!call) {
    std::vector<IdRef> ids;
    const bool succeeded = Number(line, "ret") == 0;
    if (!Harmless(function, succeeded))
      if (const auto id = KnownId(words.Word(0))) ids.push_back(*id);
    if (kind == CallKind::kCreateId || kind == CallKind::kCreateEp)
      ids_.emplace_back(words.Word(0), std::nullopt);
    if (kind == CallKind::kCreateEp && succeeded && !recording_->judged_until)
      recording_->judged_until = recording_->history.records.size();
    return Foreign(function + " " + Text(line, "args"), ids);
  }
  const Lane lane = LaneOf(SideOf(*call));
  const Reply reply = ReplyOf(line);
  if (const auto* get = std::get_if<call::GetCmEvent>(&*call); get != nullptr && reply.value == 0) {
    explicit_fetch_ = *get;  // the event's own line follows
    return;
  }
  seen::Answered answered{.reply = reply};
  // The scripts printed the requested attributes, and set the state themselves.
  if (const auto* attrs = std::get_if<call::InitQpAttr>(&*call); attrs != nullptr && !reply.value)
    answered.output = QpAttrs{static_cast<uint32_t>(Number(line, "mask")), attrs->state};
  Say(lane, *call, std::move(answered), begin, end);
  if (std::holds_alternative<call::Accept>(*call)) FinishEmbedded(end);
}

void RecordingReader::ReadEvent(const Json& line) {
  const std::string listener = Text(line, "listen_id");
  const std::string name = Text(line, "id");
  const std::string channel = Text(line, "chan");
  const std::optional<ChannelRef> on = KnownChannel(channel);
  const std::optional<EventType> type = ParseEventType(Text(line, "type"));
  if (!type || Number(line, "num", -1) != static_cast<int64_t>(*type)) {
    return Contradict(fmt::format("type {} num {}", Text(line, "type"), Number(line, "num", -1)),
                      "a name and the number that belongs to it",
                      "<rdma/rdma_cma.h> enum rdma_cm_event_type");
  }
  const std::string digits = Text(line, "pd");
  if (!IsHex(digits)) return Problem("\"pd\" is not hexadecimal");
  const int64_t length = Number(line, "pdlen");
  if (static_cast<int64_t>(digits.size()) > 2 * length || length > 255)
    return Contradict(fmt::format("{} bytes of private data, pdlen {}", digits.size() / 2, length),
                      "as many bytes as the length says", "man rdma_get_cm_event(3)");
  const bool made = *type == EventType::kConnectRequest && !KnownId(name);
  if (!listener.empty() && !IsForeign(listener) && !KnownId(listener))
    return Contradict("listen_id " + listener, "an id that exists", "man rdma_get_cm_event(3)");
  const auto owner = KnownId(listener.empty() ? name : listener);
  if (!on || (!owner && !made && IsForeign(name)) || (!listener.empty() && IsForeign(listener))) {
    if (made) ids_.emplace_back(name, std::nullopt);
    return Foreign(Text(line, "type") + " of " + name, {});
  }
  CmEvent event{.type = *type, .status = static_cast<int32_t>(Number(line, "status"))};
  IdRef request;
  if (made) {
    request = recording_->history.conversation.names.ids.Intern(UnusedName(name));
    ids_.emplace_back(name, request);
  }
  event.id = made ? request : KnownId(name).value_or(IdRef{});
  if (!listener.empty()) event.listen_id = KnownId(listener).value_or(IdRef{});
  if (line.contains("conn")) {
    const Json& conn = line["conn"];
    const auto byte = [&conn](std::string_view key) {
      return static_cast<uint8_t>(Number(conn, key));
    };
    event.conn = {byte("rr"), byte("depth"), byte("fc"), byte("retry"), byte("rnr"), byte("srq")};
    event.qp_num = static_cast<uint32_t>(Number(conn, "qpn"));
  }
  if (line.contains("ud")) ReadDatagram(line["ud"], &event);
  event.private_data = PrivateData(FromHex(digits)).Resized(static_cast<uint8_t>(length));
  SayFetched(*on, event, request);
}

void RecordingReader::SayFetched(ChannelRef on, const CmEvent& event, IdRef request) {
  Names& names = recording_->history.conversation.names;
  const bool is_explicit = explicit_fetch_.has_value();
  call::GetCmEvent get{.channel = on};
  if (is_explicit) {
    if (explicit_fetch_->channel != on)
      Contradict("an event of another channel", "an event of the channel that was fetched from",
                 "man rdma_get_cm_event(3)");
    get = *explicit_fetch_;
  }
  explicit_fetch_.reset();
  if (!get.event.valid()) get.event = names.events.Intern(fmt::format("e{}", ++event_count_));
  get.request = request.valid() ? request : names.ids.Intern(fmt::format("e{}.id", event_count_));
  const Lane lane = LaneOf(SideOfChannel(names.channels.NameOf(on)));
  Say(lane, get, seen::Answered{.reply = Reply::Returned(), .event = event}, now_, now_);
  const auto kept = std::ranges::find(kept_, at_, &Kept::event_line);
  if (kept != kept_.end()) {
    kept->event = get.event;
    return;
  }
  Say(lane, call::AckCmEvent{get.event}, seen::Answered{.reply = Reply::Returned()}, now_, now_);
}

void RecordingReader::ReadCrash(const Json& line) {
  const std::string text = Text(line, "line");
  const size_t space = text.find(' ');
  const std::optional<CallKind> kind = CallOfScriptWord(text.substr(0, space));
  const ScriptWords words(space == std::string::npos ? "" : text.substr(space + 1));
  const std::optional<Call> call = kind ? CallOf(*kind, words) : std::nullopt;
  if (!call) return Foreign("a crash in \"" + text + "\"", {});
  Say(LaneOf(SideOf(*call)), *call, seen::Answered{.reply = Reply::Crashed()}, At(line), At(line));
}

void RecordingReader::ReadShow(const Json& line) {
  const std::string name = Text(line, "id");
  const std::optional<IdRef> id = KnownId(name);
  if (!id || std::ranges::count(disowned_, *id) > 0) return Foreign("show " + name, {});
  Shown shown;
  std::string device = Text(line, "verbs");
  if (bond_)
    device = device == bond_->device ? topology_->devices[0].name : "";
  else
    device = OverRoce(device);
  for (uint8_t i = 0; i < topology_->devices.size(); ++i) {
    if (topology_->devices[i].name != device) continue;
    shown.device_known = true;
    shown.device = i;
  }
  const auto contradict = [&](std::string saw, std::string permitted) {
    Contradict(std::move(saw), std::move(permitted), "man rdma_get_src_port(3)");
  };
  const auto address = [&](std::string_view key, std::string_view port_key) {
    const std::string text = Text(line, key);
    const std::optional<Address> a = ReadAddress(text);
    Address read = a.value_or(Address{.kind = AddressKind::kForeign, .family = 1});
    if (read.kind == AddressKind::kBadFamily && read.family == 0) read = Address{};
    if (Number(line, port_key, -1) != read.port)
      contradict(fmt::format("{} {} and {} {}", key, text, port_key, Number(line, port_key, -1)),
                 "the port of the address");
    return read;
  };
  shown.port_num = static_cast<uint8_t>(Number(line, "port"));
  shown.source = address("src", "src_port");
  shown.destination = address("dst", "dst_port");
  shown.num_paths = static_cast<uint8_t>(Number(line, "num_paths"));
  if (Number(line, "ps") != static_cast<int64_t>(SpaceOfId(*id)))
    contradict(fmt::format("ps {}", Number(line, "ps")), "the port space that the id was made in");
  const std::string qp = Text(line, "qp");
  if (!qp.empty()) {
    shown.qp = ParseQpState(qp);
    if (!shown.qp) contradict("qp " + qp, "a state of a queue pair");
  }
  if (line.contains("q_timeout"))
    recording_->queue_pairs.push_back({.line = static_cast<int>(at_) + 1,
                                       .record = recording_->history.records.size(),
                                       .datagram = IsDatagram(SpaceOfId(*id)),
                                       .attributes = {.timeout = Number(line, "q_timeout"),
                                                      .retries = Number(line, "q_retry"),
                                                      .rnr_retries = Number(line, "q_rnr"),
                                                      .reads = Number(line, "q_rd"),
                                                      .reads_of_peer = Number(line, "q_drd")}});
  const call::Show show{*id};
  Say(LaneOf(SideOf(show)), show, seen::Answered{.reply = Reply::Returned(), .shown = shown},
      At(line), At(line));
}

// id->event of a synchronous id; only type and status were recorded.
void RecordingReader::ReadIdEvent(const Json& line) {
  const std::string name = Text(line, "id");
  const std::optional<IdRef> id = KnownId(name);
  if (!id) return Foreign("id_event of " + name, {});
  // The scripts leave the prefix out.
  const std::optional<EventType> type = ParseEventType("RDMA_CM_EVENT_" + Text(line, "event"));
  if (!type) return Problem("\"" + Text(line, "event") + "\" is not a type of event");
  const call::ShowEvent show{*id};
  const CmEvent event{.type = *type, .status = static_cast<int32_t>(Number(line, "status"))};
  Say(LaneOf(SideOf(show)), show, seen::Answered{.reply = Reply::Returned(), .event = event},
      At(line), At(line));
}

void RecordingReader::ReadQuiet(const Json& line, std::string_view span_key) {
  const std::string name = Text(line, "chan");
  const std::optional<ChannelRef> channel = KnownChannel(name);
  if (!channel) return Foreign("a wait on " + name, {});
  const Duration span = Duration::Milliseconds(Number(line, span_key));
  Conversation& conversation = recording_->history.conversation;
  conversation.lines.push_back(line::Waits{LaneOf(SideOfChannel(name)), *channel, span});
  const Instant end = At(line);
  recording_->history.records.push_back(
      {.line = static_cast<uint32_t>(conversation.lines.size() - 1),
       .begin = Instant() + ((end - Instant()) - span),
       .end = end,
       .seen = seen::Waited{.readable = false}});
  recording_->line_of.push_back(static_cast<int>(at_) + 1);
}

std::variant<std::unique_ptr<Recording>, TextProblem> ReadRecording(
    std::string_view text, std::string_view topology_name) {
  const Topology* topology = FindTopology(topology_name);
  if (topology == nullptr) return TextProblem{0, "no such topology"};
  std::vector<nlohmann::json> lines;
  while (!text.empty()) {
    const size_t end = text.find('\n');
    const std::string_view line = text.substr(0, end);
    text = end == std::string_view::npos ? std::string_view() : text.substr(end + 1);
    nlohmann::json parsed = ParseJson(line);
    if (parsed.is_discarded())
      return TextProblem{static_cast<int>(lines.size()) + 1, "this line is not JSON"};
    lines.push_back(std::move(parsed));
  }
  if (lines.empty()) return TextProblem{0, "the file is empty"};
  return RecordingReader(std::move(lines), topology).Read();
}

}  // namespace cm
