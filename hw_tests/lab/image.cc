#include "hw_tests/lab/image.h"

#include <errno.h>
#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <optional>
#include <system_error>
#include <vector>

#include "hw_tests/lab/cache.h"
#include "hw_tests/lab/embedded.h"
#include "hw_tests/lab/last_line.h"
#include "model/base/duration.h"
#include "model/base/files.h"

namespace lab {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kComplaint = "build_image.sh: ";
constexpr int kAskEveryMs = 100;

std::string FirstLine(const std::string& text) { return text.substr(0, text.find('\n')); }

// The version in the line "NAME VERSION" of that name.
std::string VersionOf(const std::string& versions, const std::string& name) {
  const std::string lines = "\n" + versions;
  const size_t line = lines.find("\n" + name + " ");
  if (line == std::string::npos) return "";
  return FirstLine(lines.substr(line + name.size() + 2));
}

// The folder of package lists of a release that is not this machine's.
fs::path SuiteFolder(const ImageSettings& settings) {
  return fs::absolute(settings.cache) / ("apt-" + settings.suite);
}

// Runs the builder's script and parses its output.
class Builder {
 public:
  Builder(const ImageSettings& settings, const Caller& caller)
      : settings_(settings), caller_(caller) {}

  // All of its output, or the Problem that it reports.
  Outcome<std::string> Run(const std::vector<std::string>& words, bool shows_progress);

  const cm::Descriptor& tool() const { return tool_; }

 private:
  Outcome<std::string> Listen(cm::Process& process, int output, bool shows_progress);
  void TakeLines(std::string& rest, bool shows_progress);
  bool Cancelled() const { return caller_.cancelled && caller_.cancelled(); }

  const ImageSettings& settings_;
  const Caller& caller_;
  const cm::Descriptor script_ = cm::MemoryFile(Embedded("build_image.sh"));
  const cm::Descriptor tool_ = cm::MemoryFile(Embedded("guest_tool"));
  std::string said_;
  std::string complaint_;
};

Outcome<std::string> Builder::Run(const std::vector<std::string>& words, bool shows_progress) {
  std::optional<cm::Ends> pipe = cm::Pipe();
  if (!pipe) return Problem{std::string("cannot make a pipe: ") + strerror(errno)};
  cm::Launch launch;
  launch.arguments = {"sh", cm::InheritedPath(script_)};
  if (!settings_.suite.empty())
    launch.arguments.insert(launch.arguments.end(),
                            {"--suite", settings_.suite, SuiteFolder(settings_).string()});
  if (settings_.driver == RdmaDriver::kSiw) launch.arguments.emplace_back("--siw");
  launch.arguments.insert(launch.arguments.end(), words.begin(), words.end());
  launch.environment = {"PATH=" + settings_.search_path};
  launch.inherited = {script_.get(), tool_.get()};
  launch.output = pipe->second.get();
  // Catches our end, so that the script removes its unfinished files.
  launch.death_signal = SIGTERM;
  auto started = cm::Process::Start(launch);
  if (auto* const problem = std::get_if<std::string>(&started)) return Problem{*problem};
  pipe->second.Close();
  return Listen(std::get<cm::Process>(started), pipe->first.get(), shows_progress);
}

Outcome<std::string> Builder::Listen(cm::Process& process, int output, bool shows_progress) {
  std::string rest;
  bool stopped = false;
  for (;;) {
    pollfd ready = {output, POLLIN, 0};
    if (!stopped && Cancelled()) {
      process.Signal(SIGTERM);
      stopped = true;
    }
    if (poll(&ready, 1, kAskEveryMs) <= 0) continue;
    std::array<char, 4096> buffer;
    const ssize_t n = read(output, buffer.data(), buffer.size());
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) break;
    rest.append(buffer.data(), static_cast<size_t>(n));
    TakeLines(rest, shows_progress);
  }
  const int status = process.Wait(cm::Duration::Seconds(10)).value_or(1);
  if (stopped) return Problem{"interrupted while building the image", ProblemKind::kCancelled};
  if (WIFEXITED(status) && WEXITSTATUS(status) == 0) return said_;
  if (!complaint_.empty()) return Problem{complaint_};
  return Problem{"building the image failed: " + LastLine(said_ + rest)};
}

void Builder::TakeLines(std::string& rest, bool shows_progress) {
  for (size_t end = 0; (end = rest.find('\n')) != std::string::npos; rest.erase(0, end + 1)) {
    const std::string line = rest.substr(0, end);
    if (line.starts_with(kComplaint)) {
      complaint_ = line.substr(kComplaint.size());
    } else if (shows_progress && caller_.progress) {
      caller_.progress(line);
    }
    said_ += line + "\n";
  }
}

// Identity of the package lists without reading them: running apt takes two seconds.
std::string ListsStamp(const fs::path& folder) {
  std::vector<std::string> lists;
  std::error_code error;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder, error)) {
    if (entry.path().filename().string().find("_Packages") == std::string::npos) continue;
    lists.push_back(InstalledIdentity(entry.path().string()));
  }
  std::sort(lists.begin(), lists.end());
  CacheKey key;
  for (const std::string& list : lists) key.Add(list);
  return key.Digits();
}

// The newest image of the same scripts, when apt cannot list the packages.
std::optional<fs::path> NewestImage(const fs::path& cache, const std::string& prefix) {
  std::optional<fs::path> newest;
  fs::file_time_type newest_time = fs::file_time_type::min();
  std::error_code error;
  for (const fs::directory_entry& entry : fs::directory_iterator(cache, error)) {
    const std::string name = entry.path().filename().string();
    if (!name.starts_with(prefix) || !fs::exists(entry.path() / "vmlinux", error)) continue;
    const fs::file_time_type time = entry.last_write_time(error);
    if (newest && time <= newest_time) continue;
    newest = entry.path();
    newest_time = time;
  }
  return newest;
}

void Remember(const fs::path& link, const fs::path& image) {
  std::error_code error;
  fs::remove(link, error);
  fs::create_symlink(image.filename(), link, error);  // Without it the next start runs apt again.
}

}  // namespace

Outcome<Image> Image::Ensure(const ImageSettings& settings, const Caller& caller) {
  std::error_code error;
  fs::create_directories(settings.cache, error);
  if (error) return Problem{settings.cache.string() + ": " + error.message()};
  const std::string recipe = CacheKey()
                                 .Add(Embedded("build_image.sh"))
                                 .Add(Embedded("guest_tool"))
                                 .Add(settings.suite)
                                 .Add(settings.driver == RdmaDriver::kSiw ? "siw" : "rxe")
                                 .Digits();
  const auto known = [&] {
    const fs::path lists =
        settings.suite.empty() ? settings.package_lists : SuiteFolder(settings) / "lists";
    return settings.cache / ("known-" + recipe + "-" + ListsStamp(lists));
  };
  if (fs::exists(known() / "vmlinux", error)) return Open(fs::canonical(known(), error));

  Builder asking(settings, caller);
  const Outcome<std::string> versions = asking.Run({"--versions"}, /*shows_progress=*/false);
  const std::string prefix = "image-" + recipe + "-";
  if (!versions.ok()) {
    const std::optional<fs::path> newest = NewestImage(settings.cache, prefix);
    if (newest) return Open(*newest);
    return versions.problem();
  }
  const fs::path folder = settings.cache / (prefix + CacheKey().Add(versions.value()).Digits());
  if (!fs::exists(folder / "vmlinux", error)) {
    Builder building(settings, caller);
    const Outcome<std::string> built = building.Run(
        {"--agent", cm::InheritedPath(building.tool()), folder.string()}, /*shows_progress=*/true);
    if (!built.ok()) return built.problem();
  }
  Remember(known(), folder);  // The query may have fetched the lists.
  return Open(folder);
}

Outcome<Image> Image::Open(const fs::path& folder) {
  Image image;
  image.folder_ = folder;
  image.kernel_release_ = FirstLine(cm::ReadFile(folder / "release").value_or(""));
  const std::string versions = cm::ReadFile(folder / "versions").value_or("");
  image.kernel_version_ = VersionOf(versions, "linux-image-" + image.kernel_release_);
  image.librdmacm_version_ = VersionOf(versions, "librdmacm1");
  if (image.librdmacm_version_.empty())
    image.librdmacm_version_ = VersionOf(versions, "librdmacm1t64");
  if (image.kernel_version_.empty() || image.librdmacm_version_.empty()) {
    return Problem{folder.string() + " is no image of the lab: remove it"};
  }
  return image;
}

}  // namespace lab
