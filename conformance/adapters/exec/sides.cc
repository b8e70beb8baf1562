#include "conformance/adapters/exec/sides.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <iterator>
#include <optional>
#include <thread>
#include <utility>

#include "conformance/adapters/exec/dialects.h"
#include "conformance/adapters/exec/site.h"
#include "conformance/driver/refused_session.h"
#include "conformance/process/real_time.h"

namespace cm {
namespace {

// What a host has by itself: a fault needs it of those that it concerns.
constexpr Capabilities OfOneHost() {
  Capabilities all;
  for (const FaultRow& row : kFaultKinds) all = all.With(row.needs);
  return all.With(Capability::kDropNth);
}

// Whether the driver of a side injects the fault: messages are treated where they arrive, and an
// address is taken at those who believe it.
bool Concerns(const Fault& fault, size_t side) {
  if (fault.kind == FaultKind::kDuplicateAddress) return side != fault.side;
  if (!fault.OnPackets()) return side == fault.side;
  return fault.to == kAnySide ? side != fault.side : side == fault.to;
}

// Without the faults that do not concern the side: its host may be unable to do them.
std::unique_ptr<Conversation> PartOf(const Conversation& conversation, size_t side) {
  auto part = std::make_unique<Conversation>(conversation);
  std::erase_if(part->lines, [side](const Line& line) {
    const auto* injects = std::get_if<line::Injects>(&line);
    return injects != nullptr && !Concerns(injects->fault, side);
  });
  return part;
}

// A session for each side.
class SidesSession : public Session, public Driver, public Environment {
 public:
  // `parts`: what each session was given.
  SidesSession(const std::vector<OneSide>& sides, std::vector<std::unique_ptr<Conversation>> parts,
               std::vector<std::unique_ptr<Session>> sessions)
      : sides_(sides),
        parts_(std::move(parts)),
        sessions_(std::move(sessions)),
        shared_clock_(sides.front().implementation->concurrent()),
        begin_(RealNow()) {}

  Driver& driver() override { return *this; }
  Environment& environment() override { return *this; }

  // Driver
  seen::Answered Submit(Lane lane, const Call& call) override {
    return DriverOf(lane).Submit(lane, call);
  }

  std::vector<seen::Answered> SubmitTogether(const std::vector<Submission>& all) override {
    std::vector<std::vector<Submission>> asked(sessions_.size());
    for (const Submission& one : all) asked[one.lane.side].push_back(one);
    std::vector<std::vector<seen::Answered>> answers(sessions_.size());
    ForEach([&](size_t side) {
      if (!asked[side].empty())
        answers[side] = sessions_[side]->driver().SubmitTogether(asked[side]);
    });
    std::vector<size_t> taken(sessions_.size());
    std::vector<seen::Answered> merged;
    for (const Submission& one : all)
      merged.push_back(std::move(answers[one.lane.side][taken[one.lane.side]++]));
    return merged;
  }

  std::optional<seen::Released> Released(Lane lane) override {
    return DriverOf(lane).Released(lane);
  }
  bool Readable(Lane lane, ChannelRef channel, Duration within) override {
    return DriverOf(lane).Readable(lane, channel, within);
  }

  Instant Now() override {
    if (!shared_clock_) return Instant() + (RealNow() - begin_);
    Instant now;
    for (const auto& session : sessions_) now = std::max(now, session->driver().Now());
    return now;
  }

  // Environment
  seen::Done Pass(Duration span) override {
    return WhilePassing([&](Environment& environment) { return environment.Pass(span); });
  }
  // What one sends when the other is quiet already must arrive as well: so, twice.
  seen::Done Settle() override {
    const auto settle = [](Environment& environment) { return environment.Settle(); };
    seen::Done done = WhilePassing(settle);
    return shared_clock_ || !done.ok ? done : WhilePassing(settle);
  }
  seen::Done Inject(const Fault& fault) override {
    seen::Done all = {.ok = false, .note = "none of the sides is concerned"};
    for (size_t side = 0; side < sessions_.size(); ++side) {
      if (!Concerns(fault, side)) continue;
      all = sessions_[side]->environment().Inject(fault);
      if (shared_clock_ || !all.ok) break;  // a world that they share has it now
    }
    return all;
  }
  seen::Done Heal() override {
    return WhilePassing([](Environment& environment) { return environment.Heal(); });
  }

  // Session
  std::vector<WireRecord> TakeWire() override {
    std::vector<WireRecord> all;
    for (const auto& session : sessions_)
      std::ranges::move(session->TakeWire(), std::back_inserter(all));
    return all;
  }
  std::string Leaks() override {
    std::vector<std::string> leaks;
    for (size_t side = 0; side < sessions_.size(); ++side)
      if (const std::string one = sessions_[side]->Leaks(); !one.empty())
        leaks.push_back(fmt::format("{}: {}", sides_[side].side, one));
    return fmt::format("{}", fmt::join(leaks, "; "));
  }
  std::string Inconclusive() const override {
    for (size_t side = 0; side < sessions_.size(); ++side)
      if (const std::string why = sessions_[side]->Inconclusive(); !why.empty())
        return fmt::format("{}: {}", sides_[side].side, why);
    return {};
  }

 private:
  Driver& DriverOf(Lane lane) { return sessions_[lane.side]->driver(); }

  // Acts for all sides at once, each on a thread of its own; one after the other on a clock that
  // they share.
  template <typename Act>
  void ForEach(const Act& act) {
    if (shared_clock_) {
      for (size_t side = 0; side < sessions_.size(); ++side) act(side);
      return;
    }
    std::vector<std::jthread> threads;
    for (size_t side = 0; side < sessions_.size(); ++side)
      threads.emplace_back([&act, side] { act(side); });
  }

  // What concerns all sides, or the one world of all.
  template <typename Act>
  seen::Done WhilePassing(const Act& act) {
    if (shared_clock_) return act(sessions_.front()->environment());
    std::vector<seen::Done> done(sessions_.size());
    ForEach([&](size_t side) { done[side] = act(sessions_[side]->environment()); });
    const auto failed = std::ranges::find(done, false, &seen::Done::ok);
    return failed == done.end() ? seen::Done() : *failed;
  }

  const std::vector<OneSide>& sides_;
  std::vector<std::unique_ptr<Conversation>> parts_;
  std::vector<std::unique_ptr<Session>> sessions_;
  bool shared_clock_;
  Instant begin_;
};

class SidesImplementation : public Implementation {
 public:
  SidesImplementation(std::vector<OneSide> sides, Profile profile)
      : sides_(std::move(sides)), profile_(std::move(profile)) {}

  std::string name() const override {
    std::vector<std::string> names;
    for (const OneSide& one : sides_)
      names.push_back(fmt::format("{}: {}", one.side, one.implementation->name()));
    return fmt::format("{}", fmt::join(names, "; "));
  }
  const Profile& profile() const override { return profile_; }
  // No side is the tester's.
  Capabilities capabilities() const override {
    Capabilities common = AllCapabilities();
    Capabilities of_any;
    for (const OneSide& one : sides_) {
      common = Common(common, one.implementation->capabilities());
      of_any = of_any.With(one.implementation->capabilities());
    }
    const Capabilities all = OneWorld() ? common : common.With(Common(of_any, OfOneHost()));
    return Common(all, profile_.capabilities.Without(Capability::kTester));
  }

  std::string Lacks(const Conversation& conversation) const override {
    for (size_t side = 0; side < sides_.size(); ++side) {
      std::string why = sides_[side].implementation->Lacks(conversation);
      if (why.empty() && !OneWorld()) why = FaultBeyond(conversation, side);
      if (why.empty()) why = DialectShows(conversation, side, DialectOf(side), profile_.dialect);
      if (!why.empty()) return fmt::format("{}: {}", sides_[side].side, why);
    }
    return {};
  }
  // What one side's host can do to itself, and the other's cannot, is left out of the other's.
  bool LeavesOut() const override {
    const Capabilities first = sides_.front().implementation->capabilities();
    return std::ranges::any_of(sides_, [&](const OneSide& one) {
      return one.implementation->LeavesOut() || one.implementation->capabilities() != first;
    });
  }
  std::unique_ptr<Session> Start(const Conversation& conversation) override {
    if (conversation.topology->sides.size() != sides_.size())
      return RefuseSession(fmt::format("topology {} has other sides than {} and {}",
                                       conversation.topology->name, kSideNames[0], kSideNames[1]));
    std::vector<std::unique_ptr<Conversation>> parts;
    std::vector<std::unique_ptr<Session>> sessions;
    for (const OneSide& one : sides_) {
      parts.push_back(OneWorld() ? std::make_unique<Conversation>(conversation)
                                 : PartOf(conversation, parts.size()));
      sessions.push_back(one.implementation->Start(*parts.back()));
      if (const std::string why = sessions.back()->Unsupported(); !why.empty())
        return RefuseSession(fmt::format("{}: {}", one.side, why));
    }
    return std::make_unique<SidesSession>(sides_, std::move(parts), std::move(sessions));
  }

  std::string Spoiled() const override {
    for (const OneSide& one : sides_)
      if (const std::string why = one.implementation->Spoiled(); !why.empty())
        return fmt::format("{}: {}", one.side, why);
    return {};
  }

 private:
  // Two in virtual time share it, and one of them tells it everything.
  bool OneWorld() const { return sides_.front().implementation->concurrent(); }
  const Dialect& DialectOf(size_t side) const {
    return sides_[side].implementation->profile().dialect;
  }
  // A fault that the side's host cannot inject, though it has to.
  std::string FaultBeyond(const Conversation& conversation, size_t side) const {
    const Capabilities here = sides_[side].implementation->capabilities();
    for (const Line& line : conversation.lines) {
      const auto* injects = std::get_if<line::Injects>(&line);
      if (injects == nullptr || !Concerns(injects->fault, side)) continue;
      if (!here.Includes(Needs(injects->fault)))
        return fmt::format("it cannot do \"{}\"", ToString(injects->fault, *conversation.topology));
    }
    return {};
  }

  std::vector<OneSide> sides_;
  Profile profile_;
};

}  // namespace

std::variant<std::vector<SideText>, std::string> ParseSides(std::string_view text) {
  constexpr std::string_view kWanted =
      "wanted is sides:active=IMPL,passive=IMPL, with exec:COMMAND, tcp:HOST:PORT or dl:PATH";
  std::vector<SideText> sides;
  for (size_t i = 0; i < kSideNames.size(); ++i) {
    const std::string key = fmt::format("{}=", kSideNames[i]);
    const std::string other = fmt::format(",{}=", kSideNames[1 - i]);
    const size_t at = text.starts_with(key) ? 0 : text.find("," + key);
    if (at == std::string_view::npos)
      return fmt::format("there is no {} side: {}", kSideNames[i], kWanted);
    std::string_view what = text.substr(at + key.size() + (at == 0 ? 0 : 1));
    if (at == 0) what = what.substr(0, what.find(other));
    if (what.empty()) return fmt::format("there is nothing behind {}: {}", key, kWanted);
    sides.push_back({.side = std::string(kSideNames[i]), .what = std::string(what)});
  }
  return sides;
}

std::variant<std::unique_ptr<Implementation>, std::string> MakeSidesImplementation(
    std::vector<OneSide> sides, Profile profile) {
  const bool shared = sides.front().implementation->concurrent();
  for (const OneSide& one : sides)
    if (one.implementation->concurrent() != shared)
      return fmt::format(
          "the {} side has virtual time and the {} side has not: they cannot talk to each other",
          sides[shared ? 0 : 1].side, sides[shared ? 1 : 0].side);
  return std::make_unique<SidesImplementation>(std::move(sides), std::move(profile));
}

}  // namespace cm
