// A program in any language as an implementation: it carries out conversations line by line.
// docs/driver_protocol.md is the description for its author.
#ifndef CONFORMANCE_ADAPTERS_EXEC_EXEC_ADAPTER_H_
#define CONFORMANCE_ADAPTERS_EXEC_EXEC_ADAPTER_H_

#include <functional>
#include <memory>
#include <string>
#include <variant>

#include "conformance/adapters/exec/peer.h"
#include "conformance/driver/implementation.h"
#include "model/base/duration.h"
#include "model/vocabulary/profile.h"

namespace cm {

struct ExecOptions {
  DriverPlace place;
  Profile profile;
  // Without virtual time: a call that has not returned by then is to be answered `blocked`.
  Duration patience = Duration::Seconds(5);
  // Of a driver that is reached over a connection that may be lost: its end proves nothing. It is
  // called with what is known of it; empty: its end is a crash.
  std::function<void(const std::string& what)> lost = {};
};

// The implementation, or the error in one line. A driver carries out one conversation after the
// other; one that ends is started again for the next. One that breaks the protocol has spoiled the
// implementation.
std::variant<std::unique_ptr<Implementation>, std::string> MakeExecImplementation(
    ExecOptions options);

}  // namespace cm

#endif  // CONFORMANCE_ADAPTERS_EXEC_EXEC_ADAPTER_H_
