// The backend of a program whose machine is in another process. The environment names the socket.
#ifndef SIM_FAKE_LIBIBVERBS_CLIENT_H_
#define SIM_FAKE_LIBIBVERBS_CLIENT_H_

#include <sys/un.h>

#include <atomic>
#include <cstdint>

#include "sim/fake_libibverbs/backend.h"
#include "sim/uapi/framing.h"
#include "sim/uapi/request.h"
#include "sim/uapi/shared_lines.h"
#include "sim/uapi/shared_time.h"

namespace cm::sim::fake_libibverbs {

// A thread of the process has asked the machine. A child has asked nothing yet.
bool IsConnected();

class Client : public Backend {
 public:
  // Path of the socket; ends with the process id. Allocates nothing.
  explicit Client(const char* path);

  // Errors: EIO when the connection is lost during the request, ENODEV when there is no connection,
  // EINTR when a signal came, as in a blocking system call. Only a request that may wait is a
  // cancellation point.
  //
  // Each request costs time, and so does what the program has computed before it, where the machine
  // counts that; see computation.h. The clock is read from shared memory, and so is whether a poll
  // that had no result would have one now.
  uapi::Answer Ask(const uapi::Request& request) override;
  int64_t Shown() const override;
  // A sleep of length zero, which ends when other threads have run or something has happened.
  void Yield() override;
  int YieldUntil(int64_t instant, uapi::Look look) override;
  bool SpendLook() override;
  void SpendSending(uint64_t bytes) override;
  void SpendComputation() override;
  void BeginComputation() override;
  void Watch(uint64_t name, int write_end, const uapi::Request& readable) override;
  void Unwatch(uint64_t name) override;
  bool WatchesUnarmed() const override { return false; }
  void LeaveRequest() override;
  void NoteSignal() override;

 private:
  // The connection of the calling thread; null when there is none.
  uapi::Connection* Own();
  uapi::Answer ReadClock();
  // The calling thread spends time, with what it has computed. Where others have not come as far,
  // it waits for them.
  void Spend(int64_t cost);
  // The same; without a connection it does not wait, and asks for none until it has done so often.
  void SpendIfConnected(int64_t cost);
  void AwaitOthers();
  uapi::Answer Send(const uapi::Request& request);
  void Tell(const uapi::Message& message, int descriptor);

  sockaddr_un address_;
  uint32_t process_;
  const uapi::TimeRecord* time_;  // null when there is no broker
  uapi::SharedLines lines_;
  std::atomic<int64_t> shown_{0};  // the latest value of the clock
};

}  // namespace cm::sim::fake_libibverbs

#endif  // SIM_FAKE_LIBIBVERBS_CLIENT_H_
