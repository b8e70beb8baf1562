// Messages between the threads of a program and the owner of its machine, over a UNIX stream
// socket.
//
// 1. Each thread has its own connection, and begins it with Hello.
// 2. Each Request gets exactly one Answer, when it no longer `waits`; kHold and kAcknowledge get
//    none. Nothing else is answered. Before it may come some Foreseen.
// 3. Interrupt requests the answer immediately: a request that still waits is answered -EINTR. It
//    may cross the answer. Without an outstanding request it says that a thread has been sent a
//    signal.
// 4. Watch and Unwatch apply to the process, not to the thread. Before a request is answered, all
//    descriptors that the process watches are in their right state: see level.h.
// 5. Most go through memory instead, where Hello names a line there: see shared_lines.h.
// 6. An end that reads a malformed message closes the connection. A thread ends with its
//    connection.
#ifndef SIM_UAPI_FRAMING_H_
#define SIM_UAPI_FRAMING_H_

#include <cstdint>
#include <deque>
#include <optional>
#include <span>
#include <variant>
#include <vector>

#include "sim/uapi/request.h"
#include "sim/uapi/shared_lines.h"

namespace cm::sim::uapi {

struct Hello {
  uint32_t process = 0;  // the number that ends the socket's name
  int32_t pid = 0;
  int32_t tid = 0;
  uint32_t line = kNoLine;
};

struct Interrupt {};

// Keeps the pipe of the descriptor (its write end) readable while the answer is 1.
struct Watch {
  uint64_t name = 0;
  bool has_descriptor = false;  // sent with the message; otherwise the name's stays
  Request readable;
};

struct Unwatch {
  uint64_t name = 0;
};

// A request whose answer was foreseen.
struct Foretold {
  Request request;
};

using Message = std::variant<Hello, Request, Answer, Interrupt, Watch, Unwatch, Foreseen, Foretold>;

// The length of the message, 4 bytes, and the message.
std::vector<uint8_t> Encode(const Message& message);

// Parses the bytes after the length.
std::optional<Message> Decode(std::span<const uint8_t> bytes);

// An end of the socket. Blocking or not, as its socket is. Messages without bytes of their own are
// sent and read without allocating memory.
class Connection {
 public:
  explicit Connection(int socket);  // takes ownership
  ~Connection();
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;

  int socket() const { return socket_; }
  // For a child that has closed it: the socket belongs to the parent.
  void Abandon() { socket_ = -1; }

  // Returns 0 or an errno. The peer gets a duplicate of `descriptor`.
  int Send(const Message& message, int descriptor = -1);
  int Send(const Request& request);
  int Send(const Answer& answer);
  int Send(const Foreseen& foreseen);  // it is read with the answer that follows

  // From now on messages come and go through memory, which outlives this object. A program that
  // reads there waits for the next message; the machine does not.
  void ShareAsProgram(SharedLine* line);
  void ShareAsMachine(SharedLine* line);
  bool is_shared() const { return incoming_ != nullptr; }
  const Ring* incoming() const { return incoming_; }  // null without memory
  bool HasInMemory() const { return is_shared() && !incoming_->IsEmpty(); }
  // What is written in memory should be read soon, although nothing is waited for.
  bool IsHalfFull() const { return is_shared() && outgoing_->IsHalfFull(); }

  // The answer to what has been read comes when something else has happened.
  void IsLate();

  // Reads once. Returns 0 or an errno: EINTR, EAGAIN; ECONNRESET at the end.
  int Read();
  // The next complete message read so far; empty when there is none.
  std::optional<Message> Next();
  // True after a malformed message; there is no next message any more.
  bool damaged() const { return damaged_; }
  // The descriptor of the oldest Watch not taken yet, or -1. The caller closes it.
  int TakeDescriptor();

 private:
  int ReadSocket(int flags);
  int SendWritten(int descriptor, bool wakes = true);
  int Write(std::span<const uint8_t> bytes, int descriptor) const;
  bool HasMessage() const;
  std::optional<Message> FromMemory();
  std::optional<Message> FromSocket();

  int socket_;
  bool damaged_ = false;
  bool waits_in_memory_ = false;
  Ring* incoming_ = nullptr;
  Ring* outgoing_ = nullptr;
  uint32_t ahead_ = 0;            // messages of the socket whose places in memory are to be skipped
  std::vector<uint8_t> written_;  // the last message; keeps its memory
  std::vector<uint8_t> read_;
  std::vector<uint8_t> taken_;  // out of memory; keeps its own
  std::deque<int> descriptors_;
};

}  // namespace cm::sim::uapi

#endif  // SIM_UAPI_FRAMING_H_
