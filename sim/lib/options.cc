// rdma_set_option and rdma_migrate_id. source: rdma-core 44 librdmacm/cma.c
#include "sim/lib/library.h"
#include "sim/lib/shared.h"

namespace cm::sim {

Reply Library::SetOption(Context c, uint32_t id, const call::SetOption& call) {
  const Errno error = Execute(c.kernel, FileOf(id),
                              command::SetOption{.id = ids_[id].handle,
                                                 .option = call.option,
                                                 .value = call.value,
                                                 .length = call.length});
  return FromErrno(error);
}

// The command is written to the new file; then the id leaves the old channel, and last the call
// waits for acknowledgements of events fetched from it.
Progress Library::MigrateId(Context c, uint32_t id, uint32_t channel) {
  const bool synchronous = channel == kNobody;
  if (synchronous && ids_[id].synchronous) return {.reply = Reply::Refused(Errno::kInval)};
  if (synchronous) channel = OpenPrivateChannel(c);
  const Result<uint32_t> reported =
      Execute(c.kernel, channels_[channel].file,
              command::MigrateId{.id = ids_[id].handle, .from = FileOf(id)});
  if (!reported.ok()) {
    if (synchronous) ClosePrivateChannel(c, channel);
    return {.reply = Reply::Refused(reported.error())};
  }
  if (ids_[id].synchronous) {
    AckRetained(id);
    ClosePrivateChannel(c, ids_[id].channel);
  }
  ids_[id].channel = channel;
  ids_[id].synchronous = synchronous;
  return Continue(
      c, {.waiting = Waiting::kMigrationAcks, .id = id, .events_reported = reported.value()});
}

}  // namespace cm::sim
