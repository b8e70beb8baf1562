// The way of requests to the peer, and of its answers back.
//
// Requests are sent at once, as many as the queue pair permits, and arrive in order. The peer
// carries each out when it arrives, and its answer takes as long again; an answer stands for all
// requests before it. Behind one that is lost the peer takes none: it says so when the next one
// comes, or the sender finds out by its timer, and sends all again from there. The peer carries
// none out twice. source: linux 6.1 rxe_req.c, rxe_resp.c, rxe_comp.c; IBA 9.7, 9.9
#include <algorithm>
#include <optional>
#include <utility>

#include "sim/verbs/delivery.h"
#include "sim/verbs/verbs.h"

namespace cm::sim {
namespace {

// The library sets none, which means the longest.
constexpr Duration kRnrTimer = Duration::Microseconds(655360);
constexpr uint8_t kForEver = 7;  // as an RNR retry count

bool IsMissing(const Flight& flight) {
  return flight.arrives == Instant::Never() ||
         (flight.executed && flight.answered == Instant::Never());
}

}  // namespace

// source: linux 6.1 rxe_req.c req_next_wqe, check_init_depth
bool Verbs::MaySendNext(const Qp& own) const {
  const size_t next = own.flights.size();
  if (!own.Sends() || own.not_ready || own.refused || next >= own.sends.size()) return false;
  if (own.state == QpState::kSqd && next >= own.draining) return false;
  const WorkRequest& work = own.sends.begin()[next];
  if (work.fenced && next != 0) return false;
  return !Asks(work.opcode) || own.asking < own.connection.initiator_depth;
}

void Verbs::SendNext(const Context& c, uint32_t qp) {
  Qp& own = qps_[qp];
  while (MaySendNext(own)) {
    const WorkRequest& work = own.sends.begin()[own.flights.size()];
    const uint32_t count = own.datagram ? 1 : Fabric::PacketsOf(work.length());
    own.flights.push_back({.message = own.messages++, .first_packet = own.packets});
    if (!IsLocal(work.opcode)) own.packets += count;
    if (Asks(work.opcode)) ++own.asking;
    Launch(c, qp, own.flights.size() - 1);
  }
}

// What a request asks for takes its time when it is answered.
void Verbs::Launch(const Context& c, uint32_t qp, size_t at) {
  Qp& own = qps_[qp];
  const WorkRequest& work = own.sends.begin()[at];
  Flight* const flights = own.flights.begin();
  Instant arrives = c.agenda->Now();
  if (!IsLocal(work.opcode)) {
    const bool known = !own.datagram || work.group == Group{};
    const uint8_t there = own.datagram ? work.to.device : own.connection.peer.device;
    const uint8_t to = known ? there : kNoDevice;
    const uint64_t bytes = Asks(work.opcode) ? 0 : work.length();
    const Duration later = known ? c.fabric->OfData(arrives, own.device, there).later : Duration();
    arrives = arrives + c.fabric->Leaves(arrives, own.device, to, bytes, c.fabric->bandwidth.data) +
              Fabric::kLatency + later;
  }
  const bool behind = at > own.arrived && flights[at - 1].arrives != Instant::Never();
  if (behind) arrives = std::max(arrives, flights[at - 1].arrives);
  flights[at].arrives = arrives;
  if (!behind || flights[at - 1].arrives != arrives) c.agenda->At(arrives, EventKind::kWorkDue, qp);
}

void Verbs::OnWorkDue(const Context& c, uint32_t qp) {
  if (!qps_.Live(qp) || !qps_[qp].Sends()) return;
  Qp& own = qps_[qp];
  if (!own.refused) ArriveAll(c, qp);
  if (own.again <= c.agenda->Now()) SendAgain(c, qp);
  CompleteAll(c, qp);
  SendNext(c, qp);
}

void Verbs::ArriveAll(const Context& c, uint32_t qp) {
  const Qp& own = qps_[qp];
  const auto next_is_here = [&] {
    return own.arrived < own.flights.size() &&
           own.flights.begin()[own.arrived].arrives <= c.agenda->Now();
  };
  while (next_is_here())
    if (!Arrives(c, qp)) break;
  if (own.again != Instant::Never()) NoteMissing(c, qp);
}

// The first that is on its way. Whether those behind it may be carried out.
bool Verbs::Arrives(const Context& c, uint32_t qp) {
  Qp& own = qps_[qp];
  const size_t at = own.arrived;
  Delivery delivery(c, this, qp, own.sends.begin()[at]);
  Flight flight = own.flights.begin()[at];
  Outcome outcome = delivery.Execute(&flight);
  const Instant now = c.agenda->Now();
  const Instant back = now + Fabric::kLatency;
  if (outcome.what == Outcome::What::kNotReady && own.rnr_retries_left == 0)
    outcome = {Outcome::What::kAnswered, WcStatus::kRnrRetryExc};
  const bool again =
      outcome.what == Outcome::What::kNotReady || outcome.what == Outcome::What::kUnheard;
  const bool not_ready = outcome.what == Outcome::What::kNotReady;
  if (again) delivery.Note(flight, not_ready ? back : Instant::Never());
  // A queue pair that is its own peer may have failed with it.
  if (own.flights.empty()) return false;
  if (again) {
    if (not_ready && own.connection.rnr_retry_count != kForEver) --own.rnr_retries_left;
    own.not_ready |= not_ready;
    flight.arrives = Instant::Never();
    own.flights.begin()[at] = std::move(flight);
    AwaitAgain(c, qp, not_ready ? back + kRnrTimer : now + c.profile->timing.Timewait());
    return false;
  }
  flight.executed = true;
  flight.status = outcome.status;
  if (outcome.what == Outcome::What::kDone) flight.answered = now;
  own.flights.begin()[at] = std::move(flight);
  ++own.arrived;
  if (outcome.what == Outcome::What::kAnswered) Answer(c, qp, at);
  const Flight& done = own.flights.begin()[at];
  delivery.Note(done, done.answered);
  own.refused = outcome.status != WcStatus::kSuccess;
  return !own.refused;
}

// What comes behind one that is missing tells the peer so, which says it once.
// source: linux 6.1 rxe_resp.c check_psn, rxe_comp.c check_ack
void Verbs::NoteMissing(const Context& c, uint32_t qp) {
  Qp& own = qps_[qp];
  const Instant now = c.agenda->Now();
  const bool lost = !own.not_ready && own.arrived < own.flights.size() &&
                    own.flights.begin()[own.arrived].arrives == Instant::Never();
  if (!lost) return;
  const uint8_t there = own.connection.peer.device;
  for (size_t at = own.arrived + 1; at < own.flights.size(); ++at) {
    Flight& flight = own.flights.begin()[at];
    if (flight.arrives != now || IsLocal(own.sends.begin()[at].opcode)) continue;
    Delivery delivery(c, this, qp, own.sends.begin()[at]);
    const Fabric::FateOfData fate = c.fabric->OfData(now, there, own.device);
    const Instant back = now + Fabric::kLatency + fate.later;
    flight.sent = true;
    const bool says = delivery.ComesTooEarly() && own.again > back;
    delivery.Note(flight, says && !fate.lost ? back : Instant::Never());
    if (says && !fate.lost) AwaitAgain(c, qp, back);
  }
}

// An answer stands for all before it, but for what a read or an atomic operation asks for: the
// sender sees that it is missing. source: linux 6.1 rxe_comp.c check_psn, do_complete
void Verbs::Answer(const Context& c, uint32_t qp, size_t at) {
  Qp& own = qps_[qp];
  Flight* const flights = own.flights.begin();
  const uint8_t there = own.connection.peer.device;
  const Instant now = c.agenda->Now();
  const Fabric::FateOfData fate = c.fabric->OfData(now, there, own.device);
  if (fate.lost || !c.fabric->Linked(there, own.device))
    return AwaitAgain(c, qp, now + c.profile->timing.Timewait());
  const WorkRequest& work = own.sends.begin()[at];
  const uint64_t bytes = work.opcode == WcOpcode::kRead ? flights[at].result.size() : 0;
  Instant answered = now +
                     c.fabric->Leaves(now, there, own.device, bytes, c.fabric->bandwidth.data) +
                     Fabric::kLatency + fate.later;
  size_t before = at;
  while (before > 0 && flights[before - 1].answered == Instant::Never()) --before;
  if (before > 0) answered = std::max(answered, flights[before - 1].answered);
  const bool due = before == at && before > 0 && flights[at - 1].answered == answered;
  bool missing = false;
  for (; before <= at; ++before) {
    missing |= before != at && Asks(own.sends.begin()[before].opcode);
    if (!missing) flights[before].answered = answered;
  }
  if (missing) {
    flights[at].answered = answered;
    return AwaitAgain(c, qp, answered);
  }
  if (std::none_of(flights, own.flights.end(), IsMissing)) own.again = Instant::Never();
  if (!due) c.agenda->At(answered, EventKind::kWorkDue, qp);
}

// In the order of posting.
void Verbs::CompleteAll(const Context& c, uint32_t qp) {
  Qp& own = qps_[qp];
  while (!own.flights.empty() && own.flights.front().answered <= c.agenda->Now()) {
    const WorkRequest work = std::move(own.sends.front());
    const Flight flight = std::move(own.flights.front());
    own.sends.pop_front();
    own.flights.pop_front();
    --own.arrived;
    if (Asks(work.opcode)) --own.asking;
    own.retries_left = own.connection.retry_count;
    own.rnr_retries_left = own.connection.rnr_retry_count;
    WcStatus status = flight.status;
    const Protection by{c.fabric->CaOf(own.device), own.domain};
    const bool fills = status == WcStatus::kSuccess && !flight.result.empty();
    if (fills && !(regions_.MayWrite(by, work.pieces) &&
                   regions_.Scatter(c.memory, work.pieces, flight.result)))
      status = WcStatus::kLocProt;
    const bool done = status == WcStatus::kSuccess;
    if (!done || work.signaled) FinishSend(qp, work, status);
    if (!done) return SetError(qp);
    // A request posted after the last one waits for RTS, and for a post there. source: linux 6.1
    // rxe_comp.c complete_ack, rxe_qp.c rxe_qp_from_attr
    if (own.state == QpState::kSqd && --own.draining == 0)
      return Report(ObjectEvent::kSqDrained, qp);
  }
}

// After the ACK timeout of its path, which is also the connection's time in timewait. source: linux
// 6.1 cm.c cm_init_qp_rts_attr, cm_enter_timewait, rxe_qp.c rxe_qp_from_attr, rxe_comp.c
// rxe_completer
void Verbs::SendAgain(const Context& c, uint32_t qp) {
  Qp& own = qps_[qp];
  own.again = Instant::Never();
  Flight* const missing = std::find_if(own.flights.begin(), own.flights.end(), IsMissing);
  if (missing == own.flights.end()) return;
  const auto from = static_cast<size_t>(missing - own.flights.begin());
  if (!std::exchange(own.not_ready, false)) {
    if (own.retries_left == 0) {
      missing->status = WcStatus::kRetryExc;
      missing->answered = c.agenda->Now();
      own.arrived = std::max(own.arrived, static_cast<uint32_t>(from + 1));
      own.refused = true;
      return;
    }
    --own.retries_left;
  }
  own.refused = false;
  own.arrived = static_cast<uint32_t>(from);
  for (size_t at = from; at < own.flights.size(); ++at) {
    own.flights.begin()[at].answered = Instant::Never();
    Launch(c, qp, at);
  }
}

void Verbs::AwaitAgain(const Context& c, uint32_t qp, Instant when) {
  if (when >= qps_[qp].again) return;
  qps_[qp].again = when;
  c.agenda->At(when, EventKind::kWorkDue, qp);
}

void Verbs::SendRest(const Context& c, uint32_t qp) {
  const Qp& own = qps_[qp];
  if (!own.datagram || !own.Sends()) return;
  const bool drains = own.state == QpState::kSqd;
  Fifo<WorkRequest> rest = own.sends;
  for (size_t left = drains ? own.draining : rest.size(); left > 0; --left) {
    Flight flight;
    Delivery delivery(c, this, qp, rest.front());
    delivery.Execute(&flight);
    delivery.Note(flight, Instant::Never());
    rest.pop_front();
  }
}

}  // namespace cm::sim
