#include "conformance/adapters/dl/messages.h"

#include <sys/socket.h>

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

}  // namespace

bool Send(int to, const Request& request) { return SendMessage(to, request); }
bool Send(int to, const Answer& answer) { return SendMessage(to, answer); }
std::optional<Request> ReceiveRequest(int from) { return ReceiveMessage<Request>(from, 0); }
std::optional<Answer> ReceiveAnswer(int from) { return ReceiveMessage<Answer>(from, MSG_DONTWAIT); }

}  // namespace cm
