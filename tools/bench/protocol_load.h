// Connections at the level of the protocol: the simulated IB CM, a fabric and an agenda, under a
// minimal consumer.
#ifndef TOOLS_BENCH_PROTOCOL_LOAD_H_
#define TOOLS_BENCH_PROTOCOL_LOAD_H_

#include <bit>
#include <cstdint>
#include <vector>

#include "model/base/choice.h"
#include "model/vocabulary/profile.h"
#include "model/vocabulary/topology.h"
#include "sim/core/agenda.h"
#include "sim/core/fifo.h"
#include "sim/fabric/fabric.h"
#include "sim/ib_cm/ib_cm.h"

namespace cm {

// The active ids are on the first kernel of two, the passive ones on the other. Losses are drawn on
// arrival.
class ProtocolLoad : private sim::IbCmUser {
 public:
  ProtocolLoad(const Profile* profile, uint64_t lost_percent);

  // Sends a request from a new id.
  void Connect();
  // Disconnects the oldest established connection.
  void Disconnect();
  // From now on connections end when they are established; `begins_again` decides whether a new one
  // follows.
  void Cycle(bool begins_again) {
    ends_at_once_ = true;
    begins_again_ = begins_again;
  }
  // Executes the next event, if there is one.
  bool Step();
  void RunUntil(Instant when);

  Instant Now() const { return agenda_.Now(); }
  uint32_t live() const { return ib_.ids().live_count(); }
  uint64_t standing() const { return standing_.size(); }
  uint64_t events() const { return events_; }
  uint64_t cycles() const { return gone_ / 2; }
  uint64_t failed() const { return failed_; }
  // Digest of all events, in their order.
  uint64_t digest() const { return digest_; }

 private:
  bool Listens(uint8_t device, const sim::Mad& req) override;
  sim::RequestVerdict OnRequest(sim::IbIndex ib, uint8_t device, const sim::Mad& req) override;
  void OnIbEvent(sim::CmIdIndex user, sim::IbEventKind kind, const sim::Mad* mad) override;
  void OnIbGone(sim::CmIdIndex user) override;
  sim::IbCm::Context Context() { return {&agenda_, &fabric_, this, profile_}; }
  void Happens(const sim::Event& event);
  void Note(uint64_t word) { digest_ = std::rotl((digest_ ^ word) * 0x9e3779b97f4a7c15, 29); }
  void Destroy(sim::IbIndex ib);

  const Profile* profile_;
  uint64_t lost_percent_;
  StreamState coins_ = NamedStream(1, "loss");
  sim::Agenda agenda_;
  sim::Fabric fabric_;
  sim::IbCm ib_;
  bool ends_at_once_ = false;
  bool begins_again_ = false;
  std::vector<sim::IbIndex> requests_;  // to be accepted
  sim::Fifo<sim::IbIndex> standing_;    // active ids, in the order of establishment
  uint64_t beginning_ = 0;              // new connections to begin
  uint32_t qp_number_ = 0;
  uint64_t events_ = 0;
  uint64_t gone_ = 0;
  uint64_t failed_ = 0;
  uint64_t digest_ = 0;
};

}  // namespace cm

#endif  // TOOLS_BENCH_PROTOCOL_LOAD_H_
