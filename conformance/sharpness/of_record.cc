#include "conformance/sharpness/of_record.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <utility>

#include "conformance/sharpness/alternatives.h"
#include "model/conversation/print.h"
#include "model/vocabulary/protocol.h"

namespace cm {
namespace {

constexpr auto kQpStates =
    std::to_array<QpState>({QpState::kReset, QpState::kInit, QpState::kRtr, QpState::kRts,
                            QpState::kSqd, QpState::kSqe, QpState::kErr});
// Attribute masks of rdma_init_qp_attr.
constexpr auto kAttributeMasks = std::to_array<uint32_t>({0, 0x20, 0x29, 0x39, 0x129181, 0x12e01});

constexpr auto kLate = Duration::Seconds(kLateSeconds);
constexpr auto kNever = Duration::Seconds(kNeverSeconds);

bool Shows(CallKind kind) { return kind == CallKind::kShow || kind == CallKind::kShowEvent; }

void SayEvent(const RecordAlterer& at, const std::string& what, const CmEvent& event) {
  if (event != *at.event()) at.Say(what, at.WithEvent(event));
}

// The channel of a fetch that has got an event, unless a wait has seen that it is readable.
ChannelRef UnannouncedFetch(const RecordAlterer& at) {
  const Call* made = at.call();
  const auto* fetch = made != nullptr ? std::get_if<call::GetCmEvent>(made) : nullptr;
  if (fetch == nullptr || !at.event() || !std::holds_alternative<seen::Answered>(at.record().seen))
    return {};
  for (size_t i = at.index(); i-- > 0;) {
    const Record& record = at.history().records[i];
    const Line& line = at.LineOf(record);
    if (const auto* waits = std::get_if<line::Waits>(&line);
        waits != nullptr && waits->channel == fetch->channel)
      return std::get<seen::Waited>(record.seen).readable ? ChannelRef() : fetch->channel;
    if (const auto* calls = std::get_if<line::Calls>(&line))
      if (const auto* get = std::get_if<call::GetCmEvent>(&calls->call);
          get != nullptr && get->channel == fetch->channel)
        break;
  }
  return fetch->channel;
}

// The wait, and null where the record is no wait that has ended.
const line::Waits* WaitOf(const RecordAlterer& at) {
  const auto* waits = std::get_if<line::Waits>(&at.line());
  return std::holds_alternative<seen::Waited>(at.record().seen) ? waits : nullptr;
}

bool WasReadable(const RecordAlterer& at) {
  return std::get<seen::Waited>(at.record().seen).readable;
}

// Ids that were created on the channel, or whose events it has brought, before the record.
std::vector<IdRef> IdsOn(const RecordAlterer& at, ChannelRef channel) {
  std::vector<IdRef> ids;
  const auto note = [&](IdRef id) {
    if (id.valid() && std::ranges::count(ids, id) == 0) ids.push_back(id);
  };
  for (size_t i = 0; i < at.index(); ++i) {
    const Record& record = at.history().records[i];
    const auto* calls = std::get_if<line::Calls>(&at.LineOf(record));
    if (calls == nullptr) continue;
    if (const auto* create = std::get_if<call::CreateId>(&calls->call);
        create != nullptr && create->channel == channel)
      note(create->id);
    const auto* fetch = std::get_if<call::GetCmEvent>(&calls->call);
    const auto* answered = std::get_if<seen::Answered>(&record.seen);
    if (fetch != nullptr && fetch->channel == channel && answered != nullptr && answered->event)
      note(answered->event->id);
  }
  return ids;
}

// A fetch that found nothing finds an event.
void FindEvents(const RecordAlterer& at, ChannelRef channel) {
  for (const IdRef id : IdsOn(at, channel)) {
    for (const EventType type : EventsInSilence()) {
      CmEvent event;
      event.type = type;
      event.status = UsualStatus(type);
      event.id = id;
      at.SayLast(fmt::format("silence nothing -> {} of {}", ShortName(type),
                             at.history().conversation.names.ids.NameOf(id)),
                 at.With([&](auto& answer) {
                   answer = {.reply = Reply::Returned()};
                   answer.event = event;
                 }));
    }
  }
}

void AlterNames(const RecordAlterer& at) {
  const auto& ids = at.history().conversation.names.ids;
  const auto say = [&](const std::string& field, IdRef CmEvent::*member, IdRef is) {
    CmEvent event = *at.event();
    event.*member = is;
    SayEvent(at, fmt::format("{} -> {}", field, is.valid() ? ids.NameOf(is) : "none"), event);
  };
  for (uint16_t i = 0; i < ids.size(); ++i) {
    say("id", &CmEvent::id, IdRef{i});
    say("listen", &CmEvent::listen_id, IdRef{i});
  }
  say("listen", &CmEvent::listen_id, {});
}

void AlterConnection(const RecordAlterer& at) {
  constexpr auto kMembers = std::to_array<std::pair<std::string_view, uint8_t ConnFields::*>>(
      {{"responder_resources", &ConnFields::responder_resources},
       {"initiator_depth", &ConnFields::initiator_depth},
       {"flow_control", &ConnFields::flow_control},
       {"retry_count", &ConnFields::retry_count},
       {"rnr_retry_count", &ConnFields::rnr_retry_count},
       {"srq", &ConnFields::srq}});
  for (const auto& [name, member] : kMembers) {
    for (const int step : {1, -1}) {
      CmEvent event = *at.event();
      const uint8_t was = event.conn.*member;
      if (was + step < 0) continue;
      event.conn.*member = static_cast<uint8_t>(was + step);
      SayEvent(at, fmt::format("{} {} -> {}", name, was, was + step), event);
    }
  }
}

void AlterNumbers(const RecordAlterer& at) {
  CmEvent event = *at.event();
  ++event.qkey;
  SayEvent(at, "qkey + 1", event);
  event = *at.event();
  ++event.argument;
  SayEvent(at, "argument + 1", event);
  event = *at.event();
  ++event.context;
  SayEvent(at, "context + 1", event);
}

void AlterPrivateData(const RecordAlterer& at) {
  const PrivateData& was = at.event()->private_data;
  const auto say = [&](const std::string& what, const PrivateData& is) {
    CmEvent event = *at.event();
    event.private_data = is;
    SayEvent(at, "private data " + what, event);
  };
  say("one byte longer", was.Resized(static_cast<uint8_t>(std::min(was.size() + 1, 255))));
  if (was.empty()) return;
  say("one byte shorter", was.Resized(static_cast<uint8_t>(was.size() - 1)));
  say("none", PrivateData());
  for (const size_t byte : {size_t{0}, size_t{was.size()} - 1}) {
    std::vector<uint8_t> bytes(was.bytes().begin(), was.bytes().end());
    bytes[byte] ^= 1;
    say(fmt::format("byte {} flipped", byte), PrivateData(bytes));
  }
}

// Another host; a port, unless the kernel has drawn it.
std::vector<Address> OtherAddresses(const Address& was) {
  std::vector<Address> others = {{},
                                 {.kind = AddressKind::kAny, .port = was.port},
                                 {.kind = AddressKind::kSide, .side = 0, .port = was.port},
                                 {.kind = AddressKind::kSide, .side = 1, .port = was.port},
                                 {.kind = AddressKind::kForeign, .port = was.port}};
  for (const uint16_t port : {uint16_t{0}, uint16_t{7471}, uint16_t{7472}})
    if (was.kind != AddressKind::kNone) others.push_back(was.WithPort(port));
  std::erase(others, was);
  return others;
}

void SayShown(const RecordAlterer& at, const std::string& what, const Shown& is) {
  if (is == *std::get<seen::Answered>(at.record().seen).shown) return;
  Record altered = at.record();
  std::get<seen::Answered>(altered.seen).shown = is;
  at.Say(what, std::move(altered));
}

const Shown* ShownBy(const RecordAlterer& at) {
  const auto* answered = std::get_if<seen::Answered>(&at.record().seen);
  return at.call() != nullptr && answered != nullptr && answered->shown ? &*answered->shown
                                                                        : nullptr;
}

void AlterShown(const RecordAlterer& at, const Shown& was) {
  Shown is = was;
  is.device_known = !was.device_known;
  SayShown(at, "device known or not", is);
  is = was;
  ++is.port_num;
  SayShown(at, "port_num + 1", is);
  is = was;
  ++is.num_paths;
  SayShown(at, "num_paths + 1", is);
  for (Address Shown::*member : {&Shown::source, &Shown::destination}) {
    for (const Address& other : OtherAddresses(was.*member)) {
      is = was;
      is.*member = other;
      SayShown(at, ToString(is, *at.history().conversation.topology), is);
    }
  }
}

// Another value of each kind; QpAttrs are those of the kind "queue pair".
struct OtherOutput {
  std::optional<Output> operator()(const QpAttrs& /*was*/) const { return std::nullopt; }
  std::optional<Output> operator()(EceOptions was) const {
    ++was.options;
    return was;
  }
  std::optional<Output> operator()(PortOutput was) const {
    if (was.port >= kFirstEphemeralPort) return std::nullopt;
    ++was.port;
    return was;
  }
  std::optional<Output> operator()(const TextOutput& /*was*/) const {
    return TextOutput::Of("UNKNOWN EVENT?");
  }
  std::optional<Output> operator()(AddrInfoOutput was) const {
    ++was.flags;
    return was;
  }
  std::optional<Output> operator()(DevicesOutput was) const {
    ++was.unknown;
    return was;
  }
  std::optional<Output> operator()(BytesOutput was) const {
    was.digest ^= 1;
    return was;
  }
  std::optional<Output> operator()(Completion was) const {
    ++was.context;
    return was;
  }
};

}  // namespace

namespace of_record {

void Errno(RecordAlterer& at) {
  if (at.call() == nullptr) return;
  const CallKind kind = KindOf(*at.call());
  if (Shows(kind) || ReturnsVoid(kind)) return;
  const Reply was = std::visit(
      [](const auto& seen) {
        if constexpr (requires { seen.reply; })
          return seen.reply;
        else
          return Reply();
      },
      at.record().seen);
  for (const cm::Errno error : AllErrnos()) {
    const Reply is = error == cm::Errno::kNone ? Reply::Returned() : Reply::Refused(error);
    // A fetch succeeds with an event: the kind "quiet or readable".
    if (is == was || (is.succeeded() && kind == CallKind::kGetCmEvent)) continue;
    at.Say(fmt::format("reply {} -> {}", ToString(was), ToString(is)),
           at.With([&](auto& answer) { answer = {.reply = is}; }));
  }
}

void Event(RecordAlterer& at) {
  if (at.call() == nullptr || !at.event()) return;
  for (int n = 0; n < kEventTypeCount; ++n) {
    CmEvent event = *at.event();
    event.type = static_cast<EventType>(n);
    SayEvent(at, fmt::format("type {} -> {}", ShortName(at.event()->type), ShortName(event.type)),
             event);
  }
}

void Status(RecordAlterer& at) {
  if (at.call() == nullptr || !at.event()) return;
  for (const int32_t status : AllStatuses()) {
    CmEvent event = *at.event();
    event.status = status;
    SayEvent(at, fmt::format("status {} -> {}", at.event()->status, status), event);
  }
}

void Readable(RecordAlterer& at) {
  if (const Call* made = at.call()) {
    const auto* fetch = std::get_if<call::GetCmEvent>(made);
    if (fetch != nullptr && !at.event()) FindEvents(at, fetch->channel);
    return;
  }
  const line::Waits* wait = WaitOf(at);
  if (wait == nullptr) return;
  if (WasReadable(at)) return at.SayQuiet("readable -> quiet", wait->channel, wait->within, false);
  Record readable = at.record();
  readable.seen = seen::Waited{.readable = true};
  readable.end = readable.begin;
  at.SayLast("quiet -> readable", readable);
}

void Late(RecordAlterer& at) {
  if (const ChannelRef channel = UnannouncedFetch(at); channel.valid())
    at.SayQuiet("time in time -> late", channel, kLate, true);
  const line::Waits* wait = WaitOf(at);
  if (wait != nullptr && WasReadable(at))
    at.SayQuiet("time in time -> late", wait->channel, kLate, true);
}

void Never(RecordAlterer& at) {
  if (const ChannelRef channel = UnannouncedFetch(at); channel.valid())
    at.SayQuiet("time in time -> never", channel, kNever, false);
  const line::Waits* wait = WaitOf(at);
  if (wait != nullptr && WasReadable(at))
    at.SayQuiet("time in time -> never", wait->channel, kNever, false);
}

void SlowCall(RecordAlterer& at) {
  if (at.call() == nullptr || Shows(KindOf(*at.call()))) return;
  // The end of a call that was made at once with others is not recorded.
  if (IsTogether(at.history().conversation, at.record().line)) return;
  Record slow = at.record();
  slow.end = slow.end + Duration::Seconds(kSlowSeconds);
  at.SayLast(fmt::format("time in time -> {} s longer", kSlowSeconds), std::move(slow));
}

void AddressHandle(RecordAlterer& at) {
  if (at.call() == nullptr || !at.event() || at.event()->group.kind == AddressKind::kNone) return;
  CmEvent event = *at.event();
  event.group = {};
  SayEvent(at, "group -> none", event);
  event.group = {.kind = AddressKind::kGroup, .v6 = at.event()->group.v6, .group = kLastGroup};
  SayEvent(at, "group -> another", event);
}

void QueuePair(RecordAlterer& at) {
  if (const Shown* shown = ShownBy(at)) {
    const auto name = [](const std::optional<QpState>& qp) {
      return qp ? ToString(*qp) : std::string_view("none");
    };
    const auto say = [&](std::optional<QpState> state) {
      Shown is = *shown;
      is.qp = state;
      SayShown(at, fmt::format("qp {} -> {}", name(shown->qp), name(state)), is);
    };
    say(std::nullopt);
    for (const QpState state : kQpStates) say(state);
  }
  const auto* was = at.output() ? std::get_if<QpAttrs>(&*at.output()) : nullptr;
  if (was == nullptr) return;
  const auto say = [&](const QpAttrs& is) {
    if (is == *was) return;
    at.Say(fmt::format("mask={:#x} state={} -> mask={:#x} state={}", was->mask, was->state, is.mask,
                       is.state),
           at.With([&](auto& answer) { answer.output = is; }));
  };
  for (const uint32_t mask : kAttributeMasks) say({.mask = mask, .state = was->state});
  for (const QpState state : kQpStates)
    say({.mask = was->mask, .state = static_cast<uint8_t>(state)});
}

void OtherField(RecordAlterer& at) {
  if (at.call() == nullptr) return;
  if (const Shown* shown = ShownBy(at)) AlterShown(at, *shown);
  if (at.event()) {
    AlterNames(at);
    AlterConnection(at);
    AlterNumbers(at);
    AlterPrivateData(at);
  }
  if (!at.output()) return;
  if (const std::optional<Output> other = std::visit(OtherOutput(), *at.output()))
    at.Say(fmt::format("output -> {}", ToString(*other, *at.history().conversation.topology)),
           at.With([&](auto& answer) { answer.output = other; }));
}

}  // namespace of_record
}  // namespace cm
