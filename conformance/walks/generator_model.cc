#include "conformance/walks/generator_model.h"

#include <algorithm>

namespace cm {

const std::vector<ExpectedEvent>& GeneratorModel::waiting(ChannelRef channel) const {
  static const std::vector<ExpectedEvent> nothing;
  return channel.index < waiting_.size() ? waiting_[channel.index] : nothing;
}

ExpectedId& GeneratorModel::At(IdRef ref) {
  if (ref.index >= ids_.size()) ids_.resize(std::max<size_t>(ref.index + 1, names_->ids.size()));
  return ids_[ref.index];
}

void GeneratorModel::Expect(ChannelRef channel, ExpectedEvent event) {
  if (!channel.valid()) return;  // synchronous: the application does not fetch from its channel
  if (channel.index >= waiting_.size()) waiting_.resize(channel.index + 1);
  waiting_[channel.index].push_back(event);
}

void GeneratorModel::Gone(IdRef id) {
  At(id).phase = Phase::kNone;
  for (auto& events : waiting_)
    std::erase_if(events, [id](const ExpectedEvent& e) { return e.id == id; });
}

// The request reaches the first listener that fits, or is rejected.
void GeneratorModel::Connects(IdRef id) {
  ExpectedId& own = At(id);
  own.phase = Phase::kRequesting;
  if (dropping_) return;
  const uint8_t other = static_cast<uint8_t>(1 - own.side);
  for (uint16_t i = 0; i < ids_.size(); ++i) {
    ExpectedId& listener = ids_[i];
    const bool fits = listener.phase == Phase::kListening && listener.port == own.port &&
                      (listener.side == other || listener.wildcard);
    if (!fits) continue;
    if (listener.backlog <= 0) return;
    --listener.backlog;
    return Expect(listener.channel,
                  {.type = EventType::kConnectRequest, .id = IdRef{i}, .asker = id});
  }
  own.phase = Phase::kDead;
  Expect(own.channel, {.type = EventType::kRejected, .id = id});
}

// The active side is established, and its RTU establishes the passive one.
void GeneratorModel::Establishes(IdRef active) {
  At(active).phase = Phase::kEstablished;
  const IdRef peer = At(active).peer;
  if (!peer.valid() || At(peer).phase != Phase::kAccepted) return;
  At(peer).phase = Phase::kEstablished;
  Expect(At(peer).channel, {.type = EventType::kEstablished, .id = peer});
}

// One end of a connection is over; the events of the other end.
void GeneratorModel::Ends(IdRef id, bool destroyed) {
  ExpectedId& own = At(id);
  const IdRef peer = own.peer;
  const Phase was = own.phase;
  const bool established = was == Phase::kEstablished;
  if (was == Phase::kDisconnected && !destroyed) {
    own.phase = Phase::kDead;
    Expect(own.channel, {.type = EventType::kTimewaitExit, .id = id});
  } else if (established && !destroyed) {
    own.phase = Phase::kDisconnecting;
  }
  if (!peer.valid() || dropping_) return;
  ExpectedId& other = At(peer);
  if (established && other.phase == Phase::kEstablished) {
    other.phase = Phase::kDisconnected;
    Expect(other.channel, {.type = EventType::kDisconnected, .id = peer});
  } else if (was == Phase::kDisconnected && other.phase == Phase::kDisconnecting) {
    other.phase = Phase::kDead;
    Expect(other.channel, {.type = EventType::kDisconnected, .id = peer});
    Expect(other.channel, {.type = EventType::kTimewaitExit, .id = peer});
  } else if (destroyed &&
             (was == Phase::kPending || was == Phase::kAccepted || was == Phase::kReplied) &&
             other.phase != Phase::kNone) {
    other.phase = Phase::kDead;
    Expect(other.channel, {.type = EventType::kRejected, .id = peer});
  }
}

void GeneratorModel::Fetches(Lane lane, const call::GetCmEvent& get) {
  if (get.channel.index >= waiting_.size() || waiting_[get.channel.index].empty()) return;
  const ExpectedEvent event = waiting_[get.channel.index].front();
  waiting_[get.channel.index].erase(waiting_[get.channel.index].begin());
  held_.emplace_back(get.event, event.id);
  ExpectedId& own = At(event.id);
  if (event.type == EventType::kAddrResolved) own.device_known = true;
  if (event.type == EventType::kConnectRequest) {
    ++own.backlog;
    const uint16_t port = own.port;
    At(get.request) = {.phase = Phase::kPending,
                       .side = lane.side,
                       .channel = get.channel,
                       .peer = event.asker,
                       .device_known = true,
                       .ever = true,
                       .port = port};
    At(event.asker).peer = get.request;
  }
  if (event.type == EventType::kConnectResponse && own.has_qp) Establishes(event.id);
}

void GeneratorModel::Calls(Lane lane, const Call& call) {
  if (const auto* create = std::get_if<call::CreateId>(&call)) {
    At(create->id) = {
        .phase = Phase::kCreated, .side = lane.side, .channel = create->channel, .ever = true};
    return;
  }
  if (const auto* get = std::get_if<call::GetCmEvent>(&call)) return Fetches(lane, *get);
  if (const auto* ack = std::get_if<call::AckCmEvent>(&call)) {
    std::erase_if(held_, [&](const auto& h) { return h.first == ack->event; });
    return;
  }
  if (const auto* destroy = std::get_if<call::DestroyEventChannel>(&call)) {
    for (uint16_t i = 0; i < ids_.size(); ++i)
      if (ids_[i].channel == destroy->channel && ids_[i].phase != Phase::kNone) {
        Ends(IdRef{i}, true);
        Gone(IdRef{i});
      }
    return;
  }
  if (const IdRef id = IdOf(call); id.valid()) CallsOn(id, call);
}

void GeneratorModel::CallsOn(IdRef id, const Call& call) {
  ExpectedId& own = At(id);
  if (const auto* bind = std::get_if<call::BindAddr>(&call)) {
    if (own.phase != Phase::kCreated) return;
    own.phase = Phase::kBound;
    own.port = bind->address.port;
    own.v6 = bind->address.v6;
    own.wildcard = bind->address.AnyOrLoopback();
    own.device_known = bind->address.kind == AddressKind::kSide;
  } else if (const auto* listen = std::get_if<call::Listen>(&call)) {
    if (own.phase != Phase::kCreated && own.phase != Phase::kBound) return;
    own.wildcard |= own.phase == Phase::kCreated;
    own.phase = Phase::kListening;
    own.backlog = listen->backlog <= 0 ? 1024 : listen->backlog;
  } else if (const auto* resolve = std::get_if<call::ResolveAddr>(&call)) {
    if (own.phase != Phase::kCreated && own.phase != Phase::kBound) return;
    own.phase = Phase::kAddrQuery;
    own.port = resolve->destination.port;
    if (resolve->destination.kind != AddressKind::kSide) return;
    own.phase = Phase::kAddrResolved;
    Expect(own.channel, {.type = EventType::kAddrResolved, .id = id});
  } else if (std::holds_alternative<call::ResolveRoute>(call)) {
    if (own.phase != Phase::kAddrResolved) return;
    own.phase = Phase::kRouteResolved;
    Expect(own.channel, {.type = EventType::kRouteResolved, .id = id});
  } else {
    Negotiates(id, call);
  }
}

// Queue pairs and everything from rdma_connect on.
void GeneratorModel::Negotiates(IdRef id, const Call& call) {
  ExpectedId& own = At(id);
  if (QpAskedBy(call)) {
    own.has_qp = own.device_known;
  } else if (std::holds_alternative<call::DestroyQp>(call)) {
    own.has_qp = false;
  } else if (std::holds_alternative<call::Connect>(call)) {
    if (own.phase == Phase::kRouteResolved) Connects(id);
  } else if (std::holds_alternative<call::Accept>(call)) {
    if (own.phase != Phase::kPending) return;
    own.phase = Phase::kAccepted;
    if (!own.peer.valid() || At(own.peer).phase != Phase::kRequesting) return;
    At(own.peer).phase = Phase::kReplied;
    Expect(At(own.peer).channel, {.type = EventType::kConnectResponse, .id = own.peer});
  } else if (std::holds_alternative<call::Reject>(call)) {
    const Phase was = own.phase;
    if (was != Phase::kPending && was != Phase::kAccepted && was != Phase::kReplied) return;
    Ends(id, true);
    At(id).phase = Phase::kDead;
  } else if (std::holds_alternative<call::Establish>(call)) {
    if (own.phase == Phase::kReplied) Establishes(id);
  } else if (std::holds_alternative<call::Disconnect>(call)) {
    Ends(id, false);
  } else if (std::holds_alternative<call::DestroyId>(call)) {
    Ends(id, true);
    Gone(id);
  }
}

void GeneratorModel::Injects(const Fault& fault) {
  ++faults_;
  if (fault.OnPackets() && fault.Loses()) dropping_ = true;
  const bool exits = fault.kind == FaultKind::kExit || fault.kind == FaultKind::kCrash;
  const bool removes = fault.kind == FaultKind::kRemoveDevice;
  if (removes || fault.kind == FaultKind::kAddDevice) gone_[fault.side] = removes;
  if (!removes && !exits) return;
  for (uint16_t i = 0; i < ids_.size(); ++i) {
    ExpectedId& id = ids_[i];
    if (id.side != fault.side || id.phase == Phase::kNone) continue;
    if (exits) {
      Ends(IdRef{i}, true);
      Gone(IdRef{i});
    } else if (id.device_known) {
      Ends(IdRef{i}, true);
      ids_[i].phase = Phase::kRemoved;
      Expect(ids_[i].channel, {.type = EventType::kDeviceRemoval, .id = IdRef{i}});
    }
  }
}

void GeneratorModel::Heals() {
  dropping_ = false;
  faults_ = 0;
}

}  // namespace cm
