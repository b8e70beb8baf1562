// The simulated librdmacm on the simulated kernel, in process and in virtual time.
#ifndef CONFORMANCE_ADAPTERS_SIM_SIM_ADAPTER_H_
#define CONFORMANCE_ADAPTERS_SIM_SIM_ADAPTER_H_

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "conformance/driver/driver.h"
#include "model/vocabulary/profile.h"

namespace cm {

struct SimOptions {
  Profile profile;
  std::string defect;  // empty: none
  bool watch_wire = true;
  // What the environment may do; the simulator can do everything, and can be told to do no more
  // than another environment.
  Capabilities capabilities;
};

// The defects that can be switched on: name and sentence.
std::vector<std::pair<std::string_view, std::string_view>> SimDefects();

// Null when there is no defect of that name.
std::unique_ptr<Implementation> MakeSimImplementation(SimOptions options);

}  // namespace cm

#endif  // CONFORMANCE_ADAPTERS_SIM_SIM_ADAPTER_H_
