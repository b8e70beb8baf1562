// Queue pairs by hand: two ports with a link, and 10 us for each request and each answer.
#ifndef SIM_VERBS_TWO_PORTS_H_
#define SIM_VERBS_TWO_PORTS_H_

#include <gtest/gtest.h>

#include <cstdint>
#include <utility>
#include <vector>

#include "model/vocabulary/profile.h"
#include "model/vocabulary/topology.h"
#include "sim/core/agenda.h"
#include "sim/fabric/fabric.h"
#include "sim/verbs/verbs.h"

namespace cm::sim {

inline constexpr uint8_t kHere = 0;
inline constexpr uint8_t kThere = 1;
inline constexpr Duration kLatency = Duration::Microseconds(10);
inline constexpr Duration kRnrTimer = Duration::Microseconds(655360);

class TwoPorts : public testing::Test {
 protected:
  uint32_t Register(uint8_t device, std::vector<uint8_t> bytes, Region flags = {}) {
    flags.device = device;
    flags.bytes = std::move(bytes);
    return verbs_.regions().Register(flags);
  }
  void ToRts(uint32_t qp, const Connection& connection) {
    verbs_.Connect(qp, connection);
    for (const QpState state : {QpState::kInit, QpState::kRtr, QpState::kRts})
      ASSERT_EQ(verbs_.Modify(qp, state, true), Errno::kNone);
  }
  // Both in RTS, each with the other as its peer.
  void Connect(Connection here = {}, Connection there = {}) {
    here.peer = {kThere, verbs_.at(b_).number};
    there.peer = {kHere, verbs_.at(a_).number};
    ToRts(a_, here);
    ToRts(b_, there);
  }
  static WorkRequest Work(WcOpcode opcode, uint16_t context, std::vector<Piece> pieces) {
    return {.opcode = opcode, .context = context, .pieces = std::move(pieces)};
  }
  Errno Send(uint32_t qp, uint16_t context, std::vector<Piece> pieces = {}) {
    return verbs_.PostSend(c_, qp, Work(WcOpcode::kSend, context, std::move(pieces)));
  }
  Errno Receive(uint32_t qp, uint16_t context, std::vector<Piece> pieces = {}) {
    return verbs_.PostReceive(qp, Work(WcOpcode::kReceive, context, std::move(pieces)));
  }
  Errno Remote(WcOpcode opcode, const Piece& local, const Piece& remote) {
    WorkRequest work = Work(opcode, 0, {local});
    work.remote = remote;
    return verbs_.PostSend(c_, a_, std::move(work));
  }
  void Run() {
    while (agenda_.NextAt()) verbs_.OnWorkDue(c_, agenda_.Take().on());
  }
  void RunUntil(Duration span) {
    while (agenda_.NextAt() && *agenda_.NextAt() - Instant{} <= span)
      verbs_.OnWorkDue(c_, agenda_.Take().on());
  }
  // What has completed, each by its context.
  std::vector<uint16_t> Polled(uint32_t qp, bool sends, WcStatus status) {
    std::vector<uint16_t> contexts;
    while (const auto done = verbs_.Poll(qp, !sends)) {
      EXPECT_EQ(done->status, status) << done->context;
      contexts.push_back(done->context);
    }
    return contexts;
  }
  std::vector<uint16_t> Sent(uint32_t qp, WcStatus status = WcStatus::kSuccess) {
    return Polled(qp, true, status);
  }
  std::vector<uint16_t> Received(uint32_t qp, WcStatus status = WcStatus::kSuccess) {
    return Polled(qp, false, status);
  }
  QpState StateOf(uint32_t qp) const { return verbs_.at(qp).state; }
  const std::vector<uint8_t>& BytesOf(uint32_t region) { return verbs_.regions()[region].bytes; }

  const Profile* const profile_ = FindProfile("6.1-rxe");
  Agenda agenda_;
  Fabric fabric_{FindTopology("two-kernels"), profile_};
  Verbs verbs_{fabric_.topology()};
  const Verbs::Context c_{&agenda_, &fabric_, profile_};
  const uint32_t a_ = verbs_.Create(kHere, false);
  const uint32_t b_ = verbs_.Create(kThere, false);
};

}  // namespace cm::sim

#endif  // SIM_VERBS_TWO_PORTS_H_
