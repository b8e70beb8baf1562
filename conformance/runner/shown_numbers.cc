#include "conformance/runner/shown_numbers.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <string>
#include <utility>
#include <variant>

#include "model/capture/claims.h"

namespace cm {
namespace {

// Of 32 bits that an application names the wire has 24.
constexpr uint32_t kOnWire = 0xffffff;

// What a call names for an id without a queue pair.
struct Named {
  IdRef id;
  uint32_t number = 0;
  bool asks = false;  // in a request, else in an answer
};

std::optional<Named> NamedBy(const Call& call) {
  if (const auto* connect = std::get_if<call::Connect>(&call)) {
    if (connect->param) return Named{connect->id, connect->param->qp_num & kOnWire, true};
  } else if (const auto* accept = std::get_if<call::Accept>(&call)) {
    if (accept->param) return Named{accept->id, accept->param->qp_num & kOnWire, false};
  }
  return std::nullopt;
}

// The id that may have a queue pair from then on: of that its provider draws the number.
IdRef MayHaveQp(const Call& call) {
  if (const auto* get = std::get_if<call::GetRequest>(&call)) return get->request;
  const CallKind kind = KindOf(call);
  const bool makes =
      kind == CallKind::kCreateQp || kind == CallKind::kCreateQpEx || kind == CallKind::kCreateEp;
  return makes ? IdOf(call) : IdRef();
}

bool Sends(const Call& call) {
  return KindOf(call) == CallKind::kConnect || KindOf(call) == CallKind::kAccept;
}

const Reply* ReplyOf(const Record& record) {
  const auto* answered = std::get_if<seen::Answered>(&record.seen);
  return answered == nullptr ? nullptr : &answered->reply;
}

bool Succeeded(const Record& record) {
  const Reply* reply = ReplyOf(record);
  return reply != nullptr && reply->succeeded();
}

// The call has sent its message, and waits for what comes of it.
bool Waits(const Record& record) {
  const Reply* reply = ReplyOf(record);
  return reply != nullptr && reply->kind == ReplyKind::kBlocked;
}

// Of the side that has asked: the answer's number is in it.
bool ShowsAnswer(EventType type) {
  return type == EventType::kConnectResponse || type == EventType::kEstablished;
}

wire::Violation Different(size_t message, const wire::Claim& claim, std::string saw,
                          std::string permitted) {
  return {.number = message + 1,
          .rule = std::string(claim.id),
          .says = std::string(claim.says),
          .source = std::string(claim.source),
          .saw = std::move(saw),
          .permitted = std::move(permitted)};
}

}  // namespace

void ShownNumbers::Hear(size_t message, const wire::CapturedMessage& heard) {
  std::optional<uint32_t> number;
  if (const auto* req = heard.As<mad::Req>())
    number = req->local_qpn;
  else if (const auto* rep = heard.As<mad::Rep>())
    number = rep->local_qpn;
  else if (const auto* sidr = heard.As<mad::SidrRep>())
    number = sidr->qpn;
  if (!number) return;
  const bool again = !sent_.emplace(heard.kind(), heard.mad().header.tid).second;
  carried_.push_back({message, heard.kind(), *number, again});
}

bool ShownNumbers::SendsIn(uint32_t record, uint8_t side, bool asks) const {
  return std::ranges::any_of(carried_, [&](const Carried& carried) {
    const WireRecord& sent = SentAs(carried);
    return sent.record == record && sent.side == side && !carried.again &&
           asks == (carried.kind == MadKind::kReq);
  });
}

// The message is sent in the call, or none is.
std::optional<wire::Violation> ShownNumbers::CallDiffers(uint32_t record,
                                                         const line::Calls& line) const {
  const std::optional<Named> named = NamedBy(line.call);
  if (!named) return std::nullopt;
  const Carried* other = nullptr;
  for (const Carried& carried : carried_) {
    const WireRecord& sent = SentAs(carried);
    const bool asks = carried.kind == MadKind::kReq;
    if (sent.record != record || sent.side != line.lane.side || carried.again ||
        asks != named->asks)
      continue;
    if (carried.number == named->number) return std::nullopt;
    other = &carried;
  }
  if (other == nullptr) return std::nullopt;
  return Different(other->message, wire::claims::kNumberNamed, fmt::format("{:#x}", other->number),
                   fmt::format("{:#x}", named->number));
}

std::optional<wire::Violation> ShownNumbers::EventDiffers(uint32_t record, const CmEvent& event,
                                                          bool answers) const {
  const Carried* last = nullptr;
  for (const Carried& carried : carried_) {
    const WireRecord& sent = SentAs(carried);
    // A tapped one stands in the last record of those that were seen together.
    if (sent.tapped ? sent.at > history_.records[record].end : sent.record > record) break;
    if (sent.lost || sent.corrupt || answers != (carried.kind != MadKind::kReq)) continue;
    if (carried.number == event.qp_num) return std::nullopt;
    last = &carried;
  }
  const bool untapped = std::ranges::any_of(untapped_, [&](const Untapped& sent) {
    return sent.asks != answers && (!sent.number || *sent.number == event.qp_num);
  });
  if (last == nullptr || untapped) return std::nullopt;
  return Different(last->message, wire::claims::kNumberShown, fmt::format("{:#x}", event.qp_num),
                   fmt::format("that of a message before, as {:#x}", last->number));
}

void ShownNumbers::NoteUntapped(const line::Calls& line, bool has_qp) {
  const std::optional<Named> named = has_qp ? std::nullopt : NamedBy(line.call);
  untapped_.push_back({.asks = KindOf(line.call) == CallKind::kConnect,
                       .number = named ? std::optional(named->number) : std::nullopt});
}

std::vector<wire::Violation> ShownNumbers::Differences() {
  const bool tapped = std::ranges::any_of(history_.wire, &WireRecord::tapped);
  std::vector<wire::Violation> found;
  const auto take = [&](std::optional<wire::Violation> violation) {
    if (violation) found.push_back(*std::move(violation));
  };
  std::set<IdRef> with_qp;
  std::set<IdRef> came;  // with a request
  // Who has sent none in such a call: where messages are tapped, it may come in a later record, and
  // is not taken for that of another call.
  std::set<std::pair<uint8_t, bool>> late;
  for (uint32_t i = 0; i < history_.records.size(); ++i) {
    const Record& record = history_.records[i];
    const auto* line = std::get_if<line::Calls>(&history_.conversation.lines[record.line]);
    if (line == nullptr) continue;
    if (const IdRef id = MayHaveQp(line->call); id.valid()) with_qp.insert(id);
    if (const auto* get = std::get_if<call::GetRequest>(&line->call)) came.insert(get->request);
    const bool has_qp = with_qp.contains(IdOf(line->call));
    const std::pair<uint8_t, bool> who{line->lane.side, KindOf(line->call) == CallKind::kConnect};
    const bool sent = Sends(line->call) && (Succeeded(record) || Waits(record));
    const bool untapped = sent && tapped && !SendsIn(i, who.first, who.second);
    if (untapped) NoteUntapped(*line, has_qp);
    if (sent && Succeeded(record)) {
      if (untapped) late.insert(who);
      if (!late.contains(who) && !has_qp) take(CallDiffers(i, *line));
    }
    const CmEvent* event = EventOf(record.seen);
    if (event == nullptr) continue;
    if (event->type == EventType::kConnectRequest) {
      came.insert(event->id);
      if (event->qp_num != 0) take(EventDiffers(i, *event, false));
    } else if (ShowsAnswer(event->type) && !came.contains(event->id)) {
      take(EventDiffers(i, *event, true));
    }
  }
  return found;
}

}  // namespace cm
