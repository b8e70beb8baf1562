// A driver that has sent its greeting: requests, and their answers.
#ifndef CONFORMANCE_ADAPTERS_EXEC_PEER_H_
#define CONFORMANCE_ADAPTERS_EXEC_PEER_H_

#include <atomic>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "conformance/adapters/exec/connection.h"
#include "conformance/adapters/exec/greeting.h"
#include "model/base/duration.h"

namespace cm {

// Where a driver is.
struct DriverPlace {
  std::string command;  // of the shell; empty: at `address`
  std::string address;  // "HOST:PORT"
  std::string token;    // for a driver that listens; empty: none is sent
  // Of this machine's clock: for the connection, for the greeting, until a line is read, and beyond
  // the time that a request may take.
  Duration answers_within = Duration::Seconds(10);
  // While it is true no wait goes on; null: nothing interrupts. It must outlive the driver.
  const std::atomic<bool>* interrupted = nullptr;
};

// An answer, without its time.
struct DriverAnswer {
  std::string text;
  std::optional<Instant> at;          // of a driver with a clock
  std::vector<std::string> messages;  // lines `mad`, with their times
  // How long it took, by this machine's clock; by the driver's, since its last answer, where it has
  // one. With `clock own` whichever is more, as a host's clock may go back.
  Duration took;
};

// Why an answer has come too early to a request that lets `span` pass; empty when it has not.
std::string WhyTooEarly(const DriverAnswer& answer, Duration span);

// Why there is none.
struct DriverFailure {
  std::string what;
  // The process has ended, or the connection; otherwise it broke the protocol.
  bool ended = false;
  bool silent = false;  // so: there was no answer
  bool cut = false;     // so: it ended, in the middle of a line, as where a connection is lost
};

using Answered = std::variant<DriverAnswer, DriverFailure>;

class Peer {
 public:
  // Starts it, and reads its greeting. Or the error, in one line.
  static std::variant<std::unique_ptr<Peer>, std::string> Start(const DriverPlace& place);

  const Greeting& greeting() const { return greeting_; }
  // Sends requests that are answered in turn; none may be under way. A driver that has failed is
  // not asked again: the failure stays.
  void Send(std::string_view request);
  // The answer to the oldest request without one. `within`: the time that the request may take.
  Answered Receive(Duration within);
  Answered Ask(std::string_view request, Duration within);
  // What it has failed with; empty as long as it works.
  const std::optional<DriverFailure>& failure() const { return failure_; }
  // Ends it. The exit code, if it ends by itself within `within`.
  std::optional<int> End(Duration within) { return connection_->End(within); }

 private:
  Peer(std::unique_ptr<Connection> connection, Duration answers_within)
      : connection_(std::move(connection)), answers_within_(answers_within) {}
  std::string ReadGreeting(std::string_view hint);
  DriverFailure Fail(DriverFailure failure);
  std::string TakeTime(std::string* line, DriverAnswer* answer);
  Duration Took(const std::optional<Instant>& at) const;

  std::unique_ptr<Connection> connection_;
  Duration answers_within_;
  Greeting greeting_;
  Instant last_;         // the time of its last answer
  Instant asked_;        // on this machine's clock
  std::string request_;  // the last, for messages
  bool deaf_ = false;    // it has not read a line, or a part of one
  std::optional<DriverFailure> failure_;
};

}  // namespace cm

#endif  // CONFORMANCE_ADAPTERS_EXEC_PEER_H_
