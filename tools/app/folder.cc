#include "tools/app/folder.h"

#include <fmt/format.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/un.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <system_error>
#include <utility>

#include "model/base/own_folder.h"
#include "sim/uapi/shared_ports.h"
#include "tools/app/embedded.h"

namespace cm::app {
namespace {

constexpr const char* kInMemory = "/dev/shm";
constexpr const char* kTmp = "/tmp";

// In memory, where programs can be run there and TMPDIR names no other place: a run makes and
// removes a hundred files.
std::filesystem::path Parent() {
  struct statvfs there {};
  const bool executes = statvfs(kInMemory, &there) == 0 && (there.f_flag & ST_NOEXEC) == 0;
  if (executes && std::getenv("TMPDIR") == nullptr && access(kInMemory, W_OK | X_OK) == 0)
    return kInMemory;
  std::error_code error;
  std::filesystem::path parent = std::filesystem::temp_directory_path(error);
  // The path of a socket has at most 107 characters. source: man unix(7)
  return error || parent.string().size() > 60 ? std::filesystem::path("/tmp") : parent;
}

// A program that gives up root for another user goes on to use these files. Other programs of the
// system do not reach them: the folder around them is private, and in its place programs of hosts
// with namespaces have one that is not. source: PlacesOf
bool OpenToPrograms(const std::string& path, mode_t mode) {
  return geteuid() != 0 || chmod(path.c_str(), mode) == 0;
}

}  // namespace

std::variant<Folder, std::string> Folder::Make(bool own_tmp, const std::string& object) {
  const std::filesystem::path parent = Parent();
  std::string path = MakeOwnFolder(parent / "cmsim");
  if (path.empty())
    return fmt::format("no folder in {}: {}", parent.string(), std::strerror(errno));
  Folder folder(path + "/run", own_tmp);
  if (mkdir(folder.path_.c_str(), 0755) != 0 || !OpenToPrograms(folder.path_, 0755))
    return fmt::format("no folder in {}: {}", path, std::strerror(errno));
  std::ofstream out(folder.ObjectPath(), std::ios::binary);
  if (object.empty())
    out << Embedded("libcmsim_app.so");
  else
    out << std::ifstream(object, std::ios::binary).rdbuf();
  out.close();
  if (!out) return fmt::format("cannot write {}", folder.ObjectPath());
  return folder;
}

Folder::Folder(Folder&& other) noexcept
    : path_(std::exchange(other.path_, {})), own_tmp_(other.own_tmp_) {}

Folder::~Folder() {
  std::error_code ignored;
  if (!path_.empty())
    std::filesystem::remove_all(std::filesystem::path(path_).parent_path(), ignored);
}

std::string Folder::SocketPath(uint32_t process) const {
  return fmt::format("{}/socket.{}", path_, process);
}

std::string Folder::HostPath(uint8_t kernel) const {
  return fmt::format("{}/host.{}", path_, kernel);
}

std::string Folder::PortsPath(uint8_t kernel) const {
  return HostPath(kernel) + "/" + sim::uapi::PortsRecord::kName;
}

namespace {

using Places = std::vector<std::pair<std::string, std::string>>;

// `own` is seen in place of `folder`; the folder of the run stays where it is.
void Replace(const std::filesystem::path& folder, const std::filesystem::path& own,
             const std::filesystem::path& run, Places* places) {
  std::error_code error;
  if (!std::filesystem::is_directory(folder, error)) return;
  const std::filesystem::path inside = run.lexically_relative(folder);
  std::filesystem::create_directories(own, error);
  std::filesystem::permissions(own, std::filesystem::perms(01777), error);
  if (!inside.empty() && *inside.begin() != "..") {
    std::filesystem::create_directories(own / inside, error);
    places->emplace_back(run, own / inside);
  }
  places->emplace_back(own, folder);
}

}  // namespace

std::vector<std::pair<std::string, std::string>> Folder::PlacesOf(uint8_t kernel) const {
  Places places;
  const std::filesystem::path memory = HostPath(kernel) + "/shm";
  Replace(kInMemory, memory, path_, &places);
  std::error_code error;
  if (!places.empty()) {
    std::filesystem::create_directories(memory / "tmp", error);
    std::filesystem::permissions(memory / "tmp", std::filesystem::perms(01777), error);
  }
  for (const std::string& file : {TimePath(), LinesPath(), PortsPath(kernel)})
    OpenToPrograms(file, 0666);
  if (own_tmp_) Replace(kTmp, HostPath(kernel) + "/tmp", path_, &places);
  return places;
}

int Folder::Listen(uint32_t process) const {
  constexpr int kBacklog = 64;
  const std::string path = SocketPath(process);
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  path.copy(address.sun_path, sizeof address.sun_path - 1);
  const int listening = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  if (listening < 0) return -1;
  // NOLINTNEXTLINE(cppcoreguidelines-pro-type-reinterpret-cast): as C requires
  const auto* const name = reinterpret_cast<const sockaddr*>(&address);
  if (bind(listening, name, sizeof address) == 0 && listen(listening, kBacklog) == 0 &&
      OpenToPrograms(path, 0777))
    return listening;
  close(listening);
  return -1;
}

}  // namespace cm::app
