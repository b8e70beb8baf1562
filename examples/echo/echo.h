// An echo service over RDMA: both ends of it, as any application would have them. Nothing in here
// depends on the simulator.
#ifndef EXAMPLES_ECHO_ECHO_H_
#define EXAMPLES_ECHO_ECHO_H_

#include <cstdint>
#include <string>
#include <string_view>

namespace echo {

enum class Ending : uint8_t {
  kDone,         // success
  kNoWay,        // no device, address or route, or the device was removed
  kRefused,      // the peer rejected the connection, or has no listener
  kUnreachable,  // the peer does not answer
  kLost,         // the connection ended too early
  kGaveUp,       // timeout
  kFailed,       // a call failed unexpectedly
};
std::string_view ToString(Ending ending);

// A bug that a test can switch on, to show that the test finds it.
enum class Mistake : uint8_t { kNone, kForgetsToAcknowledgeFailures };

struct Options {
  uint16_t port = 7471;
  int patience_ms = 120'000;  // how long either side waits for the next event
  Mistake mistake = Mistake::kNone;
};

// Serves one connection after another, until no request has arrived for `patience_ms`.
Ending Serve(const Options& options);

// Sends `text`, at most 64 bytes, to the host of that IPv4 address, and waits for the reply.
Ending Ask(const Options& options, const std::string& host, std::string_view text,
           std::string* answer);

}  // namespace echo

#endif  // EXAMPLES_ECHO_ECHO_H_
