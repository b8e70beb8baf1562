// Lines to and from a driver: a process, or a host that listens.
#ifndef CONFORMANCE_ADAPTERS_EXEC_CONNECTION_H_
#define CONFORMANCE_ADAPTERS_EXEC_CONNECTION_H_

#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <variant>

#include "conformance/process/descriptor.h"
#include "conformance/process/process.h"
#include "conformance/process/real_time.h"
#include "model/base/duration.h"

namespace cm {

// The longest line of the protocol, in bytes, without its end.
inline constexpr size_t kLongestLine = 65'536;

// What came from a driver.
struct Heard {
  enum class Kind : uint8_t {
    kLine,
    kEnded,   // there will be nothing more
    kCut,     // the same, in the middle of a line
    kWrong,   // what is no line of the protocol: too long, or not text
    kSilent,  // no whole line within the time, or until the interrupt
  };
  Kind kind = Kind::kLine;
  std::string text;  // the line; of other kinds what happened, for a message
};

// `interrupted`: while it is true no wait for the driver goes on; null: nothing interrupts.
class Connection {
 public:
  // Runs the command by the shell, with the connection as its input and output; its error output is
  // ours. The connection, or the error in one line.
  static std::variant<std::unique_ptr<Connection>, std::string> Run(
      const std::string& command, const std::atomic<bool>* interrupted = nullptr);
  // Connects over TCP to "HOST:PORT", whose every address has to answer within the time; an IPv6
  // address stands in brackets.
  static std::variant<std::unique_ptr<Connection>, std::string> ConnectTo(
      const std::string& address, Duration within, const std::atomic<bool>* interrupted = nullptr);
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;
  // Closes it. A process is left a few seconds to end by itself, or one second where the interrupt
  // has ended a wait; it is asked to, and is killed then: a launcher that is killed may leave
  // behind what it has reserved. What it has left in its process group is killed.
  ~Connection();

  // Sends a line. False when the driver has ended, or has not read it within the time.
  bool Send(std::string_view line, Duration within);
  // The next line, waited for no longer than `within` of this machine's clock.
  Heard Receive(Duration within) { return Receive(Deadline(within), within); }
  // The same, where several lines have one deadline; a message names `within`.
  Heard Receive(const Deadline& deadline, Duration within);
  // A line, or the beginning of one, that is there already.
  bool HasMore();
  // Ends the conversation of the two: no more lines come. The exit code of a process that ends
  // within the time. Its process group is killed.
  std::optional<int> End(Duration within);

 private:
  Connection(Process process, Descriptor socket, const std::atomic<bool>* interrupted)
      : process_(std::move(process)), socket_(std::move(socket)), interrupted_(interrupted) {}
  bool Await(short events, const Deadline& deadline);
  std::optional<std::string> TakeLine();
  Heard Silent(Duration within) const;
  Heard Ended();
  std::optional<int> ExitCodeWithin(Duration limit) const;

  Process process_;
  Descriptor socket_;
  std::string unread_;
  size_t searched_ = 0;  // so far there is no end of a line in it
  const std::atomic<bool>* interrupted_;
  bool cut_short_ = false;  // the interrupt has ended a wait
};

}  // namespace cm

#endif  // CONFORMANCE_ADAPTERS_EXEC_CONNECTION_H_
