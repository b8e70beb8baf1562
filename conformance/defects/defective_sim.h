// The simulator with one of the named defects switched on.
#ifndef CONFORMANCE_DEFECTS_DEFECTIVE_SIM_H_
#define CONFORMANCE_DEFECTS_DEFECTIVE_SIM_H_

#include <memory>
#include <string_view>

#include "conformance/adapters/sim/sim_adapter.h"
#include "conformance/driver/implementation.h"

namespace cm {

// The plain simulator where the name is empty; null when there is no defect of that name. Of the
// options, `on_wire` is for the plain simulator only.
std::unique_ptr<Implementation> MakeDefectiveSim(SimOptions options, std::string_view defect);

}  // namespace cm

#endif  // CONFORMANCE_DEFECTS_DEFECTIVE_SIM_H_
