#include "tools/cmcheck/app_capture.h"

#include <fmt/format.h>

#include <cstddef>
#include <filesystem>
#include <span>
#include <string_view>
#include <system_error>
#include <utility>

#include "model/vocabulary/profile.h"
#include "tools/app/host.h"
#include "tools/cmcheck/command.h"
#include "tools/cmcheck/report.h"

namespace cm {
namespace {

namespace fs = std::filesystem;

bool IsFolder(const std::string& path) {
  std::error_code error;
  return path.ends_with('/') || fs::is_directory(FromUsersFolder(path), error);
}

}  // namespace

AppCapture::AppCapture(std::string path, const app::Setting& setting)
    : path_(std::move(path)),
      folder_(IsFolder(path_)),
      sockets_only_(setting.profile.transport == Transport::kIwarp),
      topology_(setting.topology) {}

std::string AppCapture::FileOf(uint8_t kernel) const {
  const std::string name = app::NameOfHost(*topology_, kernel);
  return (fs::path(path_) / ((name.empty() ? topology_->hosts[kernel] : name) + ".pcap")).string();
}

std::string AppCapture::Prepare() {
  std::string problem;
  if (!folder_) {
    problem = WhyUnwritable(FromUsersFolder(path_));
  } else {
    std::error_code error;
    fs::create_directories(FromUsersFolder(path_), error);
    if (error) problem = error.message();
    for (uint8_t kernel = 0; problem.empty() && kernel < topology_->hosts.size(); ++kernel)
      problem = WhyUnwritable(FromUsersFolder(FileOf(kernel)));
  }
  if (problem.empty()) return {};
  return fmt::format(
      "--pcap {}: {}; accepted are a file that can be written, and a folder, with a '/' at its "
      "end or there already, for one file a host",
      path_, problem);
}

void AppCapture::Watch(app::Setting* setting) {
  setting->on_socket = [this](sim::SocketNote note) { capture_.Take(std::move(note)); };
  if (sockets_only_) return;
  setting->on_wire = [this](const sim::WireNote& note) { capture_.Take(note); };
  setting->on_arrival = [this](const sim::WireArrival& arrival) { capture_.Take(arrival); };
}

std::string AppCapture::Write() {
  capture_.Finish();
  size_t frames = 0;
  std::string text;
  const auto sink = [&text](std::span<const uint8_t> bytes) {
    text.append(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  };
  constexpr std::string_view kSocketsOnly =
      "; over iWARP, MPA and RDMA over TCP are not in it, only the sockets of programs";
  const std::string_view more = sockets_only_ ? kSocketsOnly : "";
  if (!folder_) {
    frames = capture_.WriteAll(sink);
    if (std::string problem = WriteFile(FromUsersFolder(path_), text); !problem.empty())
      return problem;
    fmt::print("{}: {} frames, {} of those that were sent are lost{}\n", path_, frames,
               capture_.lost(), more);
    return {};
  }
  for (uint8_t kernel = 0; kernel < topology_->hosts.size(); ++kernel) {
    text.clear();
    frames = capture_.WriteHost(kernel, sink);
    if (std::string problem = WriteFile(FromUsersFolder(FileOf(kernel)), text); !problem.empty())
      return problem;
    fmt::print("{}: {} frames\n", FileOf(kernel), frames);
  }
  fmt::print("{}: {} of the messages that were sent are lost{}\n", path_, capture_.lost(), more);
  return {};
}

}  // namespace cm
