// Data transfer: the bytes, and the work requests.
#include <algorithm>
#include <array>
#include <functional>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "conformance/properties/facts.h"
#include "conformance/properties/family.h"
#include "conformance/properties/registry.h"
#include "model/conversation/print.h"

namespace cm::families {
namespace {

// An accepted work request, and its completion.
struct Request {
  const MadeCall* post = nullptr;
  std::optional<size_t> done_at;
  Completion completion;
  const call::Work& work() const { return *WorkOf(*post->call); }
  bool silent() const { return (work().flags & kSignaled) == 0 && !IsReceive(post->kind()); }
};

// A completion without a work request.
struct Stray {
  size_t at = 0;
  Completion completion;
};

// Work requests posted to one queue of an id, in order, and their completions.
struct Queue {
  std::vector<Request> requests;
  std::vector<size_t> order;  // order of completion
  std::vector<Stray> strays;
  struct Wait {
    const MadeCall* call = nullptr;
    size_t at = 0;
  };
  std::vector<Wait> waits;  // calls that found no completion
};

struct Region {
  const MadeCall* made = nullptr;
  uint32_t length = 0;
};

// The completion that the call finally returned.
std::optional<Stray> CompletedBy(const HistoryIndex& index, const MadeCall& call) {
  const size_t at = call.released.value_or(call.at);
  const Observation& seen = index.history().records[at].seen;
  const auto* answered = std::get_if<seen::Answered>(&seen);
  const auto* released = std::get_if<seen::Released>(&seen);
  const std::optional<Output>* output = answered != nullptr   ? &answered->output
                                        : released != nullptr ? &released->output
                                                              : nullptr;
  const auto* completion =
      output != nullptr && *output ? std::get_if<Completion>(&**output) : nullptr;
  if (completion == nullptr) return std::nullopt;
  return Stray{at, *completion};
}

void Complete(Queue& queue, const Stray& seen) {
  for (size_t i = 0; i < queue.requests.size(); ++i) {
    Request& request = queue.requests[i];
    if (request.done_at || request.work().context != seen.completion.context) continue;
    request.done_at = seen.at;
    request.completion = seen.completion;
    queue.order.push_back(i);
    return;
  }
  queue.strays.push_back(seen);
}

// A send posted before the connection: some devices keep what they refuse, and execute it later.
bool MayBeKept(const MadeCall& call) {
  return IsWork(call.kind()) && !IsReceive(call.kind()) && call.Refused(Errno::kInval);
}

// Both queues of an id; empty where its queue pair was created twice, or may have kept refused
// requests.
struct Queues {
  Queue sends;
  Queue receives;
  bool shared = false;
};

std::optional<Queues> QueuesOf(const HistoryIndex& index, IdRef id) {
  Queues queues;
  int pairs = 0;
  // A call that waited for its completion counts at its return.
  std::vector<std::pair<size_t, const MadeCall*>> calls;  // by record
  for (const MadeCall* call : index.CallsOn(id)) {
    calls.emplace_back(call->at, call);
    if (call->released) calls.emplace_back(*call->released, call);
  }
  std::ranges::stable_sort(calls, {}, [](const auto& call) { return call.first; });
  for (const auto& [at, call] : calls) {
    const CallKind kind = call->kind();
    const bool taken = call->reply.succeeded();
    const bool returns = at != call->at;
    if (returns && !IsCompletion(kind)) continue;
    if (MayBeKept(*call)) return std::nullopt;
    if (taken && QpAskedBy(*call->call)) ++pairs;
    if (taken && (kind == CallKind::kCreateSrq || kind == CallKind::kCreateSrqEx))
      queues.shared = true;
    if (IsWork(kind) && taken)
      (IsReceive(kind) ? queues.receives : queues.sends).requests.push_back({.post = call});
    if (!IsCompletion(kind)) continue;
    Queue& queue = kind == CallKind::kGetRecvComp ? queues.receives : queues.sends;
    if (!returns && call->reply.kind == ReplyKind::kBlocked) queue.waits.push_back({call, at});
    if (returns || !call->released)
      if (const std::optional<Stray> seen = CompletedBy(index, *call)) Complete(queue, *seen);
  }
  if (pairs > 1) return std::nullopt;
  return queues;
}

bool HasWork(const HistoryIndex& index, IdRef id) {
  return std::ranges::any_of(index.CallsOn(id), [](const MadeCall* call) {
    return IsWork(call->kind()) || IsCompletion(call->kind());
  });
}

// Of ids with work requests, or calls for completions.
template <typename Each>
void ForEachQueue(const HistoryIndex& index, Each each) {
  for (uint16_t i = 0; i < index.id_count(); ++i) {
    if (!index[IdRef{i}].exists || !HasWork(index, IdRef{i})) continue;
    const std::optional<Queues> queues = QueuesOf(index, IdRef{i});
    if (!queues) continue;
    each(IdRef{i}, queues->sends, *queues);
    each(IdRef{i}, queues->receives, *queues);
  }
}

std::string Saw(const HistoryIndex& index, const Completion& completion) {
  return ToString(Output(completion), index.topology());
}

// All work requests on regions, of any id.
std::vector<const MadeCall*> AllWork(const HistoryIndex& index) {
  std::vector<const MadeCall*> all;
  for (const MadeCall& call : index.calls()) {
    const bool counts = call.reply.succeeded() || MayBeKept(call);
    if (WorkOf(*call.call) != nullptr && counts) all.push_back(&call);
  }
  return all;
}

std::vector<Region> RegionsOf(const HistoryIndex& index) {
  std::vector<Region> regions(index.history().conversation.names.regions.size());
  for (const MadeCall& call : index.calls()) {
    if (!RegistersRegion(call.kind()) || !call.reply.succeeded()) continue;
    const auto note = [&](const auto& reg) { regions[reg.mr.index] = {&call, reg.length}; };
    if (const auto* msgs = std::get_if<call::RegMsgs>(call.call)) note(*msgs);
    if (const auto* read = std::get_if<call::RegRead>(call.call)) note(*read);
    if (const auto* write = std::get_if<call::RegWrite>(call.call)) note(*write);
  }
  return regions;
}

// The scatter elements that a request may write to.
std::vector<Sge> FilledBy(const MadeCall& call) {
  const call::Work& work = *WorkOf(*call.call);
  if (IsReceive(call.kind()) || IsRead(call.kind())) return {work.sges.begin(), work.sges.end()};
  if (IsWrite(call.kind())) return {{work.remote.mr, work.remote.offset, LengthOf(work.sges)}};
  return {};
}

bool Overlap(const Sge& a, const Sge& b) {
  return a.mr == b.mr && a.offset < b.offset + b.length && b.offset < a.offset + a.length;
}

// True when only `except` may write to any of the elements.
bool FilledByNobodyElse(const std::vector<const MadeCall*>& all, const std::vector<Sge>& pieces,
                        const MadeCall* except) {
  return std::ranges::none_of(all, [&](const MadeCall* other) {
    if (other == except) return false;
    return std::ranges::any_of(FilledBy(*other), [&](const Sge& filled) {
      return std::ranges::any_of(pieces, [&](const Sge& piece) { return Overlap(filled, piece); });
    });
  });
}

const std::string& NameOf(const HistoryIndex& index, MrRef mr) {
  return index.history().conversation.names.regions.NameOf(mr);
}

uint32_t PatternOf(const HistoryIndex& index, const std::vector<Sge>& pieces) {
  BytesDigest digest;
  for (const Sge& piece : pieces)
    for (uint32_t i = 0; i < piece.length; ++i)
      digest.Add(PatternAt(NameOf(index, piece.mr), piece.offset + i));
  return digest.value();
}

// The gather elements that the bytes of a request come from.
std::vector<Sge> SourceOf(const HistoryIndex& index, IdRef id, const Request& request, size_t at) {
  const call::Work& work = request.work();
  if (IsRead(request.post->kind()))
    return {{work.remote.mr, work.remote.offset, LengthOf(work.sges)}};
  for (const Pair& pair : index.pairs()) {
    if (pair.active != id && pair.passive != id) continue;
    const std::optional<Queues> there =
        QueuesOf(index, pair.active == id ? pair.passive : pair.active);
    if (!there) return {};
    size_t message = 0;
    for (const Request& sent : there->sends.requests) {
      const CallKind kind = sent.post->kind();
      if (kind != CallKind::kPostSend && kind != CallKind::kPostSendv) continue;
      if (message++ == at) return {sent.work().sges.begin(), sent.work().sges.end()};
    }
  }
  return {};
}

void BytesArrive(const HistoryIndex& index, PropertyResult& result) {
  const std::vector<const MadeCall*> all = AllWork(index);
  ForEachQueue(index, [&](IdRef id, const Queue& queue, const Queues&) {
    if (!index[id].tcp) return;
    for (size_t at = 0; at < queue.requests.size(); ++at) {
      const Request& request = queue.requests[at];
      const bool fills = IsReceive(request.post->kind()) || IsRead(request.post->kind());
      if (!fills || !request.done_at || request.completion.status != WcStatus::kSuccess) continue;
      const std::vector<Sge> source = SourceOf(index, id, request, at);
      const std::vector<Sge> target = FilledBy(*request.post);
      if (source.empty() || !FilledByNobodyElse(all, source, nullptr) ||
          !FilledByNobodyElse(all, target, request.post))
        continue;
      result.Arose();
      Completion expected = request.completion;
      expected.bytes = PatternOf(index, source);
      expected.length = 0;
      for (const Sge& piece : source) expected.length += piece.length;
      if (expected != request.completion)
        result.Violated(*request.done_at, Saw(index, request.completion), Saw(index, expected));
    }
  });
}

void CompleteInOrder(const HistoryIndex& index, PropertyResult& result) {
  ForEachQueue(index, [&](IdRef, const Queue& queue, const Queues&) {
    for (size_t i = 0; i < queue.order.size(); ++i) {
      result.Arose();
      const Request& request = queue.requests[queue.order[i]];
      const bool silent = request.silent() && request.completion.status == WcStatus::kSuccess;
      if (silent)
        result.Violated(*request.done_at, Saw(index, request.completion),
                        "nothing: the request asked for no completion");
      if (i > 0 && queue.order[i - 1] > queue.order[i]) {
        result.Violated(*request.done_at, Saw(index, request.completion),
                        "this one before those of later requests");
        continue;
      }
      size_t next = i == 0 ? 0 : queue.order[i - 1] + 1;
      while (next < queue.order[i] && queue.requests[next].silent()) ++next;
      if (next != queue.order[i])
        result.Violated(
            *request.done_at, Saw(index, request.completion),
            "the completion of " + Made(index, *queue.requests[next].post) + " before it");
    }
  });
}

void NoneWithoutARequest(const HistoryIndex& index, PropertyResult& result) {
  ForEachQueue(index, [&](IdRef, const Queue& queue, const Queues&) {
    for (size_t i = 0; i < queue.order.size(); ++i) result.Arose();
    for (const Stray& stray : queue.strays)
      result.Violated(stray.at, Saw(index, stray.completion),
                      "nothing: every such request has completed, or there was none");
  });
}

// The record from which the id's queue pair is surely in ERR: its application has disconnected.
std::optional<size_t> InErrorSince(const HistoryIndex& index, IdRef id) {
  for (const MadeCall* call : index.CallsOn(id, CallKind::kDisconnect))
    if (call->reply.kind == ReplyKind::kReturned) return call->at;
  return std::nullopt;
}

void AllIsFlushed(const HistoryIndex& index, PropertyResult& result) {
  ForEachQueue(index, [&](IdRef id, const Queue& queue, const Queues& queues) {
    bool failed = false;
    for (const size_t i : queue.order) {
      const Request& request = queue.requests[i];
      if (failed) result.Arose();
      if (failed && request.completion.status != WcStatus::kWrFlush)
        result.Violated(*request.done_at, Saw(index, request.completion),
                        "IBV_WC_WR_FLUSH_ERR: one before it has failed");
      failed |= request.completion.status != WcStatus::kSuccess;
    }
    const std::optional<size_t> since = InErrorSince(index, id);
    const bool receives = &queue == &queues.receives;
    if (!since || !index[id].tcp || (receives && queues.shared)) return;
    for (const Queue::Wait& wait : queue.waits) {
      if (wait.at < *since) continue;
      for (const Request& request : queue.requests) {
        const bool done = request.done_at && *request.done_at < wait.at;
        if (done || request.silent() || request.post->at > *since) continue;
        result.Violated(wait.at, Made(index, *wait.call),
                        "the completion of " + Made(index, *request.post));
        break;
      }
    }
    for (const Request& request : queue.requests)
      if (request.done_at && request.completion.status == WcStatus::kWrFlush) result.Arose();
  });
}

// The bytes that the region must contain where all requests that write to it are known to be
// complete; empty otherwise.
std::optional<uint32_t> HoldsInTheEnd(const HistoryIndex& index,
                                      const std::vector<const MadeCall*>& all,
                                      const std::vector<Region>& regions, MrRef mr,
                                      const std::function<bool(const MadeCall*)>& done) {
  std::vector<uint8_t> bytes(regions[mr.index].length);
  for (uint32_t i = 0; i < bytes.size(); ++i) bytes[i] = PatternAt(NameOf(index, mr), i);
  const bool writable = regions[mr.index].made->kind() == CallKind::kRegWrite;
  for (const MadeCall* work : all) {
    for (const Sge& piece : FilledBy(*work)) {
      if (piece.mr != mr) continue;
      if (!IsWrite(work->kind())) return std::nullopt;
      const bool forbidden = !writable || uint64_t{piece.offset} + piece.length > bytes.size();
      if (forbidden) continue;
      const call::Work& write = *WorkOf(*work->call);
      const std::vector<Sge> source(write.sges.begin(), write.sges.end());
      if (!done(work) || !FilledByNobodyElse(all, source, nullptr) ||
          !FilledByNobodyElse(all, {piece}, work))
        return std::nullopt;
      uint32_t to = piece.offset;
      for (const Sge& from : source)
        for (uint32_t i = 0; i < from.length; ++i)
          bytes[to++] = PatternAt(NameOf(index, from.mr), from.offset + i);
    }
  }
  BytesDigest digest;
  digest.Add(bytes);
  return digest.value();
}

void OnlyItsRange(const HistoryIndex& index, PropertyResult& result) {
  const std::vector<const MadeCall*> all = AllWork(index);
  const std::vector<Region> regions = RegionsOf(index);
  std::set<size_t> done;  // posts, by record
  ForEachQueue(index, [&](IdRef, const Queue& queue, const Queues&) {
    for (const Request& request : queue.requests)
      if (request.done_at && request.completion.status == WcStatus::kSuccess)
        done.insert(request.post->at);
  });
  for (const MadeCall& call : index.calls()) {
    const auto* dereg = std::get_if<call::DeregMr>(call.call);
    if (dereg == nullptr || !call.reply.succeeded() || regions[dereg->mr.index].made == nullptr)
      continue;
    const std::optional<Output>& output = OutputOf(index, call);
    const auto* held = output ? std::get_if<BytesOutput>(&*output) : nullptr;
    if (held == nullptr) continue;
    const std::optional<uint32_t> expected =
        HoldsInTheEnd(index, all, regions, dereg->mr,
                      [&](const MadeCall* work) { return done.contains(work->at); });
    if (!expected) continue;
    result.Arose();
    if (held->digest != *expected)
      result.Violated(call.at, ToString(Output(*held), index.topology()),
                      ToString(Output(BytesOutput{*expected}), index.topology()));
  }
}

// Of a polling call the library may have armed the queue once, without waiting.
// source: rdma-core 44 rdma_verbs.h rdma_get_send_comp
void OneEventAnArming(const HistoryIndex& index, PropertyResult& result) {
  for (uint16_t i = 0; i < index.id_count(); ++i) {
    std::array<int, 2> armed{};  // of sends, of receives
    for (const MadeCall* call : index.CallsOn(IdRef{i})) {
      const CallKind kind = call->kind();
      if (MayBeKept(*call)) break;
      if (kind == CallKind::kGetSendComp) ++armed[0];
      if (kind == CallKind::kGetRecvComp) ++armed[1];
      if (!call->reply.succeeded()) continue;
      if (const auto* arms = std::get_if<call::ReqNotifyCq>(call->call))
        ++armed[arms->receives ? 1 : 0];
      const auto* reads = std::get_if<call::GetCqEvent>(call->call);
      if (reads == nullptr) continue;
      result.Arose();
      if (armed[reads->receives ? 1 : 0]-- == 0)
        return result.Violated(call->at, Made(index, *call),
                               "blocked: the queue was not armed again since its last event");
    }
  }
}

constexpr auto kOfData = std::to_array<Property>({
    Always("DATA-1", BytesArrive,
           "A buffer filled by rdma_post_recv or rdma_post_read contains the bytes of its message, "
           "or of its range.",
           "man rdma_post_recv(3), man rdma_post_read(3)"),
    Always("DATA-2", CompleteInOrder,
           "The requests of a queue complete in the order of posting, and one without "
           "IBV_SEND_SIGNALED only in error.",
           "man ibv_post_send(3), man rdma_get_send_comp(3)"),
    Always("DATA-3", AllIsFlushed,
           "Once a request of a queue has failed, or rdma_disconnect was called, all requests "
           "posted to it are flushed.",
           "man rdma_disconnect(3), IBA 10.3.1"),
    Always(
        "DATA-4", NoneWithoutARequest,
        "rdma_get_send_comp and rdma_get_recv_comp return at most one completion of each request.",
        "man rdma_get_send_comp(3), man rdma_get_recv_comp(3)"),
    Always("DATA-5", OnlyItsRange,
           "rdma_post_write changes its remote range and nothing else, and nothing of a region "
           "that rdma_reg_write has not registered.",
           "man rdma_post_write(3), man rdma_reg_write(3)"),
    Always("DATA-6", OneEventAnArming,
           "ibv_get_cq_event returns at most one event for each time that the completion queue was "
           "armed.",
           "man ibv_req_notify_cq(3), man ibv_get_cq_event(3)"),
});

}  // namespace

std::span<const Property> Data() { return kOfData; }

}  // namespace cm::families
