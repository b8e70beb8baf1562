#include "model/channel/misuse.h"

#include <array>

namespace cm::model::rules {
namespace {

// clang-format off
constexpr auto kMisusesRows = std::to_array<MisuseRule>({
  {"misuse-1", Misuse::kIdDestroyed, kCrashes, {"rdma-core 44 cma.c ucma_free_id: frees the id", ""}},
  {"misuse-2", Misuse::kIdWithoutChannel, kCrashes, {"rdma-core 44 cma.c rdma_destroy_event_channel: frees what id->channel points to", "6.1-rxe/87-channel_destroyed_before_ids:5"}},
  {"misuse-3", Misuse::kChannelDestroyed, kCrashes, {"rdma-core 44 cma.c rdma_destroy_event_channel: frees the channel", ""}},
  {"misuse-4", Misuse::kEventAcknowledged, kCrashes, {"rdma-core 44 cma.c rdma_ack_cm_event: frees the event", ""}},
});
// clang-format on

}  // namespace

constinit const std::span<const MisuseRule> kMisuses = kMisusesRows;

}  // namespace cm::model::rules
