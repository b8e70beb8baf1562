// A conversation's world under the real library.
#ifndef CONFORMANCE_ADAPTERS_LIB_SIMULATED_BACKEND_H_
#define CONFORMANCE_ADAPTERS_LIB_SIMULATED_BACKEND_H_

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "conformance/adapters/dl/virtual_backend.h"
#include "conformance/adapters/lib/libraries.h"
#include "sim/fake_libibverbs/backend.h"
#include "sim/harness/fiber.h"
#include "sim/uapi/machine.h"
#include "sim/world/world.h"

namespace cm {

// Every call runs on a fiber of its lane, which yields where the kernel, or the library itself,
// lets a thread sleep. Threads within a synchronous call continue as soon as they can, like those
// of the simulated library; others when they are polled.
class SimulatedBackend : public VirtualBackend,
                         public sim::fake_libibverbs::Backend,
                         private sim::uapi::Memory {
 public:
  // All of them must outlive this object. One at a time in a process.
  SimulatedBackend(const Conversation& conversation, const Profile* profile,
                   const Libraries* libraries);
  ~SimulatedBackend() override;

  // VirtualBackend
  void Enter(Lane lane) override { lane_ = lane; }
  const RdmaCmApi& api() const override { return libraries_.of_sides[lane_.side]; }
  Instant Now() const override { return world_.Now(); }
  std::optional<Instant> NextAt() const override { return world_.NextAt(); }
  void Step() override;
  void Advance(Instant until) override;
  bool Make(CallKind kind, std::function<void()> made) override;
  bool Continue(Products* products) override;
  size_t Pick(size_t threads) override { return drawn_ ? world_.PickThread(threads) : 0; }
  bool Readable(rdma_event_channel* channel) override;
  bool Inject(const Fault& fault) override;
  bool Heal() override;
  std::string Leaks() override;

  // sim::fake_libibverbs::Backend
  sim::uapi::Answer Ask(const sim::uapi::Request& request) override;
  void Yield() override { sim::Fiber::Yield(); }
  uint32_t Process() override { return lane_.side; }

 private:
  struct Pending {
    Lane lane;
    bool eager = false;
    std::unique_ptr<sim::Fiber> fiber;
  };

  // sim::uapi::Memory: all processes are this one.
  bool Read(uint32_t process, uint64_t address, std::span<uint8_t> bytes) override;
  bool Write(uint32_t process, uint64_t address, std::span<const uint8_t> bytes) override;

  sim::uapi::Asker Asking() const { return {process_of_[lane_.side], lane_.number}; }
  bool Resume(Pending* pending);
  void GoOn();
  void EndProcess(uint8_t side);

  const Libraries& libraries_;
  bool drawn_;  // the order of threads is drawn, too
  sim::World world_;
  sim::uapi::Machine machine_;
  std::vector<uint32_t> process_of_;  // by side
  Lane lane_;                         // the running lane
  std::vector<Pending> pending_;
  sim::Usage before_;
};

// Lets the library of each side find the devices of the topology, like a program that has used it
// before the first line of the conversation. In a world of its own: the library probes the kernel,
// and binds a port for that. source: rdma-core 44 cma.c ucma_init, ucma_set_af_ib_support
void InitialiseLibraries(const Conversation& conversation, const Profile& profile,
                         const Libraries& libraries);

}  // namespace cm

#endif  // CONFORMANCE_ADAPTERS_LIB_SIMULATED_BACKEND_H_
