#include "conformance/runner/simpler.h"

#include <algorithm>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>

#include "model/vocabulary/call_names.h"

namespace cm {
namespace {

Call* CallIn(Line* line) {
  auto* calls = std::get_if<line::Calls>(line);
  return calls == nullptr ? nullptr : &calls->call;
}

const Call* CallIn(const Line& line) {
  const auto* calls = std::get_if<line::Calls>(&line);
  return calls == nullptr ? nullptr : &calls->call;
}

// The ids, channels and events that a line names: to be renamed, or of a constant line to be read.
template <typename LineOrConst, typename Visit>
void EachNameIn(LineOrConst& line, Visit visit) {
  if (auto* waits = std::get_if<line::Waits>(&line)) visit(waits->channel);
  if (auto* sends = std::get_if<line::Sends>(&line))
    for (auto* number : {&sends->mad.local, &sends->mad.remote, &sends->mad.qp}) visit(number->of);
  auto* calls = std::get_if<line::Calls>(&line);
  if (calls == nullptr) return;
  const auto visit_ref = [&](auto& ref, const FieldInfo&) { visit(ref); };
  if constexpr (std::is_const_v<LineOrConst>)
    EachName(calls->call, visit_ref);
  else
    EachName(&calls->call, visit_ref);
}

template <typename Ref>
bool Mentions(const Line& line, Ref name) {
  bool found = false;
  EachNameIn(line, [&](const auto& ref) {
    if constexpr (std::is_same_v<std::decay_t<decltype(ref)>, Ref>) found |= ref == name;
  });
  return found;
}

template <typename Ref>
void Rename(Line* line, Ref from, Ref to) {
  EachNameIn(*line, [&](auto& ref) {
    if constexpr (std::is_same_v<std::decay_t<decltype(ref)>, Ref>)
      if (ref == from) ref = to;
  });
}

template <typename Ref>
void Drop(Conversation* conversation, Ref name) {
  std::erase_if(conversation->lines, [&](const Line& line) { return Mentions(line, name); });
}

// A fetch stays when the id that it would name is removed.
void DropId(Conversation* conversation, IdRef id) {
  std::erase_if(conversation->lines, [&](const Line& line) {
    const Call* call = CallIn(line);
    return call != nullptr && IdOf(*call) == id;
  });
}

IdRef MadeBy(const Line& line) {
  const Call* call = CallIn(line);
  if (call == nullptr) return {};
  return MakesItsId(KindOf(*call)) ? IdOf(*call) : IdRef{};
}

ChannelRef ChannelMadeBy(const Line& line) {
  const Call* call = CallIn(line);
  const auto* make = call == nullptr ? nullptr : std::get_if<call::CreateEventChannel>(call);
  return make == nullptr ? ChannelRef{} : make->channel;
}

uint8_t SideOf(const Line& line) { return std::get<line::Calls>(line).lane.side; }

bool IsFetch(const Line& line) {
  const Call* call = CallIn(line);
  return call != nullptr && KindOf(*call) == CallKind::kGetCmEvent;
}

ChannelRef FirstChannelOf(const Conversation& conversation, uint8_t side) {
  for (const Line& line : conversation.lines)
    if (const ChannelRef made = ChannelMadeBy(line); made.valid() && SideOf(line) == side)
      return made;
  return {};
}

std::vector<Conversation> WithoutOneFetchAtAll(const Conversation& conversation) {
  std::vector<Conversation> all;
  for (size_t i = 0; i < conversation.lines.size(); ++i)
    if (IsFetch(conversation.lines[i])) all.push_back(WithoutLines(conversation, i, 1));
  return all;
}

constexpr uint32_t kFirstNumber = 100;  // larger than the numbers of other ids

void GivePlainNumber(Call* call, IdRef id, uint32_t number) {
  const auto give = [&](auto* with_param) {
    if (with_param == nullptr || with_param->id != id) return;
    if (with_param->param && with_param->param->qp_num == 0) with_param->param->qp_num = number;
  };
  give(std::get_if<call::Connect>(call));
  give(std::get_if<call::Accept>(call));
}

// Appends the result of `with` on a copy of line `at`, if it changes the line.
class Variants {
 public:
  explicit Variants(const Conversation& conversation) : conversation_(conversation) {}

  template <typename Change>
  void Add(size_t at, Change change) {
    Conversation variant = conversation_;
    change(&variant.lines[at]);
    variants_.push_back(std::move(variant));
  }
  template <typename C, typename Change>
  void AddIfCall(size_t at, Change change) {
    const Call* call = CallIn(conversation_.lines[at]);
    if (call == nullptr || !std::holds_alternative<C>(*call)) return;
    Add(at, [&](Line* line) { change(&std::get<C>(*CallIn(line))); });
  }
  std::vector<Conversation> Take() { return std::move(variants_); }

 private:
  const Conversation& conversation_;
  std::vector<Conversation> variants_;
};

void SimplifyParam(std::optional<ConnParam>* param) {
  if (!*param) return;
  const uint32_t number = (*param)->qp_num;
  param->emplace();
  (*param)->qp_num = number;
}

uint8_t Other(uint8_t side) { return static_cast<uint8_t>(1 - side); }

void MoveToSide(Address* address, uint8_t side) {
  if (address->kind == AddressKind::kSide) address->side = side;
}

// Moves everything of both sides to `side`.
Conversation WithOneSide(const Conversation& conversation, uint8_t side) {
  Conversation moved = conversation;
  for (Line& line : moved.lines) {
    if (auto* waits = std::get_if<line::Waits>(&line)) waits->lane.side = side;
    auto* injects = std::get_if<line::Injects>(&line);
    if (injects != nullptr && injects->fault.side != kAnySide) injects->fault.side = side;
    if (auto* calls = std::get_if<line::Calls>(&line)) calls->lane.side = side;
    Call* call = CallIn(&line);
    if (call == nullptr) continue;
    if (auto* bind = std::get_if<call::BindAddr>(call)) MoveToSide(&bind->address, side);
    if (auto* resolve = std::get_if<call::ResolveAddr>(call)) {
      MoveToSide(&resolve->source, side);
      MoveToSide(&resolve->destination, side);
    }
  }
  return moved;
}

// Drops all messages of the side.
Conversation WithSilence(const Conversation& conversation, uint8_t side) {
  Conversation silent = conversation;
  silent.lines.insert(
      silent.lines.begin(),
      line::Injects{{.kind = FaultKind::kDrop, .side = side, .messages = MadKinds::All()}});
  return silent;
}

// From line `at` on the sides swap their parts, each on its own channel and its own id.
Conversation WithPartsChanged(const Conversation& conversation, size_t at) {
  const ChannelRef channels[] = {FirstChannelOf(conversation, 0), FirstChannelOf(conversation, 1)};
  IdRef connects;
  IdRef accepts;
  for (const Line& line : conversation.lines) {
    const Call* call = CallIn(line);
    if (call == nullptr) continue;
    if (KindOf(*call) == CallKind::kConnect) connects = IdOf(*call);
    if (KindOf(*call) == CallKind::kAccept) accepts = IdOf(*call);
  }
  Conversation changed = conversation;
  if (!channels[0].valid() || !channels[1].valid()) return changed;
  for (size_t i = at; i < changed.lines.size(); ++i) {
    Line& line = changed.lines[i];
    if (auto* waits = std::get_if<line::Waits>(&line)) waits->lane.side = Other(waits->lane.side);
    if (auto* calls = std::get_if<line::Calls>(&line)) calls->lane.side = Other(calls->lane.side);
    EachNameIn(line, [&](auto& ref) {
      if constexpr (std::is_same_v<std::decay_t<decltype(ref)>, ChannelRef>)
        ref = ref == channels[0] ? channels[1] : channels[0];
      if constexpr (std::is_same_v<std::decay_t<decltype(ref)>, IdRef>) {
        if (ref == connects && accepts.valid())
          ref = accepts;
        else if (ref == accepts && connects.valid())
          ref = connects;
      }
    });
  }
  return changed;
}

std::string FreshEvent(const Names& names) {
  size_t number = names.events.size() + 1;
  while (names.events.Find("e" + std::to_string(number))) ++number;
  return "e" + std::to_string(number);
}

void Append(std::vector<Conversation> more, std::vector<Conversation>* all) {
  for (Conversation& one : more) all->push_back(std::move(one));
}

std::vector<Conversation> WithFaultOnOtherSide(const Conversation& conversation) {
  std::vector<Conversation> all;
  for (size_t i = 0; i < conversation.lines.size(); ++i) {
    const auto* injects = std::get_if<line::Injects>(&conversation.lines[i]);
    if (injects == nullptr || injects->fault.side > kPassiveSide) continue;
    const auto other = Other(injects->fault.side);
    const ChannelRef channel = FirstChannelOf(conversation, other);
    if (!channel.valid()) continue;
    Conversation variant = conversation;
    std::get<line::Injects>(variant.lines[i]).fault.side = other;
    for (size_t k = i + 1; k < variant.lines.size(); ++k)
      if (IsFetch(variant.lines[k])) {
        std::get<line::Calls>(variant.lines[k]).lane = {.side = other};
        std::get<call::GetCmEvent>(*CallIn(&variant.lines[k])).channel = channel;
      }
    all.push_back(std::move(variant));
  }
  return all;
}

// Replaces the request's id by a bound one, and removes everything else.
std::vector<Conversation> WithBoundIdInstead(const Conversation& conversation) {
  constexpr uint16_t kAnyPort = 7471;
  std::vector<Conversation> all;
  for (const Line& fetch : conversation.lines) {
    if (!IsFetch(fetch)) continue;
    const auto& get = std::get<call::GetCmEvent>(*CallIn(fetch));
    const Lane lane{.side = SideOf(fetch)};
    Conversation bound = conversation;
    std::erase_if(bound.lines, [&](const Line& line) {
      const Call* call = CallIn(line);
      return call == nullptr || IsFetch(line) || IdOf(*call) != get.request;
    });
    if (bound.lines.empty()) continue;
    const Address address{.kind = AddressKind::kSide, .side = lane.side, .port = kAnyPort};
    const auto first = {
        Line(line::Calls{lane, call::CreateEventChannel{get.channel, true}}),
        Line(line::Calls{lane, call::CreateId{get.request, get.channel, PortSpace::kTcp}}),
        Line(line::Calls{lane, call::BindAddr{get.request, address}})};
    bound.lines.insert(bound.lines.begin(), first);
    all.push_back(std::move(bound));
  }
  return all;
}

std::vector<Conversation> WithOneCallReplaced(const Conversation& conversation) {
  Variants variants(conversation);
  for (size_t i = 0; i < conversation.lines.size(); ++i) {
    const Call* call = CallIn(conversation.lines[i]);
    if (call == nullptr || KindOf(*call) != CallKind::kAccept) continue;
    const IdRef id = IdOf(*call);
    variants.Add(i, [&](Line* l) { *CallIn(l) = call::Reject{.id = id, .private_data = {}}; });
  }
  return variants.Take();
}

}  // namespace

void LetGoAlone(Conversation* conversation) {
  for (size_t i = 0; i < conversation->lines.size(); i = EndOfTogether(*conversation, i))
    if (auto* calls = std::get_if<line::Calls>(&conversation->lines[i])) calls->meanwhile = false;
}

Conversation WithoutLines(const Conversation& conversation, size_t from, size_t count) {
  Conversation shorter = conversation;
  const auto begin = shorter.lines.begin() + static_cast<ptrdiff_t>(from);
  const size_t there = shorter.lines.size() - from;
  shorter.lines.erase(begin, begin + static_cast<ptrdiff_t>(std::min(count, there)));
  return shorter;
}

Conversation WithoutTwo(const Conversation& conversation, size_t a, size_t b) {
  return WithoutLines(WithoutLines(conversation, b, 1), a, 1);
}

std::vector<Conversation> WithoutOneName(const Conversation& conversation) {
  std::vector<Conversation> all;
  for (uint16_t i = 0; i < conversation.names.channels.size(); ++i) {
    Conversation shorter = conversation;
    for (const Line& line : conversation.lines)
      if (const IdRef made = MadeBy(line); made.valid() && Mentions(line, ChannelRef{i}))
        DropId(&shorter, made);
    Drop(&shorter, ChannelRef{i});
    if (shorter.lines.size() < conversation.lines.size()) all.push_back(std::move(shorter));
  }
  for (uint16_t i = 0; i < conversation.names.ids.size(); ++i) {
    Conversation shorter = conversation;
    DropId(&shorter, IdRef{i});
    if (shorter.lines.size() < conversation.lines.size()) all.push_back(std::move(shorter));
  }
  const auto without = [&](auto ref) {
    Conversation shorter = conversation;
    Drop(&shorter, ref);
    if (shorter.lines.size() < conversation.lines.size()) all.push_back(std::move(shorter));
  };
  for (uint16_t i = 0; i < conversation.names.events.size(); ++i) without(EventRef{i});
  for (uint16_t i = 0; i < conversation.names.held.size(); ++i) without(HeldRef{i});
  for (uint16_t i = 0; i < conversation.names.regions.size(); ++i) without(MrRef{i});
  return all;
}

std::vector<Conversation> WithTwoNamesAsOne(const Conversation& conversation) {
  std::vector<Conversation> all;
  // Removes the later name and the line that creates it.
  const auto merge = [&]<typename Ref>(Ref kept, Ref gone, size_t made_at) {
    Conversation merged = WithoutLines(conversation, made_at, 1);
    for (Line& line : merged.lines) Rename(&line, gone, kept);
    all.push_back(std::move(merged));
  };
  const auto& lines = conversation.lines;
  for (size_t b = 0; b < lines.size(); ++b) {
    if (MadeBy(lines[b]).valid())
      for (size_t a = 0; a < b; ++a)
        if (MadeBy(lines[a]).valid() && SideOf(lines[a]) == SideOf(lines[b]))
          merge(MadeBy(lines[a]), MadeBy(lines[b]), b);
    if (ChannelMadeBy(lines[b]).valid())
      for (size_t a = 0; a < b; ++a)
        if (ChannelMadeBy(lines[a]).valid() && SideOf(lines[a]) == SideOf(lines[b]))
          merge(ChannelMadeBy(lines[a]), ChannelMadeBy(lines[b]), b);
  }
  return all;
}

void GiveNumbers(Conversation* conversation) {
  std::vector<bool> has_qp(conversation->names.ids.size());
  for (Line& line : conversation->lines) {
    Call* call = CallIn(&line);
    if (call == nullptr) continue;
    const IdRef id = IdOf(*call);
    if (QpAskedBy(*call)) has_qp[id.index] = true;
    if (id.valid() && !has_qp[id.index]) GivePlainNumber(call, id, kFirstNumber + id.index);
  }
}

std::vector<Conversation> WithoutQueuePairs(const Conversation& conversation) {
  std::vector<Conversation> all;
  for (size_t i = 0; i < conversation.lines.size(); ++i) {
    const Call* call = CallIn(conversation.lines[i]);
    if (call == nullptr || !QpAskedBy(*call)) continue;
    const IdRef id = IdOf(*call);
    Conversation without = WithoutLines(conversation, i, 1);
    std::erase_if(without.lines, [&](const Line& line) {
      const Call* c = CallIn(line);
      return c != nullptr && IdOf(*c) == id &&
             (KindOf(*c) == CallKind::kDestroyQp || QpAskedBy(*c));
    });
    GiveNumbers(&without);
    all.push_back(std::move(without));
  }
  return all;
}

std::vector<Conversation> WithoutOneFetch(const Conversation& conversation) {
  Variants variants(conversation);
  for (size_t i = 0; i < conversation.lines.size(); ++i)
    if (IsFetch(conversation.lines[i])) variants.Add(i, [](Line* l) { *l = line::Settles{}; });
  return variants.Take();
}

std::vector<Conversation> WithOneEstablishing(const Conversation& conversation) {
  std::vector<Conversation> all;
  for (const Conversation& without : WithoutQueuePairs(conversation))
    for (size_t connect = 0; connect < without.lines.size(); ++connect) {
      const Call* call = CallIn(without.lines[connect]);
      if (call == nullptr || KindOf(*call) != CallKind::kConnect) continue;
      for (size_t i = connect + 1; i < without.lines.size(); ++i) {
        if (!IsFetch(without.lines[i])) continue;
        Conversation variant = without;
        *CallIn(&variant.lines[i]) = call::Establish{.id = IdOf(*call)};
        std::get<line::Calls>(variant.lines[i]).lane =
            std::get<line::Calls>(without.lines[connect]).lane;
        variant.lines.insert(variant.lines.begin() + static_cast<ptrdiff_t>(i), line::Settles{});
        all.push_back(std::move(variant));
      }
    }
  return all;
}

std::vector<Conversation> WithSmallerBacklog(const Conversation& conversation) {
  std::vector<Conversation> all;
  for (size_t i = 0; i < conversation.lines.size(); ++i) {
    const Call* call = CallIn(conversation.lines[i]);
    const auto* listen = call == nullptr ? nullptr : std::get_if<call::Listen>(call);
    if (listen == nullptr || listen->backlog < 2) continue;
    Conversation smaller = conversation;
    std::get<call::Listen>(*CallIn(&smaller.lines[i])).backlog = listen->backlog - 1;
    for (Conversation& fewer : WithoutOneName(smaller)) {
      for (Conversation& still_fewer : WithoutOneFetchAtAll(fewer))
        all.push_back(std::move(still_fewer));
      all.push_back(std::move(fewer));
    }
  }
  return all;
}

std::vector<Conversation> WithOneLineSimpler(const Conversation& conversation) {
  Variants variants(conversation);
  for (size_t i = 0; i < conversation.lines.size(); ++i) {
    variants.AddIfCall<call::Connect>(i, [](auto* c) { SimplifyParam(&c->param); });
    variants.AddIfCall<call::Accept>(i, [](auto* c) { SimplifyParam(&c->param); });
    variants.AddIfCall<call::Reject>(i, [](auto* c) { c->private_data = {}; });
    variants.AddIfCall<call::Listen>(i, [](auto* c) { c->backlog = call::Listen{}.backlog; });
    variants.AddIfCall<call::ResolveAddr>(i, [](auto* c) { c->source = {}; });
    variants.AddIfCall<call::ResolveAddr>(
        i, [](auto* c) { c->timeout_ms = call::ResolveAddr{}.timeout_ms; });
    variants.AddIfCall<call::ResolveRoute>(
        i, [](auto* c) { c->timeout_ms = call::ResolveRoute{}.timeout_ms; });
    variants.AddIfCall<call::JoinMulticast>(i, [](auto* c) { c->context = 0; });
    variants.AddIfCall<call::JoinMulticastEx>(i, [](auto* c) { c->context = 0; });
    variants.AddIfCall<call::CreateEventChannel>(i, [](auto* c) { c->nonblocking = true; });
    variants.AddIfCall<call::CreateEventChannel>(i, [](auto* c) { c->nonblocking = false; });
    const Line& line = conversation.lines[i];
    if (const auto* calls = std::get_if<line::Calls>(&line)) {
      variants.Add(i, [](Line* l) { std::get<line::Calls>(*l).lane.number = 1; });
      if (calls->meanwhile)
        variants.Add(i, [](Line* l) { std::get<line::Calls>(*l).meanwhile = false; });
    }
    if (std::holds_alternative<line::Waits>(line) || std::holds_alternative<line::Passes>(line))
      variants.Add(i, [](Line* l) { *l = line::Settles{}; });
    if (const auto* passes = std::get_if<line::Passes>(&line))
      for (const int64_t seconds : {1, 10, 100})
        if (passes->span > Duration::Seconds(seconds))
          variants.Add(i, [&](Line* l) { *l = line::Passes{Duration::Seconds(seconds)}; });
  }
  return variants.Take();
}

std::vector<Conversation> Detours(const Conversation& conversation) {
  std::vector<Conversation> all = WithFaultOnOtherSide(conversation);
  Append(WithOneCallReplaced(conversation), &all);
  Append(WithBoundIdInstead(conversation), &all);
  bool connects = false;
  for (size_t i = 0; i < conversation.lines.size(); ++i) {
    const Call* call = CallIn(conversation.lines[i]);
    if (call != nullptr && KindOf(*call) == CallKind::kAccept) connects = true;
    if (!connects || call == nullptr) continue;
    all.push_back(WithPartsChanged(conversation, i));
    // The order of the events of one side becomes the order of fetches of the other.
    Conversation fetches_more = all.back();
    for (size_t k = i; k < fetches_more.lines.size(); ++k)
      if (IsFetch(fetches_more.lines[k])) {
        Line before = fetches_more.lines[k];
        auto& fetch = std::get<call::GetCmEvent>(*CallIn(&before));
        const std::string name = FreshEvent(fetches_more.names);
        fetch.event = fetches_more.names.events.Intern(name);
        fetch.request = fetches_more.names.ids.Intern(name + ".id");
        fetches_more.lines.insert(fetches_more.lines.begin() + static_cast<ptrdiff_t>(k), before);
        all.push_back(std::move(fetches_more));
        break;
      }
  }
  for (const uint8_t side : {kActiveSide, kPassiveSide}) {
    all.push_back(WithOneSide(conversation, side));
    if (conversation.capabilities.Has(Capability::kDrop))
      all.push_back(WithSilence(conversation, side));
  }
  return all;
}

}  // namespace cm
