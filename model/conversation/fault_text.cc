#include "model/conversation/fault_text.h"

#include <fmt/format.h>

#include <charconv>

#include "model/conversation/print.h"

namespace cm {
namespace {

constexpr int64_t kMostFlaps = 1000;

// The objects of faults.
std::string AllMadKinds() {
  std::string names;
  for (int i = 0; i < kMadKindCount; ++i)
    if (const auto kind = static_cast<MadKind>(i); kind != MadKind::kOther)
      names += (names.empty() ? "" : ", ") + std::string(ToString(kind));
  return names;
}

// "3", "2..5" or "4..": occurrences of a packet.
void OccurrencesFrom(std::string_view text, Fault* fault, Words& words) {
  const size_t dots = text.find("..");
  const auto number = [&words, text](std::string_view digits) {
    uint32_t n = 0;
    const char* const last = digits.data() + digits.size();
    const auto [end, error] = std::from_chars(digits.data(), last, n);
    if (error != std::errc() || end != last || n == 0)
      words.Complain(fmt::format("nth={}: 3, 2..5 or 4.. is wanted, counted from 1", text));
    return n;
  };
  fault->first = number(text.substr(0, dots));
  if (dots == std::string_view::npos) {
    fault->last = fault->first;
  } else {
    fault->last = dots + 2 == text.size() ? 0 : number(text.substr(dots + 2));
    if (fault->last != 0 && fault->last < fault->first)
      words.Complain(fmt::format("nth={}: the last is before the first", text));
  }
}

// "5s", or "1ms..5s shape=tail": a delay, or its range.
void DelayFrom(std::string_view text, Fault* fault, Words& words) {
  const size_t dots = text.find("..");
  fault->by = DurationFrom(text.substr(0, dots), words);
  if (dots != std::string_view::npos) {
    fault->at_most = DurationFrom(text.substr(dots + 2), words);
    if (fault->at_most <= fault->by)
      words.Complain(fmt::format("by={}: the longest is no longer than the shortest", text));
  }
  const auto shape = words.Take("shape");
  if (!shape) return;
  if (fault->at_most <= fault->by)
    words.Complain(fmt::format("shape={}: a range such as by=1ms..1s is wanted", *shape));
  if (*shape == "tail")
    fault->shape = DelayShape::kTail;
  else if (*shape != "uniform")
    words.Complain(fmt::format("shape={}: uniform or tail is wanted", *shape));
}

void ParsePacketFault(Fault* fault, const Topology& topology, bool drawn, Words& words) {
  const std::string_view kinds = words.Next("a kind of message");
  const std::optional<MadKinds> messages = ParseMadKinds(kinds);
  if (!messages) words.Complain(fmt::format("\"{}\": {} or any is wanted", kinds, AllMadKinds()));
  fault->messages = messages.value_or(MadKinds());
  const auto side = [&](std::string_view name) {
    return name == "any" ? kAnySide : SideFrom(name, topology, words);
  };
  fault->side = side(words.Need("from"));
  if (const auto to = words.Take("to")) fault->to = side(*to);
  if (const auto nth = words.Take("nth")) OccurrencesFrom(*nth, fault, words);
  if (const auto after = words.Take("after")) fault->after = DurationFrom(*after, words);
  if (const auto window = words.Take("during")) fault->window = DurationFrom(*window, words);
  if (fault->kind == FaultKind::kDelay) DelayFrom(words.Need("by"), fault, words);
  if (drawn) return;  // walks draw faults without effect as well
  if (fault->window <= Duration()) words.Complain("during=0s: nothing would come of it");
  if (fault->kind == FaultKind::kDelay && fault->MostLate() <= Duration())
    words.Complain("by=0s: nothing would come of it");
}

std::string PacketFaultText(const Fault& fault) {
  std::string text;
  if (fault.first != 1 || fault.last != 0) {
    text += fmt::format(" nth={}", fault.first);
    if (fault.last == 0) text += "..";
    if (fault.last > fault.first) text += fmt::format("..{}", fault.last);
  }
  if (fault.kind == FaultKind::kDelay) {
    text += " by=" + ToString(fault.by);
    if (fault.MostLate() > fault.by) text += ".." + ToString(fault.at_most);
    if (fault.shape == DelayShape::kTail) text += " shape=tail";
  }
  if (fault.after > Duration()) text += " after=" + ToString(fault.after);
  if (fault.window != Duration::Max()) text += " during=" + ToString(fault.window);
  return text;
}

// Messages of datagram services are named only where a rule has no others.
void PutKinds(Digest* d, MadKinds kinds) {
  const bool all = kinds == MadKinds::All();
  for (int i = 0; i < kMadKindCount; ++i) {
    const bool has = kinds.Has(static_cast<MadKind>(i));
    if (i < kConnectionMadKindCount) d->U8(has ? 1 : 0);
    if (i >= kConnectionMadKindCount && has && !all) d->U8(static_cast<uint8_t>(i));
  }
}

// Words that most faults do not have.
void PutRarer(Digest* d, const Fault& fault) {
  if (fault.to != kAnySide) d->U8(fault.to);
  if (fault.MostLate() > fault.by) {
    d->I64(fault.at_most.nanoseconds());
    d->U8(static_cast<uint8_t>(fault.shape));
  }
  if (fault.after > Duration()) d->I64(fault.after.nanoseconds());
}

}  // namespace

std::string SideNames(const Topology& topology) {
  std::string names;
  for (const SideInfo& side : topology.sides) names += (names.empty() ? "" : ", ") + side.name;
  return names;
}

uint8_t SideFrom(std::string_view text, const Topology& topology, Words& words) {
  const std::optional<uint8_t> side = topology.SideNamed(text);
  if (!side)
    words.Complain(fmt::format("\"{}\" is not a side of topology {}; there are {}", text,
                               topology.name, SideNames(topology)));
  return side.value_or(0);
}

Fault FaultFrom(Words& words, const Topology& topology, bool drawn) {
  const std::string_view name = words.Next("a kind of fault");
  const std::optional<FaultKind> kind = ParseFaultKind(name);
  if (!kind) {
    words.Complain(
        fmt::format("fault {}: not a kind of fault; there are {}", name, AllFaultKinds()));
    return {};
  }
  Fault fault{.kind = *kind};
  if (fault.OnPackets())
    ParsePacketFault(&fault, topology, drawn, words);
  else
    fault.side = SideFrom(words.Need("side"), topology, words);
  if (fault.kind == FaultKind::kFlap) {
    fault.by = DurationFrom(words.Need("every"), words);
    fault.last = static_cast<uint32_t>(words.Number("times", 0, 1, kMostFlaps));
    if (fault.last == 0 || fault.by <= Duration())
      words.Complain(fmt::format("link-flap: every=500ms times=3 or the like is wanted"));
  }
  return fault;
}

std::string ToString(const Fault& fault, const Topology& topology) {
  const auto name = [&topology](uint8_t side) {
    return side == kAnySide ? std::string_view("any") : topology.sides[side].name;
  };
  if (!fault.OnPackets()) {
    std::string text = fmt::format("{} side={}", ToString(fault.kind), name(fault.side));
    if (fault.kind == FaultKind::kFlap)
      text += fmt::format(" every={} times={}", ToString(fault.by), fault.last);
    return text;
  }
  std::string text = fmt::format("{} {} from={}", ToString(fault.kind), ToString(fault.messages),
                                 name(fault.side));
  if (fault.to != kAnySide) text += fmt::format(" to={}", name(fault.to));
  return text + PacketFaultText(fault);
}

void PutFault(Digest* d, const Fault& f) {
  d->U8(static_cast<uint8_t>(f.kind));
  d->U8(f.side);
  PutKinds(d, f.messages);
  d->U32(f.first);
  d->U32(f.last);
  d->I64(f.by.nanoseconds());
  d->I64(f.window.nanoseconds());
  PutRarer(d, f);
}

}  // namespace cm
