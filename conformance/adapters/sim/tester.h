// Builds the messages of the tester: fields that a conversation does not set are as in Linux.
#ifndef CONFORMANCE_ADAPTERS_SIM_TESTER_H_
#define CONFORMANCE_ADAPTERS_SIM_TESTER_H_

#include <vector>

#include "model/vocabulary/profile.h"
#include "model/vocabulary/tester.h"
#include "model/vocabulary/topology.h"
#include "sim/fabric/mad.h"
#include "sim/world/world.h"

namespace cm::sim {

bool HasTester(const Topology& topology);

// `numbers`: what the ids of the conversation are known by, or were when they were last seen.
Mad MadFrom(const TesterMad& said, uint8_t side, const std::vector<CmNumbers>& numbers,
            const Topology& topology, const Limits& limits);

}  // namespace cm::sim

#endif  // CONFORMANCE_ADAPTERS_SIM_TESTER_H_
