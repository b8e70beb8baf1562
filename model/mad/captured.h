// The stored captures, for tests.
#ifndef MODEL_MAD_CAPTURED_H_
#define MODEL_MAD_CAPTURED_H_

#include <cstdint>
#include <string>
#include <vector>

namespace cm::mad {

using Bytes = std::vector<uint8_t>;

Bytes ReadFile(const std::string& path);

// Their paths, sorted.
std::vector<std::string> CaptureFiles();

// The frames of all captures, one after another; all have Ethernet headers.
const std::vector<Bytes>& CapturedFrames();

}  // namespace cm::mad

#endif  // MODEL_MAD_CAPTURED_H_
