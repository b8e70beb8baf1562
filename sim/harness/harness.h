// Programs against librdmacm, as functions of a test: each on a simulated host, all of them in one
// process, in virtual time, under faults, the same for the same seed.
//
//   Harness harness({.seed = 7});
//   harness.AddProgram("passive", "server", [] { Serve(7471); });
//   harness.AddProgram("active", "client", [] { Ask("10.0.1.1", 7471); });
//   harness.At(Duration::Milliseconds(1), {.kind = FaultKind::kLinkDown, .side = kPassiveSide});
//   const Outcome outcome = harness.Run();
//   EXPECT_TRUE(outcome.Clean()) << outcome.Text();
//
// 1. The programs are ordinary C: the real librdmacm is under them. What it would find in
// libibverbs
//    and behind /dev/infiniband is in the test's own binary, before that of the system.
// 2. A program has one thread. It may block in librdmacm, in verbs, in poll() and in sleep(), which
//    lets the others go on, and time. It may not block anywhere else, nor wait for another program
//    by other means; select and epoll find nothing readable.
// 3. All programs call one librdmacm, where those of different hosts would have one each. So a list
//    of devices names those of all hosts; one of another host can be opened, and is ENODEV for
//    whatever asks about it. Ids are numbered through, and no id is known to another program.
// 4. What asks again and again, and finds nothing or looks at the clock, takes a millisecond each
//    time.
// 5. A program that ends gives all back that it still has, as a process would. One that cannot end
//    is forgotten where it stands: nothing on its stack is destroyed.
// 6. Outside of Run nothing is simulated. One harness runs at a time; worlds follow one another.
#ifndef SIM_HARNESS_HARNESS_H_
#define SIM_HARNESS_HARNESS_H_

#include <poll.h>

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "model/base/duration.h"
#include "model/vocabulary/fault.h"
#include "sim/harness/fiber.h"
#include "sim/harness/holdings.h"
#include "sim/standin/ground.h"
#include "sim/uapi/machine.h"
#include "sim/world/world.h"

namespace cm::sim {

struct HarnessOptions {
  std::string topology = "two-kernels";  // a name of `cmcheck list topologies`
  std::string profile = "6.1-rxe";       // a name of `cmcheck list profiles`
  uint64_t seed = 1;
  // Virtual time after which a program that has not ended never will.
  Duration limit = Duration::Seconds(600);
};

struct Outcome {
  // Who has not ended, and what he waits for, a line each; empty when all programs have.
  std::vector<std::string> waiting;
  // What programs had not given back when they ended, a line each.
  std::vector<std::string> left;
  // Commands to ids that had been destroyed, a line each.
  std::vector<std::string> misuse;
  // What the programs asked of their kernels and were answered, the messages between these, and the
  // faults, a line each.
  std::vector<std::string> conversation;
  Instant ended;

  bool Clean() const { return waiting.empty() && left.empty() && misuse.empty(); }
  // All of it as a text, as a failing test shows it.
  std::string Text() const;
};

class Harness : public standin::Ground, private uapi::Memory {
 public:
  explicit Harness(const HarnessOptions& options);
  ~Harness() override;
  Harness(const Harness&) = delete;
  Harness& operator=(const Harness&) = delete;

  // Programs begin in the order in which they are added, each when those before it wait.
  void AddProgram(std::string_view side, std::string name, std::function<void()> program);
  // Lets it happen at that time, or as soon as a program has got that far.
  void At(Duration when, const Fault& fault);
  // Goes on until all programs have ended, or none of them will. Once.
  Outcome Run();

  World& world() { return world_; }

  // Null outside of Run.
  static Harness* Running();
  // poll(2), for a program.
  int Poll(std::span<pollfd> descriptors, int timeout_ms);
  // A program has fetched an event, or has acknowledged it.
  void Fetched(const void* event, std::string words) {
    running_->unacknowledged.emplace_back(event, std::move(words));
  }
  void Acknowledged(const void* event) {
    std::erase_if(running_->unacknowledged, [=](const auto& one) { return one.first == event; });
  }

  // standin::Ground
  uapi::Answer Ask(const uapi::Request& request) override;
  void Yield() override;
  void Watch(uint64_t name, int write_end, const uapi::Request& readable) override;
  void Unwatch(uint64_t name) override;

 private:
  enum class Waits : uint8_t {
    kNot,
    kMachine,      // for an answer
    kItself,       // inside a library, for another thread of the program
    kDescriptors,  // in poll
    kPause,        // for nothing: it asks again
  };
  struct Program {
    std::string name;
    uint8_t side = 0;
    uint32_t process = 0;
    std::unique_ptr<Fiber> fiber;  // null when it is over
    Waits waits = Waits::kNot;
    Instant since;                     // when it began to wait
    Instant until = Instant::Never();  // how long it waits at most
    uapi::Request last;                // that it made
    bool idle = false;                 // which found nothing
    Holdings holdings;
    std::vector<std::pair<const void*, std::string>> unacknowledged;  // events, and what each is
    std::string Holds() const;
  };
  struct Happening {
    Instant at;
    Fault fault;
  };
  struct Place {
    uint8_t kernel = 0;
    uint32_t device = 0;  // in the kernel's own list
  };

  bool Read(uint32_t process, uint64_t address, std::span<uint8_t> bytes) override;
  bool Write(uint32_t process, uint64_t address, std::span<const uint8_t> bytes) override;

  uapi::Asker Asking() const { return {.process = running_->process}; }
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
  std::vector<uint32_t> observers_;  // by kernel: processes that only look at devices
  std::vector<Place> places_;        // of all devices
  std::vector<Program> programs_;
  Program* running_ = nullptr;
  uint64_t steps_ = 0;     // of the world, and what came from outside
  uint64_t requests_ = 0;  // that were answered
  std::vector<Happening> happenings_;
  std::map<uint64_t, uapi::Request> watched_;  // how to ask whether a descriptor is readable
  Outcome outcome_;
};

}  // namespace cm::sim

#endif  // SIM_HARNESS_HARNESS_H_
