// Connections between two IB CMs: messages, timers and timewait as in the simulator, under a
// minimal application. Contains nothing of rdma_cm and librdmacm.
#ifndef TOOLS_BENCH_LIVES_H_
#define TOOLS_BENCH_LIVES_H_

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "model/vocabulary/profile.h"
#include "sim/core/agenda.h"
#include "sim/fabric/fabric.h"
#include "sim/ib_cm/ib_cm.h"
#include "tools/bench/figure.h"

namespace cm::bench {

// A value, as worlds are: a copy continues independently.
class Lives : private sim::IbCmUser {
 public:
  // `with_bytes`: each message is encoded to bytes and decoded again.
  explicit Lives(int64_t connections, bool with_bytes = false);

  // Executes the next event.
  sim::Event Step() {
    const sim::Event event = agenda_.Take();
    agenda_.VisitNearing([this](auto coming, auto near) { Foresee(coming, near); });
    Happens(event);
    return event;
  }
  uint64_t cycles() const { return cycles_; }

 private:
  // An accepted request to be answered.
  struct Request {
    uint32_t connection = 0;
    sim::IbIndex ib;
  };

  // The ids of a connection.
  struct Ends {
    sim::IbIndex active;
    sim::IbIndex passive;
  };

  sim::IbCm::Context Context();
  // Prefetches the objects of events that are near.
  void Foresee(std::span<const sim::Event> coming, std::span<const sim::Event> near) const;
  void Happens(const sim::Event& event);
  void Arrives(uint32_t packet);
  void Application(uint32_t connection);

  bool Listens(uint8_t device, const sim::Mad& req) override;
  sim::RequestVerdict OnRequest(sim::IbIndex ib, uint8_t device, const sim::Mad& req) override;
  void OnIbEvent(sim::CmIdIndex user, sim::IbEventKind kind, const sim::Mad* mad) override;
  void OnIbGone(sim::CmIdIndex user) override;

  sim::Agenda agenda_;
  sim::Fabric fabric_;
  sim::IbCm ib_;
  const Profile* profile_;
  PrivateData request_data_;
  PrivateData reply_data_;
  bool with_bytes_;
  Random random_;
  std::vector<Ends, sim::LargeMemory<Ends>> ends_;  // of each connection
  std::optional<Request> asked_;
  uint64_t cycles_ = 0;
};

}  // namespace cm::bench

#endif  // TOOLS_BENCH_LIVES_H_
