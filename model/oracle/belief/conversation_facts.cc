#include "model/oracle/belief/conversation_facts.h"

#include <algorithm>

#include "model/base/check.h"

namespace cm::model {

uint16_t Payloads::Intern(const Payload& payload) {
  for (size_t i = 0; i < payloads_.size(); ++i)
    if (payloads_[i] == payload) return static_cast<uint16_t>(i);
  payloads_.push_back(payload);
  return static_cast<uint16_t>(payloads_.size() - 1);
}

uint16_t Payloads::FailureOf(uint16_t number) const {
  Payload failure = payloads_[number];
  failure.qp_num = failure.qkey = 0;
  failure.group = {};
  const auto known = std::ranges::find(payloads_, failure);
  CM_CHECK(known != payloads_.end());
  return static_cast<uint16_t>(known - payloads_.begin());
}

ConversationFacts::ConversationFacts(const Conversation& conversation, const Profile& profile)
    : work(conversation.names.ids.size(), conversation.names.regions.size()),
      topology_(conversation.topology),
      profile_(&profile),
      ids_(conversation.names.ids.size()),
      channels_(conversation.names.channels.size()),
      credits_(conversation.names.events.size()),
      memberships_(conversation.names.events.size()) {
  faults_to_come =
      static_cast<size_t>(std::ranges::count_if(conversation.lines, [](const Line& line) {
        return std::holds_alternative<line::Injects>(line);
      }));
  fail_overs.resize(topology_->devices.size());
  for (const DeviceInfo& device : topology_->devices)
    boots.resize(std::max<size_t>(boots.size(), device.kernel + 1U));
  empty_rejection = payloads.Intern({.data = PrivateData().Resized(profile.limits.reject_data)});
  empty_refusal =
      payloads.Intern({.data = PrivateData().Resized(profile.limits.datagram_reply_data)});
  MeetTester(conversation);
}

// Each message has a peer of its own as sender; peers with equal communication ids are the same.
void ConversationFacts::MeetTester(const Conversation& conversation) {
  for (uint32_t line = 0; line < conversation.lines.size(); ++line) {
    const auto* sends = std::get_if<line::Sends>(&conversation.lines[line]);
    if (sends == nullptr) continue;
    const TesterMad& mad = sends->mad;
    TesterMessage message{.line = line,
                          .mad = &mad,
                          .from_device = topology_->sides[sends->side].device,
                          .to_device = topology_->sides[mad.to].device,
                          .sender = mad.local.of};
    if (!message.sender.valid()) {
      message.sender = IdRef{static_cast<uint16_t>(ids_.size())};
      IdInfo peer{.side = sends->side};
      peer.space = mad.space;
      peer.kernel = topology_->KernelOf(sends->side);
      peer.interface = message.from_device;
      peer.bound = {.kind = AddressKind::kSide, .side = sends->side, .v6 = mad.v6};
      peer.destination = {
          .kind = AddressKind::kSide, .side = mad.to, .v6 = mad.v6, .port = mad.port};
      const uint32_t number = mad.qp.plain == 0 ? kTesterQpNumber : mad.qp.plain;
      peer.qp_key = uint64_t{number} + 1;
      peer.tester = &mad;
      ids_.push_back(peer);
      work.AddUnknown();
    }
    tester_messages.push_back(message);
  }
}

bool ConversationFacts::SameTester(IdRef a, IdRef b, bool at_one_place) const {
  if (!a.valid() || !b.valid()) return false;
  const IdInfo& one = id(a);
  const IdInfo& other = id(b);
  return one.tester != nullptr && other.tester != nullptr &&
         one.tester->local.plain == other.tester->local.plain &&
         (one.interface == other.interface || !at_one_place);
}

uint16_t IdInfo::JoinedAs(const Address& address) const {
  for (size_t i = memberships.size(); i-- > 0;)
    if (memberships[i].joined && memberships[i].address == address)
      return static_cast<uint16_t>(i + 1);
  return 0;
}

uint8_t ConversationFacts::DeviceOf(const Address& address) const {
  if (address.kind != AddressKind::kSide) return kNoDevice;
  return topology_->sides[address.side].device;
}

void ConversationFacts::LeaveJudgement(IdRef id) {
  IdInfo& info = ids_[id.index];
  info.in_scope = false;
  work.of(id).unknown = true;
  if (info.channel.valid()) channel(info.channel).unjudged = true;
  for (ChannelInfo& any : channels_) any.unjudged |= info.left_requests && any.side == info.side;
}

void ConversationFacts::Acknowledge(IdRef id) {
  --ids_[id.index].unacked;
  ++ids_[id.index].acked;
}

void ConversationFacts::ReleaseRequestOf(IdRef id) {
  IdRef& holds = ids_[id.index].holds;
  if (holds.valid()) Acknowledge(holds);
  holds = {};
}

void ConversationFacts::ReleasePortsOf(IdRef id) {
  std::erase_if(ports, [id](const PortOwner& owner) { return owner.id == id; });
}

std::vector<IdRef> ConversationFacts::OwnersAskedBy(IdRef asker) const {
  const IdInfo& info = id(asker);
  const uint8_t device = DeviceOf(info.destination);
  std::vector<IdRef> owners;
  if (device == kNoDevice) return owners;
  for (const PortOwner& owner : ports)
    if (owner.kernel == KernelOf(device) && owner.space == info.space &&
        owner.address.port == info.destination.port)
      owners.push_back(owner.id);
  return owners;
}

uint8_t ConversationFacts::LocalDevice(const Address& address, uint8_t kernel) const {
  const uint8_t device = DeviceOf(address);
  return device == kNoDevice || KernelOf(device) != kernel ? kNoDevice : device;
}

Certainty ConversationFacts::SameQpNumber(IdRef a, IdRef b) const {
  const IdInfo& one = ids_[a.index];
  const IdInfo& other = ids_[b.index];
  if (one.qp_key == other.qp_key) return Of(one.qp_key != 0);
  const bool drawn = one.qp_key >= kFirstLibraryQp && other.qp_key >= kFirstLibraryQp;
  const bool may = drawn && one.kernel == other.kernel && one.boot != other.boot;
  return may ? Certainty::kMaybe : Certainty::kNo;
}

bool ConversationFacts::MayShareQpNumber(IdRef id) const {
  const uint64_t key = ids_[id.index].qp_key;
  const bool drawn = key >= kFirstLibraryQp;
  return key != 0 && (!drawn || std::ranges::any_of(boots, [](uint32_t n) { return n > 0; }));
}

Address ConversationFacts::AddressOf(uint8_t device, const Address& towards, uint16_t port) const {
  for (uint8_t side = 0; side < topology_->sides.size(); ++side) {
    if (topology_->sides[side].device == device)
      return {.kind = AddressKind::kSide,
              .side = side,
              .v6 = towards.v6,
              .port = port,
              .nth = topology_->AnsweringNth(device, towards.nth)};
  }
  return {};
}

Address ConversationFacts::OwnedAddress(const PortOwner& owner, const IdState& id) const {
  const bool resolved = owner.address.AnyOrLoopback() && id.device != kNoDevice;
  if (!resolved) return owner.address;
  if (ids_[owner.id.index].resolves_loopback) {
    Address loopback = owner.address;
    loopback.kind = AddressKind::kLoopback;
    return loopback;
  }
  Address towards = owner.address;
  towards.nth = ids_[owner.id.index].destination.nth;
  return AddressOf(id.device, towards, owner.address.port);
}

PortSpace ConversationFacts::SpaceOf(const IdState& id) const {
  return ids_[id.origin.valid() ? id.origin.index : id.name.index].space;
}

// source: linux 6.1 multicast.c mcast_work_handler: joins of a group are handled in order, and
// without an SA query where the port is in it. For the foreign address each join creates a group.
bool ConversationFacts::SharesGroup(const IdInfo& id, uint16_t membership) const {
  const Membership& own = id.memberships[membership - 1];
  if (own.address.AnyOrLoopback()) return false;
  for (const IdInfo& other : ids_) {
    if (other.interface != id.interface || other.space != id.space) continue;
    for (const Membership& one : other.memberships)
      if (&one != &own && one.send_only == own.send_only && one.address.SameHost(own.address))
        return true;
  }
  return false;
}

Timing ConversationFacts::TimingOf(const IdState& id) const {
  Timing timing = profile_->timing;
  const IdRef asker = id.origin.valid() ? id.origin : id.name;
  if (asker.valid() && ids_[asker.index].packet_lifetime)
    timing.packet_lifetime = *ids_[asker.index].packet_lifetime;
  const IdRef peer = id.PeerName();
  if (peer.valid() && ids_[peer.index].tester != nullptr) {
    const TesterMad& tester = *ids_[peer.index].tester;
    timing.ack_delay = tester.ack_delay;
    if (id.origin.valid()) {  // from its peer's request
      timing.response_timeout = tester.response_timeout;
      timing.max_retries = tester.max_retries;
      timing.packet_lifetime = tester.ack_timeout - 1;
      timing.ack_delay = 0;
    }
  }
  if (id.mra_timeout != 0) timing.mra_service_timeout = id.mra_timeout;
  return timing;
}

Duration ConversationFacts::IntervalOf(const IdState& id) const {
  const Timing timing = TimingOf(id);
  const bool asks =
      !id.origin.valid() && id.message != Sends::kRep && id.message != Sends::kSidrReq;
  return asks ? timing.RequestInterval() : timing.ReplyInterval();
}

// A path stays when the kernel forgets the destination. source: linux 5.10 cma.c
// resolve_prepare_src, cma_resolve_iboe_route
uint8_t ConversationFacts::DeviceAskedBy(IdRef id) const {
  const IdInfo& info = ids_[id.index];
  return info.destination.kind == AddressKind::kNone ? info.path_to : DeviceOf(info.destination);
}

uint8_t ConversationFacts::PeerDeviceOf(const IdState& id) const {
  if (id.origin.valid()) return ids_[id.origin.index].interface;
  return DeviceAskedBy(id.name);
}

int64_t ConversationFacts::Turns() const {
  const size_t limit = profile_->limits.max_outstanding;
  if (limit == 0 || ids_.size() <= limit) return 1;
  return static_cast<int64_t>((ids_.size() + limit - 1) / limit);
}

uint8_t ConversationFacts::EarliestSourceOf(const IdState& id) const {
  if (id.origin.valid()) return id.source;
  const std::optional<uint32_t> since = ids_[id.name.index].source_from;
  return static_cast<uint8_t>(since.value_or(0));
}

uint8_t ConversationFacts::LatestSourceOf(const IdState& id) const {
  if (id.origin.valid()) return id.source;
  const IdInfo& info = ids_[id.name.index];
  if (info.interface == kNoDevice) return EarliestSourceOf(id);
  return static_cast<uint8_t>(std::min<uint32_t>(info.source_to, fail_overs[info.interface]));
}

// source: linux 6.1 route.c ip_route_output_key_hash_rcu: IPv4 treats a destination without a route
// as a neighbour, once the interface is known
std::optional<uint8_t> ConversationFacts::RouteTo(uint8_t kernel, uint8_t interface,
                                                  const Address& destination) const {
  const bool routed =
      destination.kind == AddressKind::kSide || destination.kind == AddressKind::kSilent;
  const bool multicast = destination.kind == AddressKind::kGroup;
  if (!routed && ((destination.v6 && !multicast) || interface == kNoDevice)) return std::nullopt;
  if (interface != kNoDevice) return interface;
  const uint8_t local = LocalDevice(destination, kernel);
  if (local != kNoDevice) return local;
  const uint8_t there = DeviceOf(destination);
  return topology_->WayOut(kernel, there == kNoDevice ? std::nullopt : std::optional(there));
}

}  // namespace cm::model
