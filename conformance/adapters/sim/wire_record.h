// A message on the simulated wire as a history has it.
#ifndef CONFORMANCE_ADAPTERS_SIM_WIRE_RECORD_H_
#define CONFORMANCE_ADAPTERS_SIM_WIRE_RECORD_H_

#include "model/conversation/history.h"
#include "model/vocabulary/topology.h"
#include "sim/fabric/fabric.h"

namespace cm::sim {

// Without its frame. The sender is the first side of the device.
WireRecord RecordOf(const WireNote& note, const Topology& topology);

}  // namespace cm::sim

#endif  // CONFORMANCE_ADAPTERS_SIM_WIRE_RECORD_H_
