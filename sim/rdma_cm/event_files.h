// Open files of the rdma_cm device, which are event channels, and their queues. source: linux 6.1
// ucma.c struct ucma_file
#ifndef SIM_RDMA_CM_EVENT_FILES_H_
#define SIM_RDMA_CM_EVENT_FILES_H_

#include <cstdint>
#include <optional>
#include <vector>

#include "sim/core/fifo.h"
#include "sim/core/slab.h"
#include "sim/rdma_cm/cm_id.h"
#include "sim/rdma_cm/commands.h"

namespace cm::sim {

struct QueuedEvent {
  response::Event event;
  CmIdIndex on;                // the id that it counts for
  CmIdIndex request;           // the new id of a connection request
  MembershipIndex membership;  // it counts for this as well
  friend bool operator==(const QueuedEvent&, const QueuedEvent&) = default;
};

struct File {
  bool live = false;
  bool closing = false;  // freed with the last of its ids
  uint8_t kernel = 0;
  Fifo<QueuedEvent> queue;
  friend bool operator==(const File&, const File&) = default;
};

// A file that is used must be open; nothing here fails.
class EventFiles {
 public:
  // Opens the device file of a kernel: a new event channel.
  FileIndex Open(uint8_t kernel) { return files_.Add({.kernel = kernel}); }
  void Free(FileIndex file) { files_.Free(file); }
  bool IsOpen(FileIndex file) const { return files_.Live(file); }
  auto All() const { return files_.All(); }
  const File& operator[](FileIndex file) const { return files_[file]; }
  // The file goes with the last of its ids.
  void SetClosing(FileIndex file) { files_[file].closing = true; }

  void Push(FileIndex file, QueuedEvent event);
  bool Readable(FileIndex file) const { return !files_[file].queue.empty(); }
  // The oldest event, which leaves the queue; empty when there is none.
  std::optional<QueuedEvent> Take(FileIndex file);
  // The id's events go to the end of the other queue, or of the same. source: ucma_move_events
  void Move(CmIdIndex id, FileIndex from, FileIndex to);
  // Returns the ids of the connection requests among them. source: ucma_cleanup_ctx_events
  std::vector<CmIdIndex> DropEventsOf(CmIdIndex id, FileIndex file);
  // source: ucma_cleanup_mc_events
  void DropEventsOf(MembershipIndex membership, FileIndex file);
  // The request's event, on whichever file, has no id from now on.
  void ForgetRequest(CmIdIndex request);

  friend bool operator==(const EventFiles&, const EventFiles&) = default;

 private:
  Slab<File, FileIndex> files_;
};

}  // namespace cm::sim

#endif  // SIM_RDMA_CM_EVENT_FILES_H_
