#include "conformance/recordings/queue_pair.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <vector>

#include "model/vocabulary/call.h"
#include "model/vocabulary/reply.h"

namespace cm {
namespace {

// source: linux 6.1 cma.c rdma_connect_locked, cma_accept_ib: three bits each
constexpr uint8_t kMostRetries = 7;

// What the id's connection has told its queue pair, up to a record.
class Connection {
 public:
  Connection(const Recording& recording, size_t until, IdRef id, const Profile& profile)
      : id_(id), over_iwarp_(profile.transport == Transport::kIwarp) {
    attributes_.timeout = profile.timing.packet_lifetime + 1;
    const History& history = recording.history;
    for (size_t i = 0; i < until; ++i) {
      const auto* calls =
          std::get_if<line::Calls>(&history.conversation.lines[history.records[i].line]);
      const auto* answered = std::get_if<seen::Answered>(&history.records[i].seen);
      if (calls == nullptr || answered == nullptr || !answered->reply.succeeded()) continue;
      std::visit([&](const auto& call) { Note(call); }, calls->call);
      if (answered->event && answered->event->id == id) NoteEvent(*answered->event);
    }
    // A soft-iWARP queue pair has no retries of its own. source: linux 6.1 siw_verbs.c siw_query_qp
    if (over_iwarp_) attributes_.timeout = attributes_.retries = attributes_.rnr_retries = 0;
  }

  // The attributes of the connection were given to the queue pair, or may have been.
  bool established() const { return established_; }
  bool asked() const { return asked_; }
  bool own_timeout() const { return own_timeout_; }
  const QueuePairAttributes& attributes() const { return attributes_; }

 private:
  template <typename Call>
  void Note(const Call& /*call*/) {}
  void Note(const call::Connect& call) {
    if (call.id != id_) return;
    asked_ = true;
    const ConnParam param = call.param.value_or(ConnParam());
    attributes_.retries = std::min(param.retry_count, kMostRetries);
    attributes_.reads = param.initiator_depth;
    attributes_.reads_of_peer = param.responder_resources;
  }
  void Note(const call::Accept& call) {
    if (call.id != id_) return;
    established_ = true;
    if (!call.param) return;
    attributes_.reads = call.param->initiator_depth;
    attributes_.reads_of_peer = call.param->responder_resources;
  }
  void Note(const call::SetOption& call) {
    if (call.option == kAckTimeoutOption) own_timeout_ = true;
  }

  void NoteEvent(const CmEvent& event) {
    if (event.type == EventType::kConnectRequest) {
      attributes_.retries = event.conn.retry_count;
      attributes_.rnr_retries = event.conn.rnr_retry_count;
      attributes_.reads = event.conn.initiator_depth;
      attributes_.reads_of_peer = event.conn.responder_resources;
    }
    // That of the passive side over RoCE says nothing.
    if (event.type != EventType::kEstablished || !asked_) return;
    established_ = true;
    attributes_.rnr_retries = event.conn.rnr_retry_count;
    attributes_.reads = event.conn.initiator_depth;
    attributes_.reads_of_peer = event.conn.responder_resources;
  }

  IdRef id_;
  bool over_iwarp_;
  QueuePairAttributes attributes_;
  bool established_ = false;
  bool asked_ = false;  // of the active side
  bool own_timeout_ = false;
};

std::string ToString(const QueuePairAttributes& is) {
  return fmt::format("timeout {}, retries {}, RNR retries {}, reads {}, reads of the peer {}",
                     is.timeout, is.retries, is.rnr_retries, is.reads, is.reads_of_peer);
}

// None: any.
std::vector<QueuePairAttributes> Permitted(QpState state, bool datagram, bool over_iwarp,
                                           const Connection& connection) {
  const QueuePairAttributes none;
  if (datagram) return {none};
  // A soft-iWARP queue pair shows no state, and the kernel moves it when the MPA reply comes.
  if (over_iwarp && connection.asked() && !connection.established())
    return {none, connection.attributes()};
  if (!over_iwarp) {
    switch (state) {
      case QpState::kReset:
      case QpState::kInit:
        return {none};
      case QpState::kRtr:
      case QpState::kSqd:
      case QpState::kSqe:
        return {};
      case QpState::kRts:
      case QpState::kErr:
        break;
    }
  }
  return {connection.established() ? connection.attributes() : none};
}

}  // namespace

std::optional<Contradiction> WhatIsWrong(const Recording& recording, const ShownQueuePair& shown,
                                         const Profile& profile) {
  const History& history = recording.history;
  const Record& record = history.records[shown.record];
  const auto& show =
      std::get<call::Show>(std::get<line::Calls>(history.conversation.lines[record.line]).call);
  const std::optional<Shown>& fields = std::get<seen::Answered>(record.seen).shown;
  if (!fields || !fields->qp) return std::nullopt;
  const Connection connection(recording, shown.record, show.id, profile);
  QueuePairAttributes is = shown.attributes;
  if (connection.own_timeout()) is.timeout = connection.attributes().timeout;
  const std::vector<QueuePairAttributes> permitted =
      Permitted(*fields->qp, shown.datagram, profile.transport == Transport::kIwarp, connection);
  if (permitted.empty() || std::ranges::count(permitted, is) > 0) return std::nullopt;
  return Contradiction{.line = shown.line,
                       .saw = ToString(shown.attributes),
                       .permitted = ToString(permitted.back()),
                       .source = "linux 6.1 cm.c cm_init_qp_rtr_attr, cm_init_qp_rts_attr"};
}

}  // namespace cm
