// The broker's end of a program's socket, for tests.
#ifndef SIM_FAKE_LIBIBVERBS_BY_HAND_H_
#define SIM_FAKE_LIBIBVERBS_BY_HAND_H_

#include <gtest/gtest.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <memory>
#include <optional>
#include <string>

#include "model/base/own_folder.h"
#include "sim/uapi/framing.h"
#include "sim/uapi/shared_time.h"

namespace cm::sim::fake_libibverbs {

// A socket with the name of process 12. A test's own folder may have a path that is too long for a
// socket address.
class Listening {
 public:
  Listening() {
    folder_ = MakeOwnFolder("/tmp/fake_libibverbs");
    if (folder_.empty()) ADD_FAILURE() << "no folder in /tmp: " << std::strerror(errno);
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
    if (time_) unlink(time_path().c_str());
    rmdir(folder_.c_str());
  }
  Listening(const Listening&) = delete;
  Listening& operator=(const Listening&) = delete;

  const std::string& path() const { return path_; }
  // From now on a program that connects reads the time from shared memory.
  void ShareTime(int64_t now, const uapi::Costs& costs = {}) {
    if (!time_) time_ = uapi::SharedTime::Make(time_path(), costs);
    ASSERT_TRUE(time_) << time_path() << ": " << std::strerror(errno);
    time_->Set(now);
  }
  uapi::SharedTime* time() { return time_.get(); }
  int Accept() const { return accept4(listening_, nullptr, nullptr, SOCK_CLOEXEC); }

 private:
  std::string time_path() const { return folder_ + "/" + std::string(uapi::SharedTime::kName); }

  std::string folder_;
  std::string path_;
  std::unique_ptr<uapi::SharedTime> time_;
  int listening_ = -1;
};

// Empty at the end.
inline std::optional<uapi::Message> Hear(uapi::Connection* connection) {
  for (;;) {
    if (std::optional<uapi::Message> message = connection->Next()) return message;
    if (connection->Read() != 0) return std::nullopt;
  }
}

}  // namespace cm::sim::fake_libibverbs

#endif  // SIM_FAKE_LIBIBVERBS_BY_HAND_H_
