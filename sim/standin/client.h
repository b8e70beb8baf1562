// The ground of a program whose machine is another process's: the environment names its socket.
#ifndef SIM_STANDIN_CLIENT_H_
#define SIM_STANDIN_CLIENT_H_

#include <sys/un.h>

#include <atomic>
#include <cstdint>

#include "sim/standin/ground.h"
#include "sim/uapi/framing.h"
#include "sim/uapi/request.h"
#include "sim/uapi/shared_time.h"

namespace cm::sim::standin {

class Client : public Ground {
 public:
  // A path that ends with the number of the process. Allocates nothing.
  explicit Client(const char* path);

  // EIO when the connection is lost in it, ENODEV when there is none to be had. EINTR when a signal
  // came, as in a system call that waits. Only what may wait can be cancelled. What time it is, is
  // seen, but by a thread that does nothing else for long: that one has to be heard.
  uapi::Answer Ask(const uapi::Request& request) override;
  // A sleep of no length, which ends when others had their turn, or something has happened.
  void Yield() override;
  void Watch(uint64_t name, int write_end, const uapi::Request& readable) override;
  void Unwatch(uint64_t name) override;

 private:
  // That of the calling thread; null when there is none to be had.
  uapi::Connection* Own();
  void Tell(const uapi::Message& message, int descriptor);

  sockaddr_un address_;
  uint32_t process_;
  const std::atomic<int64_t>* now_;  // null when there is no broker
};

}  // namespace cm::sim::standin

#endif  // SIM_STANDIN_CLIENT_H_
