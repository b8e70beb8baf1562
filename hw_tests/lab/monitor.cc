#include "hw_tests/lab/monitor.h"

#include <errno.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <cstring>
#include <nlohmann/json.hpp>
#include <thread>

namespace lab {
namespace {

using Clock = std::chrono::steady_clock;
using nlohmann::json;

// QEMU answers from a thread of its own, so a busy guest does not delay it. Many guests that start
// at once on a busy host do.
constexpr std::chrono::milliseconds kAnswerLimit = std::chrono::seconds(300);

Problem Lost(const std::string& what) { return {"QEMU " + what, ProblemKind::kLost}; }

// Sends the text, with the descriptor attached to its first byte.
bool SendWith(int connection, const std::string& text, int descriptor) {
  std::array<char, CMSG_SPACE(sizeof(int))> control = {};
  iovec bytes = {const_cast<char*>(text.data()), text.size()};
  msghdr message = {};
  message.msg_iov = &bytes;
  message.msg_iovlen = 1;
  if (descriptor >= 0) {
    message.msg_control = control.data();
    message.msg_controllen = control.size();
    cmsghdr* header = CMSG_FIRSTHDR(&message);
    header->cmsg_level = SOL_SOCKET;
    header->cmsg_type = SCM_RIGHTS;
    header->cmsg_len = CMSG_LEN(sizeof(int));
    std::memcpy(CMSG_DATA(header), &descriptor, sizeof(int));
  }
  return sendmsg(connection, &message, MSG_NOSIGNAL) == static_cast<ssize_t>(text.size());
}

}  // namespace

std::optional<Problem> Monitor::Greet() {
  const Outcome<json> greeting = ReadMessage();
  if (!greeting.ok()) return greeting.problem();
  const Outcome<json> answer = Ask("qmp_capabilities");
  if (!answer.ok()) return answer.problem();
  return std::nullopt;
}

Outcome<json> Monitor::Ask(const std::string& command) { return Ask(command, json::object()); }

Outcome<json> Monitor::Ask(const std::string& command, const json& arguments, int descriptor) {
  const std::string request = json{{"execute", command}, {"arguments", arguments}}.dump() + "\n";
  if (!SendWith(connection_.get(), request, descriptor)) return Lost("has closed its monitor");
  for (;;) {
    Outcome<json> message = ReadMessage();
    if (!message.ok()) return message;
    if (message.value().contains("return")) return json(message.value()["return"]);
    if (message.value().contains("error")) {
      return Lost("refuses " + command + ": " +
                  message.value()["error"].value("desc", "no reason"));
    }
  }
}

Outcome<std::string> Monitor::AwaitOtherThan(const std::string& command, const std::string& state,
                                             std::chrono::milliseconds limit) {
  const auto until = Clock::now() + limit;
  for (;;) {
    const Outcome<json> answer = Ask(command);
    if (!answer.ok()) return answer.problem();
    const std::string now = answer.value().value("status", "");
    if (now != state) return now;
    if (Clock::now() >= until) return Lost("stays in state " + state);
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
  }
}

Outcome<json> Monitor::ReadMessage() {
  const auto until = Clock::now() + kAnswerLimit;
  for (;;) {
    const size_t end = received_.find('\n');
    if (end != std::string::npos) {
      json message = json::parse(received_.substr(0, end), nullptr, /*allow_exceptions=*/false);
      received_.erase(0, end + 1);
      if (!message.is_object()) return Lost("says what is no message");
      return message;
    }
    const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(until - Clock::now());
    pollfd ready = {connection_.get(), POLLIN, 0};
    const int count = left.count() <= 0 ? 0 : poll(&ready, 1, static_cast<int>(left.count()));
    if (count == 0) return Lost("does not answer its monitor");
    if (count < 0 && errno == EINTR) continue;
    std::array<char, 4096> buffer;
    const ssize_t n = read(connection_.get(), buffer.data(), buffer.size());
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return Lost("has ended");
    received_.append(buffer.data(), static_cast<size_t>(n));
  }
}

}  // namespace lab
