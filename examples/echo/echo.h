// A service that sends back what it is sent, over RDMA: both ends of it, as any application would
// have them. Nothing in here knows that it may be tested in a simulation.
#ifndef EXAMPLES_ECHO_ECHO_H_
#define EXAMPLES_ECHO_ECHO_H_

#include <cstdint>
#include <string>
#include <string_view>

namespace echo {

enum class Ending : uint8_t {
  kDone,         // what was asked for has been done
  kNoWay,        // there is no device, address or route, or it is gone
  kRefused,      // the other side does not want to, or nobody listens
  kUnreachable,  // the other side does not answer
  kLost,         // the connection has ended too early
  kGaveUp,       // nothing has happened for too long
  kFailed,       // a call has failed that should not
};
std::string_view ToString(Ending ending);

// A mistake that this code can be told to make, so that a test can show that it is found.
enum class Mistake : uint8_t { kNone, kForgetsToAcknowledgeFailures };

struct Options {
  uint16_t port = 7471;
  int patience_ms = 120'000;  // how long either side waits for something to happen
  Mistake mistake = Mistake::kNone;
};

// Serves one connection after another, until nobody has asked for anything for too long.
Ending Serve(const Options& options);

// Sends `text`, of at most 64 bytes, to the host of that IPv4 address, and waits for the answer.
Ending Ask(const Options& options, const std::string& host, std::string_view text,
           std::string* answer);

}  // namespace echo

#endif  // EXAMPLES_ECHO_ECHO_H_
