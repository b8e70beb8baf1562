// The way of requests to the peer, and of its answers back.
//
// Requests are sent at once, as many as the queue pair permits, and arrive in order. The peer
// carries each out when it arrives, and its answer takes as long again; an answer stands for all
// requests before it. Timers run for what was lost, not for what is late. Behind one that is lost
// the peer takes none: it says so when the next one comes, or the sender finds out by its timer,
// and sends all again from there. The peer carries none out twice but reads. source: linux 6.1
// rxe_req.c, rxe_resp.c, rxe_comp.c; IBA 9.7, 9.9
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

// source: linux 6.1 rxe_req.c req_next_wqe, rxe_wqe_is_fenced, check_init_depth
bool Verbs::MaySendNext(const Qp& own) const {
  const size_t next = own.flights.size();
  if (!own.Sends() || own.not_ready || own.refused || next >= own.sends.size()) return false;
  if (own.state == QpState::kSqd && next >= own.draining) return false;
  const WorkRequest& work = own.sends.begin()[next];
  if (work.opcode == kInvalidateLocally && next != 0) return false;
  if (work.fenced && own.asking != 0) return false;
  return !Asks(work.opcode) || own.asking < own.connection.initiator_depth;
}

void Verbs::SendNext(const Context& c, uint32_t qp) {
  Qp& own = qps_[qp];
  while (MaySendNext(own)) {
    const WorkRequest& work = own.sends.begin()[own.flights.size()];
    const uint32_t count = own.datagram ? 1 : Fabric::PacketsOf(work.length());
    own.flights.push_back({.message = own.messages, .first_packet = own.packets});
    if (!IsLocal(work.opcode)) {
      ++own.messages;
      own.packets += count;
    }
    if (Asks(work.opcode)) ++own.asking;
    Launch(c, qp, own.flights.size() - 1);
  }
}

// What a request asks for takes its time when it is answered.
void Verbs::Launch(const Context& c, uint32_t qp, size_t at) {
  Qp& own = qps_[qp];
  const WorkRequest& work = own.sends.begin()[at];
  Flight* const flights = own.flights.begin();
  const Instant now = c.agenda->Now();
  flights[at].left = now;
  Instant arrives = now;
  if (!IsLocal(work.opcode)) {
    const bool known = !own.datagram || work.group == Group{};
    const uint8_t there = own.datagram ? work.to.device : own.connection.peer.device;
    const uint8_t to = known ? there : kNoDevice;
    const uint64_t bytes = Asks(work.opcode) ? 0 : work.length();
    flights[at].left = now + c.fabric->Leaves(now, own.device, to, bytes, c.fabric->bandwidth.data);
    arrives = flights[at].left + Fabric::kLatency;
    if (known) arrives = arrives + c.fabric->OfData(now, own.device, there).later;
  }
  const bool behind = at > own.arrived && flights[at - 1].arrives != Instant::Never();
  if (behind) arrives = std::max(arrives, flights[at - 1].arrives);
  flights[at].arrives = arrives;
  if (!behind || flights[at - 1].arrives != arrives) c.agenda->At(arrives, EventKind::kWorkDue, qp);
}

void Verbs::OnWorkDue(const Context& c, uint32_t qp) {
  if (!qps_.Live(qp) || !qps_[qp].Sends()) return;
  ArriveAll(c, qp);
  CompleteAll(c, qp);
  if (qps_[qp].again <= c.agenda->Now()) {
    SendAgain(c, qp);
    CompleteAll(c, qp);
  }
  SendNext(c, qp);
}

void Verbs::ArriveAll(const Context& c, uint32_t qp) {
  const Qp& own = qps_[qp];
  const auto next_is_here = [&] {
    return !own.refused && own.arrived < own.flights.size() &&
           own.flights.begin()[own.arrived].arrives <= c.agenda->Now();
  };
  while (next_is_here())
    if (!Arrives(c, qp)) break;
  if (own.again != Instant::Never() || own.refused) DropEarly(c, qp);
}

// The first that is on its way. Whether those behind it may be carried out.
bool Verbs::Arrives(const Context& c, uint32_t qp) {
  Qp& own = qps_[qp];
  const size_t at = own.arrived;
  const Instant now = c.agenda->Now();
  Delivery delivery(c, this, qp, own.sends.begin()[at]);
  Flight flight = own.flights.begin()[at];
  Reception reception = delivery.Execute(&flight);
  std::optional<Instant> back;
  if (reception.what == Reception::What::kNotReady) back = AnswerReaches(c, own, 0);
  if (back && own.rnr_retries_left == 0)
    reception = {Reception::What::kAnswered, WcStatus::kRnrRetryExc};
  const bool unheard = reception.what == Reception::What::kUnheard;
  if (unheard || reception.what == Reception::What::kNotReady) {
    delivery.Note(flight, back.value_or(Instant::Never()));
    // A queue pair that is its own peer may have failed with it.
    if (own.flights.empty()) return false;
    // Where the peer has it already, those behind it are in order.
    const bool had = unheard && flight.executed;
    if (!had) flight.arrives = Instant::Never();
    own.flights.begin()[at] = std::move(flight);
    if (had) ++own.arrived;
    if (back)
      AwaitReceive(c, qp, *back);
    else
      AwaitAgain(c, qp, now + c.profile->timing.Timewait());
    return had;
  }
  if (own.flights.empty()) return false;
  flight.executed = true;
  flight.status = reception.status;
  if (reception.what == Reception::What::kDone) flight.answered = now;
  own.flights.begin()[at] = std::move(flight);
  own.told = false;
  ++own.arrived;
  if (reception.what == Reception::What::kAnswered) Answer(c, qp, at);
  const Flight& done = own.flights.begin()[at];
  delivery.Note(done, done.answered);
  own.refused = reception.status != WcStatus::kSuccess;
  return !own.refused;
}

// The peer carries out nothing that comes behind one that is missing. It says so, once, until that
// one is here. source: linux 6.1 rxe_resp.c check_psn, rxe_comp.c check_ack
void Verbs::DropEarly(const Context& c, uint32_t qp) {
  Qp& own = qps_[qp];
  const Instant now = c.agenda->Now();
  for (size_t at = own.arrived; at < own.flights.size(); ++at) {
    if (own.flights.begin()[at].arrives != now || IsLocal(own.sends.begin()[at].opcode)) continue;
    const bool lost = !own.not_ready && !own.refused;
    Delivery delivery(c, this, qp, own.sends.begin()[at]);
    Flight flight = own.flights.begin()[at];
    std::optional<Instant> back;
    if (delivery.ComesTooEarly(&flight, lost && !own.told)) {
      own.told = true;
      back = AnswerReaches(c, own, 0);
    }
    delivery.Note(flight, back.value_or(Instant::Never()));
    own.flights.begin()[at].arrives = Instant::Never();
    if (!back) continue;
    if (AnswersBefore(&own, own.arrived, *back)) own.again = Instant::Never();
    AwaitAgain(c, qp, *back);
  }
}

// When an answer of that many bytes that leaves the peer now arrives; empty: it does not.
std::optional<Instant> Verbs::AnswerReaches(const Context& c, const Qp& own, uint64_t bytes) {
  const Instant now = c.agenda->Now();
  const uint8_t there = own.connection.peer.device;
  const Fabric::FateOfData fate = c.fabric->OfData(now, there, own.device);
  if (fate.lost || !c.fabric->Linked(there, own.device)) return std::nullopt;
  const Duration leaves = c.fabric->Leaves(now, there, own.device, bytes, c.fabric->bandwidth.data);
  return now + leaves + Fabric::kLatency + fate.later;
}

// An answer stands for all requests before it. False where one of them asks for something, which is
// missing: the sender sees that. source: linux 6.1 rxe_comp.c check_psn, do_complete
bool Verbs::AnswersBefore(Qp* own, size_t at, Instant answered) {
  for (size_t before = 0; before < at; ++before) {
    Flight& flight = own->flights.begin()[before];
    if (flight.answered != Instant::Never()) continue;
    if (Asks(own->sends.begin()[before].opcode)) return false;
    flight.answered = answered;
  }
  return true;
}

// The peer has no receive for the first that is on its way, which the sender hears then.
void Verbs::AwaitReceive(const Context& c, uint32_t qp, Instant heard) {
  Qp& own = qps_[qp];
  if (!AnswersBefore(&own, own.arrived, heard)) return AwaitAgain(c, qp, heard);
  if (own.arrived > 0) c.agenda->At(heard, EventKind::kWorkDue, qp);
  if (own.connection.rnr_retry_count != kForEver) --own.rnr_retries_left;
  own.not_ready = true;
  own.again = Instant::Never();
  AwaitAgain(c, qp, heard + kRnrTimer);
}

void Verbs::Answer(const Context& c, uint32_t qp, size_t at) {
  Qp& own = qps_[qp];
  Flight* const flights = own.flights.begin();
  const bool reads = own.sends.begin()[at].opcode == WcOpcode::kRead;
  const std::optional<Instant> back =
      AnswerReaches(c, own, reads ? flights[at].result.size() : uint64_t{0});
  if (!back) return AwaitAgain(c, qp, c.agenda->Now() + c.profile->timing.Timewait());
  const Instant last = at > 0 ? flights[at - 1].answered : Instant::Never();
  const bool behind = last != Instant::Never();
  const Instant answered = behind ? std::max(*back, last) : *back;
  flights[at].answered = answered;
  if (!behind || last != answered) c.agenda->At(answered, EventKind::kWorkDue, qp);
  if (own.again == Instant::Never()) return;
  if (!AnswersBefore(&own, at, answered)) return AwaitAgain(c, qp, answered);
  if (std::none_of(flights, own.flights.end(), IsMissing)) own.again = Instant::Never();
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
  // Soft-RoCE takes 7 retries for as many as it takes; here they are seven, as in IBA 9.7.5.1.3.
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
  Fifo<Flight> flights = own.flights;
  uint32_t packets = own.packets;
  for (size_t left = drains ? own.draining : rest.size(); left > 0; --left) {
    Flight flight{.left = c.agenda->Now()};
    if (flights.empty()) {
      flight.first_packet = packets++;
    } else {
      flight = flights.front();
      flights.pop_front();
    }
    Delivery delivery(c, this, qp, rest.front());
    delivery.Execute(&flight);
    delivery.Note(flight, Instant::Never());
    rest.pop_front();
  }
}

}  // namespace cm::sim
