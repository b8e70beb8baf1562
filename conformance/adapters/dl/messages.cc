#include "conformance/adapters/dl/messages.h"

#include <sys/socket.h>

#include <algorithm>
#include <cerrno>

namespace cm {
namespace {

template <typename Message>
bool SendMessage(int to, const Message& message) {
  for (;;) {
    const ssize_t sent = send(to, &message, sizeof(message), MSG_NOSIGNAL);
    if (sent >= 0) return sent == sizeof(message);
    if (errno != EINTR) return false;
  }
}

template <typename Message>
std::optional<Message> ReceiveMessage(int from, int flags) {
  Message message;
  for (;;) {
    const ssize_t received = recv(from, &message, sizeof(message), flags);
    if (received == sizeof(message)) return message;
    if (received >= 0 || errno != EINTR) return std::nullopt;
  }
}

constexpr size_t kPiece = 32768;  // fits into one message on every machine

}  // namespace

bool SendText(int to, std::string_view text) {
  if (!SendMessage(to, uint64_t{text.size()})) return false;
  while (!text.empty()) {
    const ssize_t sent = send(to, text.data(), std::min(kPiece, text.size()), MSG_NOSIGNAL);
    if (sent < 0 && errno == EINTR) continue;
    if (sent <= 0) return false;
    text.remove_prefix(static_cast<size_t>(sent));
  }
  return true;
}

std::optional<std::string> ReceiveText(int from) {
  const std::optional<uint64_t> size = ReceiveMessage<uint64_t>(from, 0);
  if (!size) return std::nullopt;
  std::string text(*size, '\0');
  for (size_t have = 0; have < text.size();) {
    const ssize_t received = recv(from, text.data() + have, text.size() - have, 0);
    if (received < 0 && errno == EINTR) continue;
    if (received <= 0) return std::nullopt;
    have += static_cast<size_t>(received);
  }
  return text;
}

bool Send(int to, const Request& request) { return SendMessage(to, request); }
bool Send(int to, const Answer& answer) { return SendMessage(to, answer); }
std::optional<Request> ReceiveRequest(int from) { return ReceiveMessage<Request>(from, 0); }
std::optional<Answer> ReceiveAnswer(int from) { return ReceiveMessage<Answer>(from, MSG_DONTWAIT); }

}  // namespace cm
