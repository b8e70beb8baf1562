// Runs programs against librdmacm, as functions of a test: each on a simulated host, all in one
// process, in virtual time, under faults. Equal seeds give equal runs.
//
//   Harness harness({.seed = 7});
//   harness.AddProgram("passive", "server", [] { Serve(7471); });
//   harness.AddProgram("active", "client", [] { Ask("10.0.1.1", 7471); });
//   harness.At(Duration::Milliseconds(1), {.kind = FaultKind::kLinkDown, .side = kPassiveSide});
//   const Outcome outcome = harness.Run();
//   EXPECT_TRUE(outcome.Clean()) << outcome.Text();
//
// 1. The programs are ordinary C over the real librdmacm. The test's own binary provides libibverbs
//    and /dev/infiniband, before those of the system.
// 2. A program has one thread. It may block in librdmacm, in verbs, in poll() and in sleep(); other
//    programs, and time, go on then. It must not block anywhere else, nor wait for another program
//    by other means; select and epoll find nothing readable.
// 3. All programs share one librdmacm, where real hosts have one each. So a list of devices has
//    those of all hosts; a device of another host can be opened, and each request about it fails
//    with ENODEV. Numbers of ids are unique over all programs; a program knows only its own ids.
// 4. A program that polls in a loop without result, or that reads the clock in a loop, uses a
//    millisecond each time.
// 5. When a program ends, the harness releases all that it still has, as the exit of a process
//    does. A program that cannot end is abandoned: nothing on its stack is destroyed.
// 6. A program that crashes ends the test's process: its signal prints first the seed and the last
//    lines of the conversation.
// 7. Outside of Run nothing is simulated. One harness runs at a time; worlds follow one another.
#ifndef SIM_HARNESS_HARNESS_H_
#define SIM_HARNESS_HARNESS_H_

#include <poll.h>

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "model/base/duration.h"
#include "model/vocabulary/fault.h"
#include "sim/fake_libibverbs/backend.h"
#include "sim/harness/fiber.h"
#include "sim/harness/interposed.h"
#include "sim/harness/open_resources.h"
#include "sim/uapi/machine.h"
#include "sim/world/world.h"

namespace cm::sim {

struct HarnessOptions {
  std::string topology = "two-kernels";  // a name of `cmcheck list topologies`
  std::string profile = "6.1-rxe";       // a name of `cmcheck list profiles`
  uint64_t seed = 1;
  // Virtual time after which a program that has not ended counts as stuck.
  Duration limit = Duration::Seconds(600);
};

struct Outcome {
  // Programs that have not ended and what they wait for, a line each; empty when all have ended.
  std::vector<std::string> waiting;
  // Objects that programs had not released when they ended, a line each.
  std::vector<std::string> left;
  // Commands to ids that had been destroyed, a line each.
  std::vector<std::string> misuse;
  // The programs' requests to their kernels and the answers, the messages on the wire, and the
  // faults, a line each.
  std::vector<std::string> conversation;
  Instant ended;

  bool Clean() const { return waiting.empty() && left.empty() && misuse.empty(); }
  // All of it as text, for the message of a failing test.
  std::string Text() const;
};

class Harness : private fake_libibverbs::Backend, private uapi::Memory, private CallObserver {
 public:
  explicit Harness(const HarnessOptions& options);
  ~Harness() override;
  Harness(const Harness&) = delete;
  Harness& operator=(const Harness&) = delete;

  // Adds a program on `side`, a name of a host in the topology. Programs start in this order, each
  // when those before it wait. Only before Run.
  void AddProgram(std::string_view side, std::string name, std::function<void()> program);
  // Injects `fault` at virtual time `when`, measured from the start of the run. Only before Run.
  void At(Duration when, const Fault& fault);
  // Runs until all programs have ended, or none can continue before the limit. May be called once.
  Outcome Run();

 private:
  enum class Waits : uint8_t {
    kNot,
    kMachine,      // for an answer of the machine
    kItself,       // inside a library, for another thread of the program
    kDescriptors,  // in poll
    kPause,        // for the next poll of a loop
  };
  struct Program {
    std::string name;
    uint8_t side = 0;
    uint32_t process = 0;
    std::unique_ptr<Fiber> fiber;  // null when it has ended
    Waits waits = Waits::kNot;
    Instant since;                     // begin of the wait
    Instant until = Instant::Never();  // end of the wait at the latest
    uapi::Request last;                // its last request
    bool idle = false;                 // that request found nothing
    OpenResources resources;
    std::vector<std::pair<const void*, std::string>> unacknowledged;  // events, with descriptions
    std::string Holds() const;
  };
  struct Happening {
    Instant at;
    Fault fault;
  };
  struct Place {
    uint8_t kernel = 0;
    uint32_t device = 0;  // index in the kernel's own list
  };

  // fake_libibverbs::Backend
  uapi::Answer Ask(const uapi::Request& request) override;
  void Yield() override;
  void Watch(uint64_t name, int write_end, const uapi::Request& readable) override;
  void Unwatch(uint64_t name) override;
  // CallObserver
  int Poll(std::span<pollfd> descriptors, int timeout_ms) override;
  void Fetched(const void* event, std::string words) override {
    running_->unacknowledged.emplace_back(event, std::move(words));
  }
  void Acknowledged(const void* event) override {
    std::erase_if(running_->unacknowledged, [=](const auto& one) { return one.first == event; });
  }
  // uapi::Memory
  bool Read(uint32_t process, uint64_t address, std::span<uint8_t> bytes) override;
  bool Write(uint32_t process, uint64_t address, std::span<const uint8_t> bytes) override;

  uapi::Asker Asker() const { return {.process = running_->process}; }
  uapi::Answer AllDevices();
  bool Localize(uapi::Request* request) const;
  void Wait(Waits waits, Instant until = Instant::Never());
  void Pause();
  const uapi::Request* Watched(const pollfd& descriptor) const;

  void RunAll();
  void Resume(Program* program);
  bool AllEnded() const;
  bool Step();
  void Inject(const Fault& fault);
  void Kill(Program* program);
  void End(Program* program);
  void Say(std::string_view who, Instant at, std::string_view what);
  void SayWire();
  std::string WaitingOf(const Program& program) const;
  void CloseDescriptors();
  static void Prepare();
  Outcome RunPrepared();

  HarnessOptions options_;
  World world_;
  uapi::Machine machine_;
  std::vector<uint32_t> observers_;  // by kernel: processes that only list devices
  std::vector<Place> places_;        // by index in the list of all hosts
  std::vector<Program> programs_;
  Program* running_ = nullptr;
  uint64_t steps_ = 0;     // of the world, and injected faults
  uint64_t requests_ = 0;  // answered so far
  std::vector<Happening> happenings_;
  std::map<uint64_t, uapi::Request> watched_;  // requests that tell whether descriptors are ready
  Outcome outcome_;
};

}  // namespace cm::sim

#endif  // SIM_HARNESS_HARNESS_H_
