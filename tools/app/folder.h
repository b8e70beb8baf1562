// What programs are started with: a folder of nobody else's with the object for programs, the
// sockets of their machine, and what is in files on their hosts.
#ifndef TOOLS_APP_FOLDER_H_
#define TOOLS_APP_FOLDER_H_

#include <cstdint>
#include <string>
#include <variant>

#include "sim/uapi/shared_time.h"

namespace cm::app {

// Gone with all that is in it when this goes.
class Folder {
 public:
  // Otherwise why there is none.
  static std::variant<Folder, std::string> Make();
  Folder(Folder&& other) noexcept;
  Folder& operator=(Folder&& other) = delete;
  ~Folder();

  const std::string& path() const { return path_; }
  std::string ObjectPath() const { return path_ + "/libcmsim_app.so"; }
  std::string SocketPath(uint32_t process) const;
  std::string HostPath(uint8_t kernel) const;
  std::string TimePath() const { return path_ + "/" + std::string(sim::uapi::SharedTime::kName); }
  // A new socket of that name, which programs connect to; -1 when there is none to be had.
  int Listen(uint32_t process) const;

 private:
  explicit Folder(std::string path) : path_(std::move(path)) {}

  std::string path_;
};

}  // namespace cm::app

#endif  // TOOLS_APP_FOLDER_H_
