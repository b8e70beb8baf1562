// The private folder of a run: the object for programs, the sockets of their machine, and the files
// of their hosts.
#ifndef TOOLS_APP_FOLDER_H_
#define TOOLS_APP_FOLDER_H_

#include <cstdint>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "sim/uapi/shared_lines.h"
#include "sim/uapi/shared_time.h"

namespace cm::app {

// Deletes the folder and its contents on destruction.
class Folder {
 public:
  // The folder, or the reason why it could not be created. `own_tmp`: each host has a /tmp.
  // `object` is the path of an object for programs; empty: the one that cmcheck contains.
  static std::variant<Folder, std::string> Make(bool own_tmp, const std::string& object = {});
  Folder(Folder&& other) noexcept;
  Folder& operator=(Folder&& other) = delete;
  ~Folder();

  const std::string& path() const { return path_; }
  std::string ObjectPath() const { return path_ + "/libcmsim_app.so"; }
  std::string SocketPath(uint32_t process) const;
  std::string HostPath(uint8_t kernel) const;
  // Makes the host's own /dev/shm, which is empty but for a folder tmp, and its /tmp. What a
  // program of the host has to see in place of other folders, for Launch::places.
  std::vector<std::pair<std::string, std::string>> PlacesOf(uint8_t kernel) const;
  std::string PortsPath(uint8_t kernel) const;
  std::string TimePath() const { return path_ + "/" + std::string(sim::uapi::SharedTime::kName); }
  std::string LinesPath() const { return path_ + "/" + std::string(sim::uapi::SharedLines::kName); }
  // A new listening socket of that name; -1 on failure.
  int Listen(uint32_t process) const;

 private:
  Folder(std::string path, bool own_tmp) : path_(std::move(path)), own_tmp_(own_tmp) {}

  std::string path_;
  bool own_tmp_;
};

}  // namespace cm::app

#endif  // TOOLS_APP_FOLDER_H_
