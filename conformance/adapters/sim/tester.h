// Builds the messages of the tester: fields that a conversation does not set are as in Linux.
#ifndef CONFORMANCE_ADAPTERS_SIM_TESTER_H_
#define CONFORMANCE_ADAPTERS_SIM_TESTER_H_

#include <vector>

#include "model/vocabulary/profile.h"
#include "model/vocabulary/tester.h"
#include "model/vocabulary/topology.h"
#include "sim/fabric/mad.h"
#include "sim/world/world.h"

namespace cm {

bool HasTester(const Topology& topology);

// `numbers`: the current numbers of the conversation's ids, or their last ones.
sim::Mad MadFrom(const TesterMad& said, uint8_t side, const std::vector<sim::CmNumbers>& numbers,
                 const Topology& topology, const Limits& limits);

}  // namespace cm

#endif  // CONFORMANCE_ADAPTERS_SIM_TESTER_H_
