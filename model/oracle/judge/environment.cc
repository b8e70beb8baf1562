#include "model/oracle/judge/environment.h"

#include <algorithm>

namespace cm::model {

void Environment::TurnLinks(int64_t until) {
  while (const std::optional<int64_t> at = fault_model_.NextTurn(until)) {
    search_.CloseAll({*at, *at, context_.settled});
    SpreadMutes(Certainty::kYes);
    fault_model_.Turn();
    ChangeAnswers();
  }
  while (const auto neighbour = fault_model_.neighbours().TakeFailure(until)) Fail(*neighbour);
  // What is sent meanwhile may make a device mute for all.
  if (fault_model_.carriers().AnyDown()) SpreadMutes(Certainty::kMaybe);
}

// Events in progress may still happen in the old environment: every set is closed first. Of a crowd
// that would be every order of them: what a fault of packets makes of a message is known by when it
// was sent, also if it is followed later.
Verdict Environment::Line(const Record& record, const cm::Line& line) {
  const Window window = WindowOf(record);
  if (std::holds_alternative<line::Settles>(line)) {
    context_.settled = window.span();
    fault_model_.Settle(window.end);
    return {};
  }
  if (std::holds_alternative<line::Passes>(line)) return {};
  const auto* injects = std::get_if<line::Injects>(&line);
  const bool on_packets = injects != nullptr && injects->fault.OnPackets();
  if (!on_packets && !std::holds_alternative<line::Heals>(line)) components_.JudgeAllTogether();
  search_.CloseAll(window, on_packets);
  SpreadMutes(Certainty::kYes);
  Verdict verdict;
  NoteAnswers(line);
  if (std::holds_alternative<line::Sends>(line)) {
    verdict = SendByTester(record.line, window.span());
  } else if (injects != nullptr) {
    if (facts_.faults_to_come > 0) --facts_.faults_to_come;
    Inject(injects->fault, window);
  } else {
    components_.LeaveOpenUntil(window.end);
    fault_model_.Heal(window.end);
    ChangeNeighbours(window);
    ChangeAnswers();
  }
  components_.JoinAllAsked();
  return verdict;
}

void Environment::NoteAnswers(const cm::Line& line) {
  if (std::holds_alternative<line::Heals>(line)) return;
  const auto* injects = std::get_if<line::Injects>(&line);
  const bool delays = injects != nullptr && injects->fault.kind == FaultKind::kDelay;
  if (delays)
    for (const MadKind request : {MadKind::kReq, MadKind::kSidrReq, MadKind::kMpaRequest})
      facts_.requests_may_be_late |= injects->fault.messages.Has(request);
  if (injects == nullptr || (!delays && !injects->fault.Loses()))
    facts_.answers_may_be_late = true;
  else if (delays || injects->fault.messages.Has(MadKind::kRep))
    facts_.answers_may_be_lost = true;
}

void Environment::Inject(const Fault& fault, const Window& window) {
  const int64_t now = window.begin;
  if (fault.OnPackets()) {
    fault_model_.Inject(fault, now, MessagesUnderWay(now));
    facts_.allowances = fault_model_.allowances();
    return;
  }
  const uint8_t device = facts_.topology().sides[fault.side].device;
  const uint8_t kernel = facts_.topology().KernelOf(fault.side);
  const FaultRow& row = RowOf(fault.kind);
  fault_model_.Inject(fault, now);
  facts_.fail_overs[device] = static_cast<uint8_t>(fault_model_.FailOvers(device));
  if (row.leaves == FaultPremise::kHostStopped) Crash(kernel);
  if (row.leaves == FaultPremise::kHostRunning) ++facts_.boots[kernel];
  if (fault.kind == FaultKind::kAddDevice || fault.kind == FaultKind::kRestart)
    Unmute(device, fault.kind == FaultKind::kRestart);
  Tell(row.tells, fault.side, window);
  ChangeAnswers();
}

// A device that one component has made mute is so for the others, with `most` as its certainty.
void Environment::SpreadMutes(Certainty most) {
  if (!context_.profile.dialect.link_down_mutes) return;
  for (uint8_t device = 0; device < facts_.topology().devices.size(); ++device) {
    const auto may_mute = [&](const Flight& flight) {
      return flight.from_device == device && flight.to_device != device &&
             fault_model_.carriers().Mutes(flight) != Certainty::kNo;
    };
    for (const Components::Number number : components_.All()) {
      const std::vector<Possibility>& all = components_.Peek(number).items();
      const auto is_mute = [device](const Possibility& p) { return p.IsMute(device); };
      const bool maybe = std::ranges::any_of(all, [&](const Possibility& p) {
        return p.IsMute(device) || std::ranges::any_of(p.flights, may_mute);
      });
      if (!maybe) continue;
      const bool certain = std::ranges::all_of(all, is_mute);
      fault_model_.carriers().NoteMute(device, certain ? most : Certainty::kMaybe);
    }
  }
}

// A device that is registered anew sends again, and so do all of a host that has started.
void Environment::Unmute(uint8_t device, bool all_of_host) {
  const auto is_anew = [&](uint8_t one) {
    return all_of_host ? facts_.KernelOf(one) == facts_.KernelOf(device)
                       : facts_.CaOf(one) == facts_.CaOf(device);
  };
  search_.ChangeAll([&](Possibility* p) {
    for (uint8_t one = 0; one < facts_.topology().devices.size(); ++one)
      if (is_anew(one)) p->mutes &= ~BitOfDevice(one);
  });
}

void Environment::Tell(FaultTells tells, uint8_t side, const Window& window) {
  const uint8_t device = facts_.topology().sides[side].device;
  switch (tells) {
    case FaultTells::kNoId:
    case FaultTells::kSenders:  // by what becomes of their messages
      return;
    case FaultTells::kIdsOfDevice:
      return RemoveDevice(device, window);
    case FaultTells::kIdsOfBond:
      return FailOver(device, window);
    case FaultTells::kNeighbours:
      return ChangeNeighbours(window);
    case FaultTells::kPeersOfProcess:
      return Exit(side, window);
  }
}

// Whether a message may have been sent at that instant and not have arrived.
bool Environment::MessagesUnderWay(int64_t now) const {
  return !components_
              .WhereMayBe([now](const Possibility& p) {
                return std::ranges::any_of(
                    p.flights, [now](const Flight& flight) { return flight.since.latest >= now; });
              })
              .empty();
}

void Environment::RemoveDevice(uint8_t device, const Window& window) {
  search_.ChangeAll([&](Possibility* p) {
    for (IdState& id : p->ids) {
      const bool on_it = facts_.CaOf(id.device) == facts_.CaOf(device);
      if (!on_it || id.closed || id.gone || id.state == State::kDeviceRemoval) continue;
      id.removal_due = true;
      id.due = window.span();
    }
  });
}

template <typename Holds>
void Environment::TellIds(uint8_t IdState::*due, Span when, Holds holds) {
  search_.ChangeAll([&](Possibility* p) {
    for (IdState& id : p->ids) {
      if (id.closed || id.gone || !holds(id)) continue;
      if (id.*due < 255) ++(id.*due);
      id.due = when;
    }
  });
}

template <typename Holds>
void Environment::TellTrackers(Span when, Holds holds) {
  TellIds(&IdState::neighbour_due, when, [&](const IdState& id) {
    return id.name.valid() && facts_.id(id.name).tracked && holds(facts_.id(id.name));
  });
}

// source: linux 6.1 cma.c cma_netdev_change
void Environment::FailOver(uint8_t device, const Window& window) {
  const uint32_t now = fault_model_.FailOvers(device);
  // For the other side its neighbour changes. source: observed 6.1-rxe in the lab
  TellTrackers(window.span(), [&](const IdInfo& info) {
    return info.interface != device && facts_.DeviceOf(info.destination) == device &&
           info.peer_fail_overs % 2 != now % 2;
  });
  TellIds(&IdState::addr_change_due, window.span(), [&](const IdState& id) {
    if (id.device == kNoDevice) return false;
    const uint8_t interface = id.name.valid() ? facts_.id(id.name).interface : id.device;
    // Two interfaces take turns: after an even number the address is the same again.
    const uint32_t met = id.name.valid() ? facts_.id(id.name).fail_overs : now - 1;
    return interface == device && met % 2 != now % 2;
  });
}

// source: linux 6.1 cma.c cma_netevent_callback
void Environment::ChangeNeighbours(const Window& window) {
  const Neighbours& neighbours = fault_model_.neighbours();
  TellTrackers(window.span(), [&](const IdInfo& info) {
    const uint8_t peer = facts_.DeviceOf(info.destination);
    const bool wrong = neighbours.Wrong(info.interface, peer);
    return info.interface != peer && wrong != neighbours.WasWrong(info.interface, peer) &&
           wrong != info.knew_wrong_neighbour;
  });
}

// A host that is being asked for its address may begin to answer, or cease to.
void Environment::ChangeAnswers() {
  for (uint16_t i = 0; i < facts_.id_count(); ++i) {
    IdInfo& info = facts_.id(IdRef{i});
    const uint8_t peer = facts_.DeviceOf(info.shown.destination);
    if (!info.asking.asks || peer == kNoDevice) continue;
    if (fault_model_.AskingFor(info.interface, peer) != info.asking)
      info.asking.answered = Certainty::kMaybe;
  }
}

// source: linux 6.1 cma.c cma_netevent_callback, observed 6.1-rxe in the lab
void Environment::Fail(AskedNeighbour neighbour) {
  const Asking now = fault_model_.AskingFor(neighbour.device, neighbour.peer);
  if (now.answered == Certainty::kYes) return;
  if (now.answered == Certainty::kMaybe) neighbour.fails.latest = kNever;
  TellTrackers(neighbour.fails, [&](const IdInfo& info) {
    return info.interface == neighbour.device &&
           facts_.DeviceOf(info.destination) == neighbour.peer;
  });
}

// The kernel destroys everything that the process had.
void Environment::Exit(uint8_t side, const Window& window) {
  for (const Components::Number number : components_.All()) {
    const std::vector<IdRef> ids = components_.IdsOf(number);
    search_.Change(number, [&](Possibility* p) {
      for (const IdRef name : ids) {
        const uint8_t at = p->Find(name);
        if (at == kNoId || facts_.id(name).side != side || p->ids[at].gone) continue;
        machine_.Destroy(p, at, window.span());
      }
      const auto of_side = [&](ChannelRef channel) { return facts_.channel(channel).side == side; };
      machine_.DestroyLeftOn(p, of_side, window.span());
    });
  }
  Forget(side);
}

void Environment::Forget(uint8_t side) {
  for (uint16_t i = 0; i < facts_.id_count(); ++i)
    if (facts_.id(IdRef{i}).side == side) facts_.id(IdRef{i}).exists = false;
  std::erase_if(facts_.ports, [&](const PortOwner& o) { return facts_.id(o.id).side == side; });
  std::erase_if(context_.waiting, [&](const WaitingCall& call) { return call.lane.side == side; });
}

// Drops everything of the kernel, without notifications. Its sent messages stay in flight.
void Environment::Crash(uint8_t kernel) {
  for (const Components::Number number : components_.All()) {
    search_.Change(number, [&](Possibility* p) {
      for (IdState& id : p->ids) {
        const uint8_t of = id.name.valid() ? facts_.id(id.name).kernel : facts_.KernelOf(id.device);
        if (of != kernel) continue;
        id.gone = id.closed = true;
        id.outstanding = id.abandoned = false;
        id.ib = IbState::kNone;
        id.iw = IwState::kNone;
        id.queue.clear();
        id.joining.clear();
      }
      p->Tidy();
    });
  }
  const Topology& topology = facts_.topology();
  for (uint8_t side = 0; side < topology.sides.size(); ++side)
    if (topology.KernelOf(side) == kernel) Forget(side);
}

}  // namespace cm::model
