// Messages that the tester makes by hand: whom they may reach.
#include <algorithm>
#include <array>
#include <optional>
#include <utility>

#include "model/oracle/judge/environment.h"
#include "model/oracle/machine/arrivals.h"

namespace cm::model {
namespace {

// What the message is while it is under way.
Sends SendsOf(const TesterMad& mad) {
  if (mad.kind == MadKind::kRej) return Sends::kRejOther;
  if (mad.kind == MadKind::kSidrRep)
    return mad.status == SidrStatus::kSuccess ? Sends::kSidrRep : Sends::kSidrRefusal;
  return OnlySendsOf(mad.kind).value_or(Sends::kLap);
}

MadGuard GuardOf(const TesterMad& mad, bool over_infiniband) {
  const bool other = mad.kind == MadKind::kOther;
  const bool asks = mad.method == kGetMethod || mad.method == kSetMethod;
  const bool of_paths = mad.kind == MadKind::kLap || mad.kind == MadKind::kApr;
  if (mad.base_version != kMadBaseVersion) return MadGuard::kBaseVersion;
  if (other && mad.attribute == kClassPortInfo && asks) return MadGuard::kAsksClass;
  if (mad.method != kSendMethod) return MadGuard::kMethod;
  if (mad.class_version != kCmClassVersion) return MadGuard::kClassVersion;
  if (other) return MadGuard::kAttribute;
  return of_paths && !over_infiniband ? MadGuard::kLapOverRoce : MadGuard::kFine;
}

ConnFields Swapped(ConnFields conn) {
  std::swap(conn.responder_resources, conn.initiator_depth);
  return conn;
}

// How much private data an event shows of a message of the tester; of others there is no event.
struct Room {
  MadKind kind;
  uint8_t Limits::*data;
};
constexpr auto kRooms = std::to_array<Room>({{MadKind::kReq, &Limits::request_data},
                                             {MadKind::kRep, &Limits::reply_data},
                                             {MadKind::kRej, &Limits::reject_data},
                                             {MadKind::kSidrReq, &Limits::datagram_request_data},
                                             {MadKind::kSidrRep, &Limits::datagram_reply_data}});

// What the application gets to see of a tester's message; null for one that no event reports.
std::optional<Payload> TesterPayload(const TesterMad& mad, const Limits& limits) {
  const auto* const room = std::ranges::find(kRooms, mad.kind, &Room::kind);
  if (room == kRooms.end()) return std::nullopt;
  Payload payload{.data = mad.data.Resized(limits.*room->data)};
  const bool connects = mad.kind == MadKind::kReq || mad.kind == MadKind::kRep;
  const bool serves = mad.kind == MadKind::kSidrRep && mad.status == SidrStatus::kSuccess &&
                      mad.qkey == kDatagramQkey;
  if (connects) payload.conn = Swapped(mad.conn);
  if (mad.kind == MadKind::kRep) payload.conn.retry_count = 0;
  if (serves) payload.qkey = mad.qkey;
  if (connects || serves) payload.qp_num = mad.qp.plain == 0 ? kTesterQpNumber : mad.qp.plain;
  return payload;
}

// It begins a conversation of its own, with an id that the tester cannot have.
bool BeginsForAnother(const TesterMad& mad) {
  return mad.local.of.valid() && (mad.kind == MadKind::kReq || mad.kind == MadKind::kRep ||
                                  mad.kind == MadKind::kSidrReq || FindsByGuid(mad));
}

}  // namespace

// Whom the message may reach, or whose numbers tell whether it is taken: one id of each component.
std::vector<IdRef> Environment::ConcernedBy(const TesterMessage& message) const {
  const TesterMad& mad = *message.mad;
  const bool begins = mad.kind == MadKind::kReq || mad.kind == MadKind::kSidrReq;
  const bool by_peer = begins || mad.kind == MadKind::kRep || FindsByGuid(mad);
  std::vector<IdRef> concerned;
  const IdRef to = mad.remote.of;
  if (to.valid() && !begins && facts_.id(to).exists) concerned.push_back(to);
  if (begins)
    for (const PortOwner& owner : facts_.ports)
      if (owner.kernel == facts_.KernelOf(message.to_device) && owner.space == mad.space &&
          owner.address.port == mad.port)
        concerned.push_back(owner.id);
  if (!by_peer || (concerned.empty() && mad.kind == MadKind::kRep)) return concerned;
  const uint64_t key = facts_.id(message.sender).qp_key;
  const std::vector<IdRef> met = components_.WhereMayBe([&](const Possibility& p) {
    return std::ranges::any_of(p.ids, [&](const IdState& id) {
      const IdRef peer = id.PeerName();
      const bool same_qp =
          peer.valid() && facts_.id(peer).qp_key == key && (begins || mad.kind == MadKind::kRep);
      return peer.valid() && (same_qp || facts_.SameAsker(peer, message.sender));
    });
  });
  concerned.insert(concerned.end(), met.begin(), met.end());
  return concerned;
}

Flight Environment::FlightOf(uint16_t number, Span when) const {
  const TesterMessage& message = facts_.tester_messages[number];
  const TesterMad& mad = *message.mad;
  const std::optional<Payload> payload = TesterPayload(mad, profile_.limits);
  const bool answers_sidr = mad.kind == MadKind::kSidrRep;
  return {.kind = SendsOf(mad),
          .from_device = message.from_device,
          .to_device = message.to_device,
          .reason = static_cast<uint16_t>(answers_sidr ? static_cast<uint16_t>(mad.status)
                                                       : static_cast<uint16_t>(mad.reason)),
          .sender = message.sender,
          .payload = payload ? facts_.payloads.Intern(*payload) : kNoPayload,
          .tester = number,
          .since = when};
}

Verdict Environment::SendByTester(uint32_t line, Span when) {
  Verdict verdict;
  const auto number =
      static_cast<uint16_t>(std::ranges::find(facts_.tester_messages, line, &TesterMessage::line) -
                            facts_.tester_messages.begin());
  const TesterMessage message = facts_.tester_messages[number];
  const TesterMad& mad = *message.mad;
  const MadGuard guard = GuardOf(mad, machine_.over_infiniband());
  const auto mad_rule = std::ranges::find(rules::kMads, guard, &MadRule::when);
  if (!fault_model_.disturbed()) verdict.certain.set(NumberOf(&*mad_rule));
  if (mad_rule->outcome != MadOutcome::kTaken) return verdict;
  if (mad.unresolvable && (mad.kind == MadKind::kReq || mad.kind == MadKind::kSidrReq))
    fault_model_.Occupy(message.to_device, when.latest);
  const std::vector<IdRef> concerned = ConcernedBy(message);
  const bool judged =
      std::ranges::all_of(concerned, [this](IdRef id) { return facts_.id(id).in_scope; });
  if (!judged || BeginsForAnother(mad)) {
    for (const IdRef id : concerned) components_.MarkOutOfScope(id);
    return verdict;
  }
  const Flight flight = FlightOf(number, when);
  if (concerned.empty()) {
    Possibility empty;
    machine_.ArriveFromTester(&empty, flight, kNoId, when);
    if (!fault_model_.disturbed()) verdict.certain |= empty.used;
    return verdict;
  }
  for (const IdRef other : concerned) components_.Merge(concerned.front(), other);
  search_.Change(components_.NumberOf(concerned.front()), [&](Possibility* p) { p->Send(flight); });
  return verdict;
}

}  // namespace cm::model
