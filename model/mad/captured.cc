#include "model/mad/captured.h"

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "model/base/check.h"
#include "model/mad/pcap.h"

namespace cm::mad {

Bytes ReadFile(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  CM_CHECK(in.good()) << path;
  return {std::istreambuf_iterator<char>(in), {}};
}

std::vector<std::string> CaptureFiles() {
  std::vector<std::string> paths;
  for (const auto& entry : std::filesystem::directory_iterator("model/mad/captures")) {
    if (entry.path().extension() == ".pcap") paths.push_back(entry.path().string());
  }
  std::ranges::sort(paths);  // lint: keys are unique
  return paths;
}

const std::vector<Bytes>& CapturedFrames() {
  static const std::vector<Bytes> frames = [] {
    std::vector<Bytes> all;
    for (const std::string& path : CaptureFiles()) {
      const Bytes file = ReadFile(path);
      PcapReader reader = PcapReader::Open(file).value();
      while (const auto record = reader.Next()) {
        const auto bytes = record->value().bytes;
        all.emplace_back(bytes.begin(), bytes.end());
      }
    }
    return all;
  }();
  return frames;
}

}  // namespace cm::mad
