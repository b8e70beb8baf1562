// Connections through the whole simulator: two programs that call librdmacm, each with one event
// channel, and a queue pair for every connection.
#ifndef TOOLS_BENCH_LIBRARY_LOAD_H_
#define TOOLS_BENCH_LIBRARY_LOAD_H_

#include <array>
#include <cstdint>

#include "model/vocabulary/profile.h"
#include "sim/core/fifo.h"
#include "sim/lib/calls.h"
#include "sim/lib/library.h"
#include "sim/world/world.h"

namespace cm {

class LibraryLoad {
 public:
  explicit LibraryLoad(const Profile* profile);

  // Begins with the address; later steps are called as the events arrive.
  void Connect();
  // Disconnects the oldest established connection.
  void Disconnect();
  // From now on connections end when they are established; `begins_again` decides whether a new one
  // follows.
  void Cycle(bool begins_again) {
    ends_at_once_ = true;
    begins_again_ = begins_again;
  }
  // Executes the next event, if there is one; both programs handle what they receive.
  bool Step();
  void RunUntil(Instant when);
  // Ends both programs.
  void Exit();

  Instant Now() const { return world_.Now(); }
  uint32_t live() const { return world_.InUse().library_ids; }
  uint64_t standing() const { return standing_.size(); }
  uint64_t events() const { return events_; }
  uint64_t calls() const { return calls_; }
  uint64_t cycles() const { return gone_ / 2; }
  uint64_t failed() const { return failed_; }
  sim::Usage InUse() const { return world_.InUse(); }

 private:
  static constexpr uint8_t kActive = 0;
  static constexpr uint8_t kPassive = 1;

  template <typename Call>
  sim::Progress Do(uint8_t side, const Call& call, const sim::Named& at) {
    ++calls_;
    const sim::Progress progress = world_.Do(side, call, at);
    failed_ += progress.reply.succeeded() ? 0 : 1;
    return progress;
  }
  void Deal(uint8_t side);
  void Handle(uint8_t side, EventType type, uint32_t id);

  sim::World world_;
  std::array<uint32_t, 2> channels_{};  // by side
  uint32_t listener_ = sim::kNobody;
  bool ends_at_once_ = false;
  bool begins_again_ = false;
  uint16_t port_ = 0;
  sim::Fifo<uint32_t> standing_;  // active ids, in the order of establishment
  uint64_t beginning_ = 0;        // new connections to begin
  uint64_t events_ = 0;
  uint64_t calls_ = 0;
  uint64_t gone_ = 0;
  uint64_t failed_ = 0;
};

}  // namespace cm

#endif  // TOOLS_BENCH_LIBRARY_LOAD_H_
