// The simulator with some of the named defects switched on.
#ifndef CONFORMANCE_DEFECTS_DEFECTIVE_SIM_H_
#define CONFORMANCE_DEFECTS_DEFECTIVE_SIM_H_

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "conformance/adapters/sim/sim_adapter.h"
#include "conformance/driver/implementation.h"

namespace cm {

// The plain simulator where there are no names; null when WhyNotTogether objects to them. Of the
// options, `on_wire` is for the plain simulator only.
std::unique_ptr<Implementation> MakeDefectiveSim(SimOptions options,
                                                 const std::vector<std::string>& defects);
// With one defect; with none where the name is empty.
std::unique_ptr<Implementation> MakeDefectiveSim(SimOptions options, std::string_view defect);

}  // namespace cm

#endif  // CONFORMANCE_DEFECTS_DEFECTIVE_SIM_H_
