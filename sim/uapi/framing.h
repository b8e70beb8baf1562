// Messages between the threads of a program and who owns the machine under it, over a UNIX stream
// socket.
//
// 1. A thread has a connection of its own, and begins it with Hello.
// 2. Each Request is answered with one Answer, when it is no longer `waits`. Nothing else is.
// 3. Interrupt asks for the answer now: a request that still waits is answered -EINTR. It crosses
//    answers; where nothing is asked it means nothing.
// 4. Watch and Unwatch are of the process, not of the thread. Before a request is answered, all
//    descriptors that the process has under watch are as they should be: see level.h.
// 5. Whoever hears nonsense closes the connection. A thread's end is the end of its connection.
#ifndef SIM_UAPI_FRAMING_H_
#define SIM_UAPI_FRAMING_H_

#include <cstdint>
#include <deque>
#include <optional>
#include <span>
#include <variant>
#include <vector>

#include "sim/uapi/request.h"

namespace cm::sim::uapi {

struct Hello {
  uint32_t process = 0;  // the number at the end of the socket's name
  int32_t pid = 0;
  int32_t tid = 0;
};

struct Interrupt {};

// The pipe that the descriptor is the write end of shall be readable while asking answers 1.
struct Watch {
  uint64_t name = 0;
  bool has_descriptor = false;  // it comes with the message; otherwise that of the name remains
  Request readable;
};

struct Unwatch {
  uint64_t name = 0;
};

using Message = std::variant<Hello, Request, Answer, Interrupt, Watch, Unwatch>;

// A length, 4 bytes, and so many bytes.
std::vector<uint8_t> Encode(const Message& message);

// Of the bytes behind the length.
std::optional<Message> Decode(std::span<const uint8_t> bytes);

// One end. Blocking or not, as its socket is. What has no bytes of its own is sent and read without
// allocating memory.
class Connection {
 public:
  explicit Connection(int socket);  // which it closes
  ~Connection();
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;

  int socket() const { return socket_; }
  // For a child that closed it: the socket is somebody else's.
  void Abandon() { socket_ = -1; }

  // -> 0 or an errno. The peer gets a duplicate of `descriptor`.
  int Send(const Message& message, int descriptor = -1);

  // Reads once. -> 0 or an errno: EINTR, EAGAIN; ECONNRESET at the end.
  int Read();
  // What has been read so far. Nothing until a message is whole.
  std::optional<Message> Next();
  // Nonsense was read; there is no next message any more.
  bool damaged() const { return damaged_; }
  // The descriptor of the oldest Watch that it was not taken for; the caller's to close. -1: none.
  int TakeDescriptor();

 private:
  int socket_;
  bool damaged_ = false;
  std::vector<uint8_t> written_;  // of the last message; keeps its memory
  std::vector<uint8_t> read_;
  std::deque<int> descriptors_;
};

}  // namespace cm::sim::uapi

#endif  // SIM_UAPI_FRAMING_H_
