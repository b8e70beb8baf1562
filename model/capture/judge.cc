#include "model/capture/judge.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>
#include <variant>

#include "model/capture/claims.h"
#include "model/capture/framing.h"
#include "model/capture/ip_packet.h"
#include "model/mad/icrc.h"
#include "model/mad/packet.h"
#include "model/mad/text.h"
#include "model/vocabulary/protocol.h"

namespace cm::wire {
namespace {

// After this time an exchange that is not established has no further message, unless an application
// answers late: longer than any timer of Linux up to an ACK_TIMEOUT of 28 (1184 s).
constexpr int64_t kForgottenAfter = 1'200'000'000'000;
constexpr uint64_t kSweepAtLeast = 1024;
// Sent by a node nearby.
constexpr int64_t kSoonAnswered = 1'000'000'000;

bool IsRequest(const CapturedMessage& sighting) {
  return sighting.kind() == MadKind::kReq || sighting.kind() == MadKind::kSidrReq;
}

// Messages of the passive side before the active one knows its id.
bool IntroducesItself(const CapturedMessage& sighting) {
  return sighting.kind() == MadKind::kRep || sighting.kind() == MadKind::kSidrRep ||
         IsAbout(sighting, mad::About::kReq);
}

std::string What(const CapturedMessage& sighting) {
  const Cids cids = CidsOf(sighting.mad().message);
  return fmt::format("{} from {} to {}, ids {:#010x} and {:#010x}, TID {:#x}",
                     mad::AttributeText(sighting.mad().header.attribute_id),
                     AddressText(sighting.from), AddressText(sighting.to), cids.local, cids.remote,
                     sighting.mad().header.tid);
}

std::string Ends(const Exchange& exchange) {
  std::string text = fmt::format("between {} id {:#010x} and {}", AddressText(exchange.from()),
                                 exchange.active_cid(), AddressText(exchange.to()));
  for (const uint32_t cid : exchange.PassiveCids()) text += fmt::format(" id {:#010x}", cid);
  return text;
}

}  // namespace

Judge::Judge(const JudgeOptions& manner, Sink sink, Listener listener)
    : manner_(manner),
      sink_(std::move(sink)),
      listener_(std::move(listener)),
      nodes_(manner.profiles) {}

void Judge::Take(uint64_t number, int64_t nanoseconds, std::span<const uint8_t> bytes,
                 size_t original_length, mad::LinkType link) {
  ++totals_.frames;
  if (!begin_) begin_ = nanoseconds;
  Forget(nanoseconds - *begin_);
  CapturedMessage sighting{.number = number, .nanoseconds = nanoseconds - *begin_};
  const auto packet = IpPacketIn(bytes, link);
  if (!packet) {
    ++totals_.foreign;
    return;
  }
  const auto decoded = mad::Decode(*packet, mad::LinkType::kRaw);
  if (!decoded.ok()) {
    mad::Malformed why = decoded.error();
    const bool cut = original_length > bytes.size();
    if (why.foreign || HasAnotherIpHeader(why) ||
        (!cut && EndsBeforeItsKind(why, packet->size()))) {
      ++totals_.foreign;
    } else if (cut) {
      ++totals_.cut;
      if (!manner_.whole) whole_ = false;
    } else {
      why.offset += static_cast<size_t>(packet->data() - bytes.data());
      RefuseAlone(sighting, Broken(sighting, claims::kForm, mad::ToString(why),
                                   std::string(claims::kForm.says)));
    }
    return;
  }
  sighting.frame = decoded.value();
  sighting.from = SourceOf(sighting.frame.ip);
  sighting.to = DestinationOf(sighting.frame.ip);
  if (IsOfAnotherClass(sighting.mad().header)) {
    ++totals_.foreign;
  } else if (sighting.frame.icrc.value !=
             mad::IcrcOf(packet->first(packet->size() - mad::kSize<mad::Icrc>))) {
    ++totals_.bad_icrc;
    TakeUnreadable(sighting, claims::kIcrc);
  } else if (HasWrongChecksum(sighting.frame)) {
    ++totals_.bad_checksum;
    TakeUnreadable(sighting, claims::kChecksum);
  } else {
    TakeMessage(sighting);
  }
}

void Judge::TakeUnreadable(const CapturedMessage& sighting, const Claim& claim) {
  if (manner_.strict) RefuseAlone(sighting, Broken(sighting, claim, What(sighting), "another one"));
  unknown_.insert({sighting.from, sighting.to});
  // Any outstanding message of these two nodes.
  for (Live& live : live_) {
    const bool by_active =
        live.exchange.from() == sighting.from && live.exchange.to() == sighting.to;
    const bool by_passive =
        live.exchange.to() == sighting.from && live.exchange.from() == sighting.to;
    for (Exchange* one : {&live.exchange, live.again ? &*live.again : nullptr}) {
      if (one != nullptr && by_active) one->TakeUnreadable(true);
      if (one != nullptr && by_passive) one->TakeUnreadable(false);
    }
  }
}

void Judge::TakeMessage(const CapturedMessage& sighting) {
  ++totals_.messages;
  if (listener_) listener_(sighting);
  const bool known = sighting.As<mad::Opaque>() == nullptr;
  if (known) {
    if (!whole_) whole_ = manner_.whole || (!manner_.missing && IsRequest(sighting));
    IsRequest(sighting) ? TakeRequest(sighting) : TakeAnswer(sighting);
    return;
  }
  if (auto violation = OfOtherKind(sighting)) return RefuseAlone(sighting, std::move(*violation));
  ++totals_.unread;
}

// For packets that are no message of a connection only the header is judged.
std::optional<Violation> Judge::OfOtherKind(const CapturedMessage& sighting) {
  const mad::MadHeader& header = sighting.mad().header;
  const bool info = header.attribute_id == kClassPortInfo;
  const bool path =
      header.attribute_id == mad::kSapAttribute || header.attribute_id == mad::kSprAttribute;
  const FrameFields fields(sighting.frame);
  auto breach = FirstBreach(sighting, fields, true, {}, false, mad::Constraints());
  const bool as_info = breach && (breach->rule == "mad-method" || breach->rule == "mad-status");
  if (breach && !(info && as_info)) return breach;
  const std::string saw = "attribute " + mad::AttributeText(header.attribute_id);
  if (info) {
    const bool asks = header.method == kGetMethod || header.method == kSetMethod;
    if ((asks && header.status == 0) || header.method == kGetResponseMethod) return std::nullopt;
    return Broken(sighting, claims::kClassPortInfo,
                  fmt::format("method {:#x}, status {:#x}", header.method, header.status),
                  "methods 1 and 2, or 0x81 with a status");
  }
  if (path && !nodes_.FamilyOf(sighting).is_known()) return std::nullopt;
  if (path) return Broken(sighting, claims::kNeverSent, saw, "neither");
  return Broken(sighting, claims::kKind, saw,
                "REQ, MRA, REJ, REP, RTU, DREQ, DREP, SIDR_REQ, SIDR_REP");
}

std::optional<Judge::End> Judge::Find(const mad::Gid& node, uint32_t cid) const {
  if (cid == 0) return std::nullopt;
  const auto found = ids_.find({node, cid});
  return found == ids_.end() ? std::nullopt : std::optional<End>(found->second);
}

// The exchange with such a TID, at either end.
std::optional<Judge::Place> Judge::OfTid(const CapturedMessage& sighting) const {
  for (const mad::Gid& node : {sighting.to, sighting.from}) {
    const auto found = tids_.find({node, sighting.mad().header.tid});
    if (found != tids_.end()) return found->second;
  }
  return std::nullopt;
}

void Judge::TakeRequest(const CapturedMessage& sighting) {
  const uint32_t cid = CidsOf(sighting.mad().message).local;
  if (const auto end = Find(sighting.from, cid)) {
    Exchange& exchange = end->live->exchange;
    if (exchange.begins_before() && !exchange.Said(sighting.mad(), true) &&
        exchange.IsPast(sighting.mad()))
      return Refuse(end->live, Broken(sighting, claims::kRequestOver, What(sighting),
                                      "a REQ of another TID after " + exchange.Sequence()));
    const bool same = end->active && exchange.to() == sighting.to &&
                      exchange.datagrams() == (sighting.kind() == MadKind::kSidrReq);
    if (!same || !exchange.Said(sighting.mad(), true)) {
      const mad::Mad* first = FirstOf(exchange.spoken(), sighting.kind());
      const bool other = first != nullptr && first->header.tid != sighting.mad().header.tid;
      if (exchange.MayBeGone(end->active, cid) && (other || !same)) {
        Close(end->live);
      } else if (!same) {
        return Refuse(end->live, Broken(sighting, claims::kCidInUse, What(sighting),
                                        "an id that is not used " + Ends(exchange)));
      } else {
        return Give(end->live, sighting, true);
      }
    } else {
      return Give(end->live, sighting, true);
    }
  }
  const auto tid = tids_.find({sighting.from, sighting.mad().header.tid});
  const bool used = tid != tids_.end();
  const std::string by = used ? Ends(tid->second->exchange) : "";
  const Place live = Open(sighting, sighting.from, sighting.to, cid, false);
  const bool perhaps_again = totals_.messages == 1 && *whole_ && !manner_.whole;
  if (perhaps_again && !live->exchange.datagrams())
    live->again.emplace(JudgeOptions{.unsent = manner_.unsent}, sighting.from, sighting.to, cid,
                        true, false);
  if (used)
    return Refuse(live, Broken(sighting, claims::kTid, What(sighting), "not the TID used " + by));
  Give(live, sighting, true);
}

// Whether it belongs to that exchange, of which only one id is known.
bool Judge::TakesPart(const CapturedMessage& sighting, Place live, bool active) {
  const Exchange& exchange = live->exchange;
  const bool alone = exchange.PassiveCids().empty();
  if (active) return CidsOf(sighting.mad().message).remote == 0 || alone;
  if (sighting.kind() == MadKind::kSidrRep) return exchange.datagrams();
  if (exchange.datagrams()) return false;
  if (IntroducesItself(sighting)) return true;
  return alone && (exchange.begins_before() || exchange.is_disturbed() || manner_.missing);
}

void Judge::TakeAnswer(const CapturedMessage& sighting) {
  const Cids cids = CidsOf(sighting.mad().message);
  const auto local = ByNobody(sighting) ? std::nullopt : Find(sighting.from, cids.local);
  const auto remote = Find(sighting.to, cids.remote);
  const auto refuse = [&](Place live) {
    Refuse(live,
           Broken(sighting, claims::kPeers, What(sighting), "what goes " + Ends(live->exchange)));
  };
  if (local && remote) {
    if (local->live == remote->live && local->active != remote->active)
      return Give(local->live, sighting, local->active);
    return refuse(remote->live);
  }
  if (remote) {
    if (remote->active && remote->live->exchange.to() == sighting.from &&
        TakesPart(sighting, remote->live, false))
      return Give(remote->live, sighting, false);
    return refuse(remote->live);
  }
  if (local) {
    if (local->active && local->live->exchange.to() == sighting.to && !IntroducesItself(sighting) &&
        TakesPart(sighting, local->live, true))
      return Give(local->live, sighting, true);
    return refuse(local->live);
  }
  const auto wrong_local = Find(sighting.to, cids.local);
  const auto wrong_remote = Find(sighting.from, cids.remote);
  if (wrong_local && wrong_remote) return refuse(wrong_local->live);
  if (const auto live = OfTid(sighting)) return refuse(*live);
  if (wrong_local && cids.remote == 0) return refuse(wrong_local->live);
  if (wrong_remote && cids.local == 0) return refuse(wrong_remote->live);
  // A queued REQ may be cancelled unsent. source: linux 7.2 mad.c, cm.c cm_destroy_id
  const auto* rej = sighting.As<mad::Rej>();
  const bool unsaid = rej != nullptr && rej->reason == RejReason::kTimeout &&
                      nodes_.FamilyOf(sighting).waits_in_line();
  if (*whole_ && !unsaid && !unknown_.contains({sighting.from, sighting.to}))
    return RefuseAlone(sighting, Broken(sighting, claims::kKnown, What(sighting),
                                        "an answer to a REQ of this capture; of one with gaps "
                                        "(--incomplete) also to others"));
  const bool from_passive = IntroducesItself(sighting);
  const Place live = from_passive ? Open(sighting, sighting.to, sighting.from, cids.remote, true)
                                  : Open(sighting, sighting.from, sighting.to, cids.local, true);
  Give(live, sighting, !from_passive);
}

// Checks of a message beyond those of its own exchange.
std::optional<Violation> Judge::OfAll(const CapturedMessage& sighting, Place live) {
  const auto* req = sighting.As<mad::Req>();
  const auto* rep = sighting.As<mad::Rep>();
  if (req != nullptr || rep != nullptr) {
    const uint64_t guid = req != nullptr ? req->local_ca_guid : rep->local_ca_guid;
    if (const auto other = nodes_.OtherGuid(sighting.from, guid))
      return Broken(sighting, claims::kGuid, fmt::format("{:#x}", guid),
                    fmt::format("{:#x}", *other));
  }
  if (auto stale = TakesStale(sighting, live)) return stale;
  const auto* rej = sighting.As<mad::Rej>();
  if (rej != nullptr && rej->reason == RejReason::kStaleConn && *whole_ && !manner_.missing &&
      IsAbout(sighting, mad::About::kReq) && !IsStale(live->exchange) && unknown_.empty())
    return Broken(sighting, claims::kRejStaleOf, "a queue pair that no connection has",
                  "reason 10 after a connection with the same queue pair");
  return std::nullopt;
}

// The queue pair that the message accepts. XRC has numbers of its own.
std::optional<Judge::QueuePair> Judge::AcceptedBy(const CapturedMessage& sighting,
                                                  const Exchange& exchange) {
  const auto* req = FirstOf<mad::Req>(exchange.spoken());
  const mad::Mad* accepted = exchange.AcceptedBy(sighting);
  if (req == nullptr || accepted == nullptr ||
      req->transport_service_type == mad::TransportServiceType::kExtended)
    return std::nullopt;
  if (const auto* rep = std::get_if<mad::Rep>(&accepted->message))
    return QueuePair{sighting.from, rep->local_ca_guid, rep->local_qpn};
  return QueuePair{sighting.from, req->local_ca_guid, req->local_qpn};
}

// A queue pair is accepted although another connection with it is established.
std::optional<Violation> Judge::TakesStale(const CapturedMessage& sighting, Place live) {
  // A repeated reply accepts nothing anew, though its id may have left the kernel's tables.
  const mad::Mad& said = sighting.mad();
  const bool again = live->exchange.Said(said, false) || live->exchange.Said(said, true);
  if (manner_.missing || again) return std::nullopt;
  const auto key = AcceptedBy(sighting, live->exchange);
  if (!key) return std::nullopt;
  for (auto had = queue_pairs_.lower_bound(*key);
       had != queue_pairs_.end() && had->first == *key;) {
    const End other = had->second;
    if (other.live == live) {
      ++had;
    } else if (other.live->verdict.violation ||
               !other.live->exchange.IsConnected(other.active)) {  // or nothing is known of it
      had = queue_pairs_.erase(had);
    } else {
      return Broken(sighting, claims::kStale,
                    fmt::format("queue pair {:#x} of CA {:#x}", key->qpn, key->guid),
                    "reason 10: it is connected " + Ends(other.live->exchange));
    }
  }
  return std::nullopt;
}

bool Judge::IsStale(const Exchange& refused) const {
  const auto* req = FirstOf<mad::Req>(refused.spoken());
  if (req == nullptr) return false;
  return std::any_of(live_.begin(), live_.end(), [&](const Live& live) {
    const Exchange& other = live.exchange;
    if (&other == &refused) return false;
    for (const Spoken& spoken : other.spoken()) {
      if (const auto* had = std::get_if<mad::Req>(&spoken.mad.message);
          had != nullptr && had->local_qpn == req->local_qpn &&
          had->local_ca_guid == req->local_ca_guid)
        return true;
      if (const auto* had = std::get_if<mad::Rep>(&spoken.mad.message);
          had != nullptr && had->local_qpn == req->local_qpn &&
          had->local_ca_guid == req->local_ca_guid)
        return true;
    }
    return false;
  });
}

Judge::Place Judge::Open(const CapturedMessage& sighting, const mad::Gid& active,
                         const mad::Gid& passive, uint32_t active_cid, bool begins_before) {
  ++totals_.exchanges;
  if (begins_before) ++totals_.begin_before;
  const bool datagrams =
      sighting.kind() == MadKind::kSidrReq || sighting.kind() == MadKind::kSidrRep;
  Verdict verdict{.number = sighting.number,
                  .nanoseconds = sighting.nanoseconds,
                  .active = active,
                  .passive = passive,
                  .active_cid = active_cid,
                  .begins_before = begins_before};
  live_.push_back({std::move(verdict),
                   Exchange(manner_, active, passive, active_cid, begins_before, datagrams),
                   {}});
  const Place live = std::prev(live_.end());
  Index(live, active, active_cid, true);
  for (const mad::Gid& node : {active, passive}) nodes_.Enter(node);
  return live;
}

void Judge::Index(Place live, const mad::Gid& node, uint64_t number, bool active) {
  if (number != 0) ids_.try_emplace({node, number}, End{live, active});
}

void Judge::Give(Place live, const CapturedMessage& sighting, bool active) {
  if (live->verdict.violation) return;
  auto violation = OfAll(sighting, live);
  const SenderFingerprint& sender = nodes_.FamilyOf(sighting);
  if (!violation) violation = live->exchange.Take(sighting, active, sender);
  if (live->again) {
    if (live->again->Take(sighting, active, sender))
      live->again.reset();
    else if (violation && IsShownToBeRepeated(sighting, live, *violation))
      BeginBefore(live), violation.reset();
  }
  if (violation) return Refuse(live, std::move(*violation));
  for (const uint32_t cid : live->exchange.PassiveCids())
    Index(live, live->exchange.to(), cid, false);
  // Where messages may be missing, these are not read.
  if (const auto key = manner_.missing ? std::nullopt : AcceptedBy(sighting, live->exchange);
      key && std::count(live->queue_pairs.begin(), live->queue_pairs.end(), *key) == 0) {
    queue_pairs_.emplace(*key, End{live, active});
    live->queue_pairs.push_back(*key);
  }
  if (!IsRequest(sighting) && sighting.kind() != MadKind::kDreq) return;
  const uint64_t tid = sighting.mad().header.tid;
  if (tids_.try_emplace({sighting.from, tid}, live).second) live->tids.push_back(tid);
}

// An MRA answers a retransmitted REQ; another id may answer as well, once the first one no longer
// retransmits its REP. An RTU to a REP from before the capture is late: otherwise the REQ would not
// have been retransmitted.
bool Judge::IsShownToBeRepeated(const CapturedMessage& sighting, Place live,
                                const Violation& violation) const {
  if (violation.rule == claims::kOneId.id)
    return live->exchange.GaveUpItsReply(sighting.nanoseconds);
  if (live->exchange.spoken().size() != 1 || live->exchange.requests() != 1) return false;
  if (sighting.kind() == MadKind::kMra) return IsAbout(sighting, mad::About::kReq);
  return sighting.kind() == MadKind::kRtu &&
         sighting.nanoseconds - live->verdict.nanoseconds > kSoonAnswered;
}

void Judge::BeginBefore(Place live) {
  live->exchange = std::move(*live->again);
  live->again.reset();
  live->verdict.begins_before = true;
  ++totals_.begin_before;
  whole_ = false;
}

void Judge::Refuse(Place live, Violation violation) {
  if (live->verdict.violation) return;
  ++totals_.violations;
  live->verdict.violation = std::move(violation);
}

void Judge::RefuseAlone(const CapturedMessage& sighting, Violation violation) {
  ++totals_.violations;
  sink_({.number = sighting.number,
         .nanoseconds = sighting.nanoseconds,
         .active = sighting.from,
         .passive = sighting.to,
         .sequence = sighting.from == mad::Gid{}
                         ? ""
                         : mad::AttributeText(sighting.mad().header.attribute_id),
         .violation = std::move(violation)});
}

void Judge::Unindex(Place live) {
  const Exchange& exchange = live->exchange;
  const auto drop = [&](const mad::Gid& node, uint32_t cid) {
    const auto found = ids_.find({node, cid});
    if (found != ids_.end() && found->second.live == live) ids_.erase(found);
  };
  drop(exchange.from(), exchange.active_cid());
  for (const uint32_t cid : exchange.PassiveCids()) drop(exchange.to(), cid);
  for (const QueuePair& key : live->queue_pairs) {
    for (auto had = queue_pairs_.lower_bound(key); had != queue_pairs_.end() && had->first == key;)
      had = had->second.live == live ? queue_pairs_.erase(had) : std::next(had);
  }
  for (const mad::Gid& node : {exchange.from(), exchange.to()}) {
    for (const uint64_t tid : live->tids) {
      const auto found = tids_.find({node, tid});
      if (found != tids_.end() && found->second == live) tids_.erase(found);
    }
    nodes_.Leave(node);
  }
}

Judge::Place Judge::Close(Place live) {
  Unindex(live);
  live->verdict.passive_cids = live->exchange.PassiveCids();
  live->verdict.sequence = live->exchange.Sequence();
  sink_(live->verdict);
  return live_.erase(live);
}

void Judge::Forget(int64_t now) {
  if (++since_sweep_ < std::max<uint64_t>(kSweepAtLeast, live_.size())) return;
  since_sweep_ = 0;
  for (auto live = live_.begin(); live != live_.end();) {
    const bool quiet = now - live->exchange.last() > kForgottenAfter;
    const bool over = live->verdict.violation || !live->exchange.Stands();
    if (!quiet || !over) {
      ++live;
      continue;
    }
    // Its applications may still answer; nothing will be known of what they answer.
    if (live->verdict.violation || !live->exchange.IsAnswered()) {
      unknown_.insert({live->exchange.from(), live->exchange.to()});
      unknown_.insert({live->exchange.to(), live->exchange.from()});
    }
    live = Close(live);
  }
}

void Judge::Finish() {
  for (auto live = live_.begin(); live != live_.end();) live = Close(live);
}

}  // namespace cm::wire
