#include "model/capture/stored_captures.h"

#include <algorithm>
#include <filesystem>

#include "model/base/check.h"
#include "model/mad/captured.h"

namespace cm::wire {

const std::vector<Capture>& StoredCaptures() {
  static const std::vector<Capture> captures = [] {
    std::vector<Capture> all;
    for (const std::string& path : mad::CaptureFiles())
      all.push_back(*ReadCapture(std::filesystem::path(path).stem().string(), mad::ReadFile(path)));
    return all;
  }();
  return captures;
}

const Capture& StoredCapture(const std::string& name) {
  const auto& all = StoredCaptures();
  const auto found =
      std::find_if(all.begin(), all.end(), [&](const Capture& one) { return one.name == name; });
  CM_CHECK(found != all.end()) << name;
  return *found;
}

}  // namespace cm::wire
