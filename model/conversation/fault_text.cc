#include "model/conversation/fault_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>

namespace cm {
namespace {

constexpr int64_t kMostFlaps = 1000;

// The objects of faults.
std::string AllMadKinds() {
  std::string names;
  for (const MadKind kind : kMads)
    if (kind != MadKind::kOther) names += (names.empty() ? "" : ", ") + std::string(ToString(kind));
  return names;
}

// A fault while its line is read.
struct Reading {
  Words& words;
  const Topology& topology;
  bool drawn = false;  // walks draw what does nothing as well
  Fault fault = {};
};

uint8_t SideOrAny(std::string_view name, Reading& line) {
  return name == "any" ? kAnySide : SideFrom(name, line.topology, line.words);
}

void ReadSide(std::string_view text, Reading& line) {
  line.fault.side = SideFrom(text, line.topology, line.words);
}

void ReadFrom(std::string_view text, Reading& line) { line.fault.side = SideOrAny(text, line); }

void ReadTo(std::string_view text, Reading& line) { line.fault.to = SideOrAny(text, line); }

void ReadMessages(std::string_view text, Reading& line) {
  const std::optional<MadKinds> messages = ParseMadKinds(text);
  if (!messages)
    line.words.Complain(fmt::format("\"{}\": {} or any is wanted", text, AllMadKinds()));
  line.fault.messages = messages.value_or(MadKinds());
}

void ReadEvery(std::string_view text, Reading& line) {
  line.fault.by = DurationFrom(text, line.words);
  if (line.fault.by <= Duration())
    line.words.Complain("link-flap: every=500ms times=3 or the like is wanted");
}

void ReadTimes(std::string_view text, Reading& line) {
  uint32_t times = 0;
  const char* const last = text.data() + text.size();
  const auto [end, error] = std::from_chars(text.data(), last, times);
  if (error != std::errc() || end != last || times == 0 || times > kMostFlaps)
    line.words.Complain(fmt::format("times={}: a number from 1 to {} is wanted", text, kMostFlaps));
  line.fault.last = times;
}

// "3", "2..5" or "4..": occurrences of a packet.
void ReadOccurrences(std::string_view text, Reading& line) {
  Fault& fault = line.fault;
  const size_t dots = text.find("..");
  const auto number = [&line, text](std::string_view digits) {
    uint32_t n = 0;
    const char* const last = digits.data() + digits.size();
    const auto [end, error] = std::from_chars(digits.data(), last, n);
    if (error != std::errc() || end != last || n == 0)
      line.words.Complain(fmt::format("nth={}: 3, 2..5 or 4.. is wanted, counted from 1", text));
    return n;
  };
  fault.first = number(text.substr(0, dots));
  if (dots == std::string_view::npos) {
    fault.last = fault.first;
  } else {
    fault.last = dots + 2 == text.size() ? 0 : number(text.substr(dots + 2));
    if (fault.last != 0 && fault.last < fault.first)
      line.words.Complain(fmt::format("nth={}: the last is before the first", text));
  }
}

// "5s", or "1ms..5s": a delay, or the range that it is drawn from.
void ReadDelay(std::string_view text, Reading& line) {
  Fault& fault = line.fault;
  const size_t dots = text.find("..");
  fault.by = DurationFrom(text.substr(0, dots), line.words);
  if (dots != std::string_view::npos) {
    fault.at_most = DurationFrom(text.substr(dots + 2), line.words);
    if (fault.at_most <= fault.by)
      line.words.Complain(fmt::format("by={}: the longest is no longer than the shortest", text));
  }
  if (!line.drawn && fault.MostLate() <= Duration())
    line.words.Complain("by=0s: nothing would come of it");
}

// How a range is spread, which has been read before.
void ReadShape(std::string_view text, Reading& line) {
  if (line.fault.at_most <= line.fault.by)
    line.words.Complain(fmt::format("shape={}: a range such as by=1ms..1s is wanted", text));
  if (text == "tail")
    line.fault.shape = DelayShape::kTail;
  else if (text != "uniform")
    line.words.Complain(fmt::format("shape={}: uniform or tail is wanted", text));
}

void ReadAfter(std::string_view text, Reading& line) {
  line.fault.after = DurationFrom(text, line.words);
}

void ReadDuring(std::string_view text, Reading& line) {
  line.fault.window = DurationFrom(text, line.words);
  if (!line.drawn && line.fault.window <= Duration())
    line.words.Complain("during=0s: nothing would come of it");
}

struct FieldReader {
  FaultField field = FaultField::kSide;
  void (*read)(std::string_view text, Reading& line) = nullptr;
};

constexpr auto kReaders = std::to_array<FieldReader>({{FaultField::kSide, ReadSide},
                                                      {FaultField::kEvery, ReadEvery},
                                                      {FaultField::kTimes, ReadTimes},
                                                      {FaultField::kMessages, ReadMessages},
                                                      {FaultField::kFrom, ReadFrom},
                                                      {FaultField::kTo, ReadTo},
                                                      {FaultField::kNth, ReadOccurrences},
                                                      {FaultField::kBy, ReadDelay},
                                                      {FaultField::kShape, ReadShape},
                                                      {FaultField::kAfter, ReadAfter},
                                                      {FaultField::kDuring, ReadDuring}});

constexpr const FieldReader* ReaderOf(FaultField field) {
  return std::ranges::find(kReaders, field, &FieldReader::field);
}

constexpr bool EveryArgumentIsRead() {
  for (const FaultRow& row : kFaultKinds)
    for (const FaultField field : row.takes)
      if (ReaderOf(field) == kReaders.end()) return false;
  return true;
}
static_assert(EveryArgumentIsRead(), "an argument of a fault kind has no function that reads it");

// Messages of datagram services are named where they are meant alone.
void PutKinds(Digest* d, MadKinds kinds) {
  const bool all = kinds == MadKinds::All();
  for (const MadKind kind : kMads) {
    const bool has = kinds.Has(kind);
    if (IsOfConnection(kind))
      d->U8(has ? 1 : 0);
    else if (has && !all)
      d->U8(static_cast<uint8_t>(kind));
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
  Reading line{.words = words, .topology = topology, .drawn = drawn, .fault = {.kind = *kind}};
  for (const FaultField taken : RowOf(*kind).takes) {
    const FaultFieldRow& field = RowOf(taken);
    std::optional<std::string_view> text;
    if (field.key.empty())
      text = words.Next("a kind of message");
    else if (field.otherwise.empty())
      text = words.Need(field.key);
    else
      text = words.Take(field.key);
    if (text) ReaderOf(taken)->read(*text, line);
  }
  return line.fault;
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
