// Multicast groups.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <iterator>
#include <vector>

#include "conformance/properties/facts.h"
#include "conformance/properties/family.h"
#include "conformance/properties/registry.h"
#include "model/conversation/print.h"

namespace cm::families {
namespace {

// A membership: the result of a successful join.
struct Membership {
  const MadeCall* join = nullptr;
  Address address;
  uint16_t context = 0;
  bool synchronous = false;  // the join was a call that fetches an event
  const HeardEvent* heard = nullptr;
  const MadeCall* left = nullptr;
};

// The group in the event of the join: a loopback address has none, nor does a wildcard.
Address GroupOf(const Address& joined) {
  if (joined.AnyOrLoopback()) return {.kind = AddressKind::kAny, .v6 = true};
  return joined.WithPort(0);
}

// All joins and leaves of one id, and their events, in order.
struct Story {
  std::vector<Membership> memberships;    // in the order of the joins
  std::vector<const HeardEvent*> strays;  // events without a membership
  std::vector<const MadeCall*> vain;      // leaves without a membership
};

bool IsOfMembership(const HeardEvent& heard) {
  return heard.event.type == EventType::kMulticastJoin ||
         heard.event.type == EventType::kMulticastError;
}

bool IsJoin(const MadeCall& call) {
  return call.kind() == CallKind::kJoinMulticast || call.kind() == CallKind::kJoinMulticastEx;
}

Membership MadeBy(const MadeCall& call) {
  if (const auto* join = std::get_if<call::JoinMulticast>(call.call))
    return {.join = &call, .address = join->address, .context = join->context};
  const auto& join = std::get<call::JoinMulticastEx>(*call.call);
  return {.join = &call, .address = join.address, .context = join.context};
}

// The newest one that lasts.
Membership* Lasting(Story& story, const Address& address) {
  for (size_t i = story.memberships.size(); i-- > 0;) {
    Membership& one = story.memberships[i];
    if (one.left == nullptr && one.address == address) return &one;
  }
  return nullptr;
}

// A leave that was refused because the device is gone has dropped the membership all the same.
bool Leaves(const MadeCall& call) {
  return call.reply.succeeded() || call.reply.kind == ReplyKind::kBlocked ||
         call.Refused(Errno::kNxIo);
}

void Tell(Story& story, const MadeCall& call, bool synchronous) {
  if (IsJoin(call) && call.reply.succeeded()) {
    story.memberships.push_back(MadeBy(call));
    story.memberships.back().synchronous = synchronous;
  }
  const auto* leave = std::get_if<call::LeaveMulticast>(call.call);
  if (leave == nullptr) return;
  Membership* const left = Lasting(story, leave->address);
  if (left == nullptr)
    story.vain.push_back(&call);
  else if (Leaves(call))
    left->left = &call;
}

bool Names(const HeardEvent& heard, const Membership& one) {
  return heard.event.context == one.context && (heard.event.type != EventType::kMulticastJoin ||
                                                heard.event.group == GroupOf(one.address));
}

// Gives the event to the first membership that fits and has none; false if there is none.
template <typename Fits>
bool Reports(Story& story, const HeardEvent& heard, Fits fits) {
  for (Membership& one : story.memberships) {
    if (one.heard != nullptr || one.left != nullptr || !fits(one)) continue;
    one.heard = &heard;
    return true;
  }
  return false;
}

// Over InfiniBand each join is an SA query, and the first query need not be the first that is
// answered. A join that was made while the id was synchronous has fetched an event, which is its
// own unless another one was unread.
void Tell(Story& story, const HeardEvent& heard, bool asked) {
  const auto any = [](const Membership& /*one*/) { return true; };
  const auto asynchronous = [](const Membership& one) { return !one.synchronous; };
  const auto named = [&](const Membership& one) { return Names(heard, one); };
  const auto both = [&](const Membership& one) { return asynchronous(one) && named(one); };
  const bool by_name = asked || std::ranges::any_of(story.memberships, &Membership::synchronous);
  if (by_name && (Reports(story, heard, both) || Reports(story, heard, named))) return;
  if (Reports(story, heard, asynchronous) || Reports(story, heard, any)) return;
  story.strays.push_back(&heard);
}

Story StoryOf(const HistoryIndex& index, IdRef id) {
  Story story;
  const bool asked = index.profile().transport == Transport::kInfiniband;
  const std::vector<const HeardEvent*> events = index.EventsOf(id);
  auto event = events.begin();
  const auto hear_until = [&](size_t record) {
    for (; event != events.end() && (*event)->at < record; ++event)
      if (IsOfMembership(**event)) Tell(story, **event, asked);
  };
  for (const MadeCall* call : index.CallsOn(id)) {
    hear_until(call->at);
    Tell(story, *call, !index[id].ChannelAt(call->at).valid());
  }
  hear_until(index.history().records.size());
  return story;
}

bool HasStory(const HistoryIndex& index, IdRef id) {
  const auto tells = [](const MadeCall* call) {
    return IsJoin(*call) || call->kind() == CallKind::kLeaveMulticast;
  };
  return std::ranges::any_of(index.CallsOn(id), tells) ||
         std::ranges::any_of(index.heard(), [id](const HeardEvent& heard) {
           return heard.event.id == id && IsOfMembership(heard);
         });
}

template <typename Each>
void ForEachStory(const HistoryIndex& index, Each each) {
  for (uint16_t i = 0; i < index.id_count(); ++i)
    if (index[IdRef{i}].exists && HasStory(index, IdRef{i}))
      each(IdRef{i}, StoryOf(index, IdRef{i}));
}

void EachIsReportedOnce(const HistoryIndex& index, PropertyResult& result) {
  ForEachStory(index, [&](IdRef, const Story& story) {
    for (const Membership& one : story.memberships)
      if (one.heard != nullptr) result.Arose();
    for (const HeardEvent* stray : story.strays)
      result.Violated(stray->at, Heard(index, *stray),
                      "no such event: every group that the id is in was reported, or left");
  });
}

void ReportsSayWhich(const HistoryIndex& index, PropertyResult& result) {
  ForEachStory(index, [&](IdRef, const Story& story) {
    for (const Membership& one : story.memberships) {
      if (one.heard == nullptr) continue;
      result.Arose();
      const CmEvent& event = one.heard->event;
      const auto violated = [&](const std::string& saw, const std::string& permitted) {
        result.Violated(one.heard->at, Heard(index, *one.heard) + " " + saw, permitted);
      };
      if (event.context != one.context)
        violated(fmt::format("context={}", event.context),
                 fmt::format("context={}, as the join was given", one.context));
      if (event.type != EventType::kMulticastJoin) continue;
      const uint32_t qkey = QkeyOf(index, event.id);
      if (event.qp_num != kMulticastQpNumber || event.qkey != qkey)
        violated(fmt::format("qp_num={} qkey={:#010x}", event.qp_num, event.qkey),
                 fmt::format("qp_num={} qkey={:#010x}", kMulticastQpNumber, qkey));
      const Address group = GroupOf(one.address);
      if (event.group != group)
        violated("group=" + ToString(event.group, index.topology()),
                 "group=" + ToString(group, index.topology()));
    }
  });
}

void EachIsReported(const HistoryIndex& index, PropertyResult& result) {
  ForEachStory(index, [&](IdRef id, const Story& story) {
    if (!index[id].channel.valid()) return;
    for (const Membership& one : story.memberships) {
      const Silence* silence = index.SilentAfter(id, one.join->at);
      if (silence == nullptr || !index.Settled(one.join->at, silence->at)) continue;
      if (index.faults().Before(silence->at, FaultKind::kRemoveDevice)) continue;
      if (index.faults().Before(silence->at, FaultKind::kSilenceSm)) continue;
      if (one.left != nullptr && one.left->at < silence->at) continue;
      result.Arose();
      if (one.heard == nullptr || one.heard->at > silence->at)
        result.Violated(silence->at, Made(index, *one.join) + ", and then nothing",
                        "RDMA_CM_EVENT_MULTICAST_JOIN or RDMA_CM_EVENT_MULTICAST_ERROR");
    }
  });
}

bool Unsupported(const Address& address) {
  return address.kind == AddressKind::kNone || address.kind == AddressKind::kBadFamily;
}

void LeftAsOftenAsJoined(const HistoryIndex& index, PropertyResult& result) {
  ForEachStory(index, [&](IdRef id, const Story& story) {
    for (const MadeCall* vain : story.vain) {
      if (Unsupported(std::get<call::LeaveMulticast>(*vain->call).address)) continue;
      if (vain->reply.kind == ReplyKind::kUnseen) continue;
      result.Arose();
      if (!vain->Refused(Errno::kAddrNotAvail))
        result.Violated(vain->at, Made(index, *vain),
                        "-1 EADDRNOTAVAIL: the id is in no such group");
    }
    for (const Membership& one : story.memberships)
      if (one.left != nullptr) result.Arose();
    for (const MadeCall* call : index.CallsOn(id, CallKind::kLeaveMulticast)) {
      const bool vain = std::ranges::count(story.vain, call) > 0;
      if (!vain && call->Refused(Errno::kAddrNotAvail))
        result.Violated(call->at, Made(index, *call), "0: the id is in that group");
    }
  });
}

void LeavingWaits(const HistoryIndex& index, PropertyResult& result) {
  ForEachStory(index, [&](IdRef, const Story& story) {
    for (const Membership& one : story.memberships) {
      if (one.left == nullptr || one.heard == nullptr || one.left->Refused(Errno::kNxIo)) continue;
      result.Arose();
      const size_t returned = one.left->released.value_or(one.left->at);
      const bool waits = one.left->reply.kind == ReplyKind::kBlocked && !one.left->released;
      const bool held = !one.heard->acked || *one.heard->acked > returned;
      if (held && !waits)
        result.Violated(returned, Made(index, *one.left) + " with an event in hand",
                        "blocked until the event of the group is acknowledged");
    }
  });
}

// Whether the id has a route, or is looking for one, at the record. A ROUTE_ERROR leads back to
// ADDR_RESOLVED. It may be unread where the SA was silent, and of a synchronous id the call returns
// it. source: linux 6.1 cma.c cma_query_handler
bool HasRoute(const HistoryIndex& index, IdRef id, size_t record) {
  const HeardEvent* resolved = index.First(id, EventType::kRouteResolved);
  if (resolved != nullptr && resolved->at < record) return true;
  if (index.faults().Before(record, FaultKind::kSilenceSm)) return false;
  const auto routes =
      std::ranges::count_if(index.CallsOn(id, CallKind::kResolveRoute), [&](const MadeCall* call) {
        const Reply end = EndOf(index, *call).first;
        const bool failed = end.kind == ReplyKind::kReturned && !end.succeeded();
        return call->at < record && call->reply.succeeded() && !failed;
      });
  return routes > std::ssize(index.EventsOf(id, EventType::kRouteError));
}

void JoinedInTime(const HistoryIndex& index, PropertyResult& result) {
  ForEachStory(index, [&](IdRef id, const Story& story) {
    for (const Membership& one : story.memberships) {
      result.Arose();
      for (const CallKind late : {CallKind::kListen, CallKind::kResolveRoute, CallKind::kConnect})
        if (Succeeded(index, id, late, 0, one.join->at) &&
            (late != CallKind::kResolveRoute || HasRoute(index, id, one.join->at)))
          result.Violated(one.join->at, Made(index, *one.join),
                          fmt::format("-1 EINVAL: after {}", FunctionName(late)));
    }
  });
}

constexpr auto kOfMulticast = std::to_array<Property>({
    Always("MC-1", EachIsReportedOnce,
           "A membership is reported at most once, and not after it was left.",
           "man rdma_join_multicast(3), rdma_leave_multicast(3)"),
    Always("MC-2", ReportsSayWhich,
           "MULTICAST_JOIN carries the group, the queue pair of groups, the id's Q_Key, and, as "
           "MULTICAST_ERROR does, the context of the join.",
           "man rdma_get_cm_event(3), linux 6.1 cma.c cma_make_mc_event"),
    Eventually("MC-3", EachIsReported, "A join that succeeds is reported.",
               "man rdma_join_multicast(3)"),
    Always("MC-4", LeftAsOftenAsJoined,
           "A group can be left as often as it was joined, with the same address and port.",
           "man rdma_leave_multicast(3), rdma-core 44 cma.c rdma_leave_multicast"),
    Always("MC-5", LeavingWaits,
           "rdma_leave_multicast returns when the events of the membership are acknowledged.",
           "rdma-core 44 cma.c rdma_leave_multicast"),
    Always("MC-6", JoinedInTime,
           "Groups are joined before the id listens, has its route, or connects.",
           "linux 6.1 cma.c rdma_join_multicast"),
    Sometimes("MC-7", IsHeard<EventType::kMulticastJoin>, "A group is joined.",
              "man rdma_join_multicast(3)")
        .Over(over::kIbCm),
});

}  // namespace

std::span<const Property> Multicast() { return kOfMulticast; }

}  // namespace cm::families
