// The other end of the socket of a program, for tests.
#ifndef SIM_STANDIN_BY_HAND_H_
#define SIM_STANDIN_BY_HAND_H_

#include <gtest/gtest.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <optional>
#include <string>

#include "sim/uapi/framing.h"

namespace cm::sim::standin {

// A socket with the name of process 12. The folder of a test's own may have a longer name than a
// socket can.
class Listening {
 public:
  Listening() {
    folder_ = "/tmp/standin-XXXXXX";
    if (mkdtemp(folder_.data()) == nullptr)
      ADD_FAILURE() << folder_ << ": " << std::strerror(errno);
    path_ = folder_ + "/machine.12";
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    path_.copy(address.sun_path, sizeof address.sun_path - 1);
    listening_ = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (bind(listening_, reinterpret_cast<sockaddr*>(&address), sizeof address) != 0 ||
        listen(listening_, 8) != 0)
      ADD_FAILURE() << path_ << ": " << std::strerror(errno);
  }
  ~Listening() {
    close(listening_);
    unlink(path_.c_str());
    rmdir(folder_.c_str());
  }
  Listening(const Listening&) = delete;
  Listening& operator=(const Listening&) = delete;

  const std::string& path() const { return path_; }
  int Accept() const { return accept4(listening_, nullptr, nullptr, SOCK_CLOEXEC); }

 private:
  std::string folder_;
  std::string path_;
  int listening_ = -1;
};

// Nothing at the end.
inline std::optional<uapi::Message> Hear(uapi::Connection* connection) {
  for (;;) {
    if (std::optional<uapi::Message> message = connection->Next()) return message;
    if (connection->Read() != 0) return std::nullopt;
  }
}

}  // namespace cm::sim::standin

#endif  // SIM_STANDIN_BY_HAND_H_
