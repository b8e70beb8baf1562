// Index of a history: the calls and events of each id, and the times when a channel was empty.
// Properties read only this.
#ifndef CONFORMANCE_PROPERTIES_HISTORY_INDEX_H_
#define CONFORMANCE_PROPERTIES_HISTORY_INDEX_H_

#include <cstdint>
#include <functional>
#include <vector>

#include "conformance/properties/observations.h"
#include "model/base/errno.h"
#include "model/conversation/history.h"
#include "model/vocabulary/profile.h"

namespace cm {

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

  const FaultLog& faults() const { return faults_; }

  size_t id_count() const { return ids_.size(); }
  const IndexedId& operator[](IdRef id) const { return ids_[id.index]; }
  uint8_t KernelOf(IdRef id) const { return topology().KernelOf(ids_[id.index].side); }
  bool Nonblocking(ChannelRef channel) const { return channels_[channel.index].nonblocking; }

  // Calls on the id, and its events, in order. A connection request is an event of the new id.
  const std::vector<const MadeCall*>& CallsOn(IdRef id) const;
  std::vector<const MadeCall*> CallsOn(IdRef id, CallKind kind) const;
  std::vector<const HeardEvent*> EventsOf(IdRef id) const;
  std::vector<const HeardEvent*> EventsOf(IdRef id, EventType type) const;
  const MadeCall* FirstSuccess(IdRef id, CallKind kind) const;
  const HeardEvent* First(IdRef id, EventType type) const;

  // The first record after `from` where the channel of the existing id was empty: all earlier
  // events of the id had been fetched. Null for an id that was synchronous at some time, because
  // its calls fetch events.
  const Silence* SilentAfter(IdRef id, size_t from) const;
  const Silence* SilentAfter(IdRef id, Instant from) const;

  // True when between the two records the world had settled, or enough time had passed for every
  // prompt reaction.
  bool Settled(size_t from, size_t until) const;
  // True when there was no fault, and no crash.
  bool Undisturbed() const { return undisturbed_; }

 private:
  struct Channel {
    uint8_t side = 0;
    bool nonblocking = false;
  };

  void Note(size_t at, const Record& record);
  void NoteAnswer(size_t at, const Record& record, const line::Calls& line,
                  const seen::Answered& answered);
  Reply Started(const Call& call, const Reply& reply) const;
  bool HasMetEvent(const Call& call, const Reply& reply) const;
  bool MayHaveWritten(IdRef id, Errno error) const;
  template <typename IsLater>
  const Silence* FirstSilence(IdRef id, IsLater is_later) const;
  void NoteSuccess(size_t at, Lane lane, const Call& call);
  void NoteMigration(size_t at, const call::MigrateId& call, const Reply& reply);
  void NoteEvent(size_t at, Instant time, const call::GetCmEvent& get, const CmEvent& event);
  void NoteEnd(size_t at, const std::function<bool(const IndexedId&)>& which);
  void FindPairs();
  std::optional<uint32_t> NamedQp(const MadeCall& call) const;
  bool MayBeHeardAgain(IdRef active, size_t until) const;
  bool AsksElsewhere(IdRef active, IdRef listener) const;

  const History& history_;
  const Profile& profile_;
  std::vector<IndexedId> ids_;
  std::vector<Channel> channels_;
  std::vector<MadeCall> calls_;
  std::vector<HeardEvent> heard_;
  std::vector<Silence> silences_;
  std::vector<Pair> pairs_;
  std::vector<HandMade> hand_made_;
  FaultLog faults_;
  bool undisturbed_ = true;
};

}  // namespace cm

#endif  // CONFORMANCE_PROPERTIES_HISTORY_INDEX_H_
