// The greeting of a driver. docs/driver_protocol.md is the description for its author.
#ifndef CONFORMANCE_ADAPTERS_EXEC_GREETING_H_
#define CONFORMANCE_ADAPTERS_EXEC_GREETING_H_

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "conformance/adapters/exec/groups.h"
#include "model/vocabulary/capability.h"

namespace cm {

inline constexpr std::string_view kDriverProtocol = "cmcheck-driver 1";

// Whose time the outcomes have.
enum class Clock : uint8_t {
  kSuite,    // the suite's, that of this machine
  kOwn,      // the driver's, of its machine: outcomes begin with it
  kVirtual,  // the same, of a world in which waiting costs nothing
};

struct Greeting {
  std::string name;           // of the connection manager, with its version
  std::string profile;        // by which it is to be judged; empty: by any
  Capabilities capabilities;  // of its environment
  LeftOut left_out;
  std::vector<std::string>
      topologies;  // the only ones that it has; empty: it says when it is asked
  Clock clock = Clock::kSuite;
  bool sees_messages = false;  // lines `mad` may come before an outcome
};

// Reads it line by line, from the line of the protocol's version to `ready`.
class GreetingReader {
 public:
  // The error, with what was given and what would be accepted; or empty.
  std::string Take(std::string_view line);
  bool complete() const { return complete_; }
  const Greeting& greeting() const { return greeting_; }

 private:
  std::string TakeNamed(std::string_view key, std::string_view rest);

  Greeting greeting_;
  bool begun_ = false;
  bool complete_ = false;
};

// The inverse.
std::string ToText(const Greeting& greeting);

}  // namespace cm

#endif  // CONFORMANCE_ADAPTERS_EXEC_GREETING_H_
