// References to topologies.
#ifndef MODEL_VOCABULARY_TOPOLOGY_REF_H_
#define MODEL_VOCABULARY_TOPOLOGY_REF_H_

#include <memory>
#include <utility>

#include "model/vocabulary/topology.h"

namespace cm {

// A reference to a topology: a built-in one, or one of a conversation's own, which lives as long as
// a reference to it.
class TopologyRef {
 public:
  TopologyRef() = default;
  TopologyRef(const Topology* built_in) : topology_(built_in) {}  // NOLINT: as a pointer is
  explicit TopologyRef(Topology own)
      : owned_(std::make_shared<const Topology>(std::move(own))), topology_(owned_.get()) {}
  const Topology& operator*() const { return *topology_; }
  const Topology* operator->() const { return topology_; }
  operator const Topology*() const { return topology_; }  // NOLINT: as a pointer is
  // Its text is only its name.
  bool built_in() const { return owned_ == nullptr; }

 private:
  std::shared_ptr<const Topology> owned_;
  const Topology* topology_ = nullptr;
};

}  // namespace cm

#endif  // MODEL_VOCABULARY_TOPOLOGY_REF_H_
