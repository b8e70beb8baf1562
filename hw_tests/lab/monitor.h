// Client of QEMU's machine protocol (QMP): one request, one answer, events ignored.
#ifndef HW_TESTS_LAB_MONITOR_H_
#define HW_TESTS_LAB_MONITOR_H_

#include <chrono>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>

#include "conformance/process/process.h"
#include "hw_tests/lab/problem.h"

namespace lab {

class Monitor {
 public:
  Monitor() = default;
  explicit Monitor(cm::Descriptor connection) : connection_(std::move(connection)) {}

  // Reads QEMU's greeting and leaves its negotiation mode.
  std::optional<Problem> Greet();

  // Returns the answer's "return". `descriptor` is sent with the request.
  Outcome<nlohmann::json> Ask(const std::string& command, const nlohmann::json& arguments,
                              int descriptor = -1);
  Outcome<nlohmann::json> Ask(const std::string& command);

  // Polls until QEMU's state is no longer `state`, or the limit has run out; returns the state
  // then.
  Outcome<std::string> AwaitOtherThan(const std::string& command, const std::string& state,
                                      std::chrono::milliseconds limit);

 private:
  Outcome<nlohmann::json> ReadMessage();

  cm::Descriptor connection_;
  std::string received_;
};

}  // namespace lab

#endif  // HW_TESTS_LAB_MONITOR_H_
