// Misuse by an application: the library reads or frees memory that was freed before.
#ifndef MODEL_VOCABULARY_MISUSE_H_
#define MODEL_VOCABULARY_MISUSE_H_

#include <cstdint>

namespace cm {

enum class Misuse : uint8_t {
  kIdDestroyed,        // a call on an id after rdma_destroy_id
  kIdWithoutChannel,   // a call on an id after its channel was destroyed
  kChannelDestroyed,   // a call on a channel after rdma_destroy_event_channel
  kEventAcknowledged,  // rdma_ack_cm_event on an event that was acknowledged
};

}  // namespace cm

#endif  // MODEL_VOCABULARY_MISUSE_H_
