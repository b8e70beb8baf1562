// The parameters of drawn conversations.
#ifndef CONFORMANCE_WALKS_DRAW_OPTIONS_H_
#define CONFORMANCE_WALKS_DRAW_OPTIONS_H_

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "model/conversation/conversation.h"
#include "model/vocabulary/profile.h"
#include "model/vocabulary/topology_ref.h"

namespace cm {

// One of the topologies of a campaign, and its weight.
struct TopologyShare {
  TopologyRef topology;
  int weight = 1;
};

// The parameters of a drawn conversation, which is a function of them and nothing else.
struct DrawOptions {
  TopologyRef topology;  // null: one of `topologies`
  std::vector<TopologyShare> topologies;
  Profile profile;
  Capabilities capabilities;
  uint64_t seed = 1;
  uint64_t index = 0;
  int calls = 20;
  std::string walk;  // empty: one of all, by weight
  // A conversation that does not suit is drawn again; empty: all suit.
  std::function<bool(const Conversation&)> suits = {};
};

}  // namespace cm

#endif  // CONFORMANCE_WALKS_DRAW_OPTIONS_H_
