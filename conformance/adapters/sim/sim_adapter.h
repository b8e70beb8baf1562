// The simulated librdmacm on the simulated kernel, in process and in virtual time.
#ifndef CONFORMANCE_ADAPTERS_SIM_SIM_ADAPTER_H_
#define CONFORMANCE_ADAPTERS_SIM_SIM_ADAPTER_H_

#include <functional>
#include <memory>

#include "conformance/driver/implementation.h"
#include "model/vocabulary/profile.h"

namespace cm::sim {
struct WireNote;
}

namespace cm {

struct SimOptions {
  Profile profile;
  bool watch_wire = true;
  // What the environment may do; the simulator can do everything, and can be told to do no more
  // than another environment.
  Capabilities capabilities;
  // Hears of every message whole, where the history says its kind. `watch_wire` has to be on.
  std::function<void(const sim::WireNote&)> on_wire;
  bool acks_take_no_time = false;  // as in SessionOptions
};

std::unique_ptr<Implementation> MakeSimImplementation(SimOptions options);

}  // namespace cm

#endif  // CONFORMANCE_ADAPTERS_SIM_SIM_ADAPTER_H_
