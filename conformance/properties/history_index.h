// Index of a history: the calls and events of each id, and the times when a channel was empty.
// Properties read only this.
#ifndef CONFORMANCE_PROPERTIES_HISTORY_INDEX_H_
#define CONFORMANCE_PROPERTIES_HISTORY_INDEX_H_

#include <cstdint>
#include <functional>
#include <optional>
#include <utility>
#include <vector>

#include "model/conversation/history.h"
#include "model/vocabulary/profile.h"
#include "model/vocabulary/protocol.h"
#include "model/vocabulary/tester.h"

namespace cm {

// A call that was made. Positions are indices into the history's records.
struct MadeCall {
  size_t at = 0;
  Instant begin;
  Instant end;
  Lane lane;
  const Call* call = nullptr;
  Reply reply;                     // of a call on a synchronous id: the result of the start
  std::optional<size_t> released;  // the record of its return, if it was blocked first

  CallKind kind() const { return KindOf(*call); }
  IdRef id() const { return IdOf(*call); }
  bool Refused(Errno error) const { return reply == Reply::Refused(error); }
};

// An event that was fetched.
struct HeardEvent {
  size_t at = 0;
  Instant time;
  ChannelRef channel;
  EventRef name;
  CmEvent event;
  std::optional<size_t> acked;
};

// A channel was empty: EAGAIN, a call that waits for an event, or a wait without an event.
struct Silence {
  size_t at = 0;
  Instant time;
  ChannelRef channel;
};

// A message of a tester: no application has caused it, nor its effects.
struct HandMade {
  size_t at = 0;
  const TesterMad* mad = nullptr;
};

// A connection with both ends known.
struct Pair {
  IdRef active;
  IdRef passive;
};

class HistoryIndex {
 public:
  HistoryIndex(const History& history, const Profile& profile);
  HistoryIndex(const HistoryIndex&) = delete;
  HistoryIndex& operator=(const HistoryIndex&) = delete;

  const History& history() const { return history_; }
  const Profile& profile() const { return profile_; }
  bool OverIwarp() const { return profile_.transport == Transport::kIwarp; }
  const Topology& topology() const { return *history_.conversation.topology; }
  const std::vector<MadeCall>& calls() const { return calls_; }
  const std::vector<HeardEvent>& heard() const { return heard_; }
  const std::vector<Silence>& silences() const { return silences_; }
  const std::vector<Pair>& pairs() const { return pairs_; }
  const std::vector<HandMade>& hand_made() const { return hand_made_; }

  size_t id_count() const { return history_.conversation.names.ids.size(); }
  // The record that created the id.
  bool Exists(IdRef id) const { return ids_[id.index].exists; }
  bool IsRequest(IdRef id) const { return ids_[id.index].listener.valid(); }
  IdRef ListenerOf(IdRef request) const { return ids_[request.index].listener; }
  // The id's last channel.
  ChannelRef ChannelOf(IdRef id) const { return ids_[id.index].channel; }
  ChannelRef ChannelOf(IdRef id, size_t record) const;
  uint8_t SideOf(IdRef id) const { return ids_[id.index].side; }
  uint8_t KernelOf(IdRef id) const { return topology().KernelOf(SideOf(id)); }
  uint8_t SideOf(ChannelRef channel) const { return channels_[channel.index].side; }
  bool Nonblocking(ChannelRef channel) const { return channels_[channel.index].nonblocking; }
  // The port space that the id was made in is RDMA_PS_TCP.
  bool IsTcp(IdRef id) const { return ids_[id.index].tcp; }

  // Calls on the id, and its events, in order. A connection request is an event of the new id.
  const std::vector<const MadeCall*>& CallsOn(IdRef id) const;
  std::vector<const MadeCall*> CallsOn(IdRef id, CallKind kind) const;
  std::vector<const HeardEvent*> EventsOf(IdRef id) const;
  std::vector<const HeardEvent*> EventsOf(IdRef id, EventType type) const;
  const MadeCall* FirstSuccess(IdRef id, CallKind kind) const;
  const HeardEvent* First(IdRef id, EventType type) const;
  // The record where rdma_destroy_id succeeded, or the id's channel or side was destroyed; else
  // past the end.
  size_t EndOf(IdRef id) const { return ids_[id.index].end; }

  // The first record after `from` where the channel of the existing id was empty: all earlier
  // events of the id had been fetched. Past the end for an id that was synchronous at some time,
  // because its calls fetch events.
  const Silence* SilentAfter(IdRef id, size_t from) const;
  const Silence* SilentAfter(IdRef id, Instant from) const;

  // True when between the two records the world had settled, or enough time had passed for every
  // prompt reaction.
  bool Settled(size_t from, size_t until) const;
  // True when an environment line of the kind precedes the record; on the side, if one is given.
  bool Before(size_t record, FaultKind kind, std::optional<uint8_t> side = {}) const;
  int CountBefore(size_t record, FaultKind kind) const;
  // True when a process may have ended by itself.
  bool SomebodyEnded() const { return Injected(FaultKind::kExit) || Injected(FaultKind::kCrash); }
  bool Injected(FaultKind kind) const { return Before(history_.records.size(), kind); }
  // True when there was no fault, and no crash.
  bool Undisturbed() const { return undisturbed_; }
  // True when a tester has sent such a message to the id before the record. Its communication id
  // identifies the id, and no two are equal; but a REJ for a timeout identifies it by the tester's
  // GUID.
  bool MadeByHand(MadKind kind, IdRef to, size_t before) const;
  Instant TimeOf(size_t record) const { return history_.records[record].end; }

 private:
  struct Id {
    bool exists = false;
    bool tcp = true;
    uint8_t side = 0;
    ChannelRef channel;
    std::vector<std::pair<size_t, ChannelRef>> left;  // records where it left channels
    IdRef listener;
    size_t end = 0;
    std::vector<const MadeCall*> calls;
  };
  struct Channel {
    uint8_t side = 0;
    bool nonblocking = false;
  };

  void Note(size_t at, const Record& record);
  void NoteAnswer(size_t at, const Record& record, const line::Calls& line,
                  const seen::Answered& answered);
  Reply Started(const Call& call, const Reply& reply) const;
  bool WasSynchronous(IdRef id) const;
  void NoteSuccess(size_t at, Lane lane, const Call& call);
  void NoteMigration(size_t at, const call::MigrateId& call, const Reply& reply);
  void NoteEvent(size_t at, Instant time, const call::GetCmEvent& get, const CmEvent& event);
  void NoteEnd(size_t at, const std::function<bool(const Id&)>& which);
  void FindPairs();
  bool NamesAnotherQp(const MadeCall& call, uint32_t heard) const;

  const History& history_;
  const Profile& profile_;
  std::vector<Id> ids_;
  std::vector<Channel> channels_;
  std::vector<MadeCall> calls_;
  std::vector<HeardEvent> heard_;
  std::vector<Silence> silences_;
  std::vector<Pair> pairs_;
  std::vector<HandMade> hand_made_;
  std::vector<std::pair<size_t, Fault>> faults_;  // with the record of the line
  bool undisturbed_ = true;
};

}  // namespace cm

#endif  // CONFORMANCE_PROPERTIES_HISTORY_INDEX_H_
