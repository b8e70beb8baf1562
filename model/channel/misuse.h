// The misuse table: calls on destroyed objects. Their effect is undefined: the real library reads
// freed memory, and may return, crash, or change other objects.
#ifndef MODEL_CHANNEL_MISUSE_H_
#define MODEL_CHANNEL_MISUSE_H_

#include <array>
#include <string_view>

#include "model/rules/rule.h"
#include "model/rules/transports.h"
#include "model/vocabulary/misuse.h"

namespace cm::model {

struct MisuseRule {
  std::string_view id;
  Misuse on;
  Outcome outcome;
  Evidence evidence;
  Transports over = over::kAll;
};

namespace rules {

// clang-format off
inline constexpr auto kMisuses = std::to_array<MisuseRule>({
  {"misuse-1", Misuse::kIdDestroyed, kCrashes, {"rdma-core 44 cma.c ucma_free_id: frees the id", ""}},
  {"misuse-2", Misuse::kIdWithoutChannel, kCrashes, {"rdma-core 44 cma.c rdma_destroy_event_channel: frees what id->channel points to", "6.1-rxe/87-channel_destroyed_before_ids:5"}},
  {"misuse-3", Misuse::kChannelDestroyed, kCrashes, {"rdma-core 44 cma.c rdma_destroy_event_channel: frees the channel", ""}},
  {"misuse-4", Misuse::kEventAcknowledged, kCrashes, {"rdma-core 44 cma.c rdma_ack_cm_event: frees the event", ""}},
});
// clang-format on

}  // namespace rules

std::string_view ToString(Misuse misuse);

}  // namespace cm::model

#endif  // MODEL_CHANNEL_MISUSE_H_
