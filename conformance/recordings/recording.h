// Recordings of real kernels, one JSON object a line, as histories.
//
// The recorder was a script interpreter: an `event` line is a fetch and, unless the script kept the
// event, an acknowledgement; `no_event` and `quiet` are waits without result; `sh` is a change of
// the environment; `bg` is a call on another thread.
#ifndef CONFORMANCE_RECORDINGS_RECORDING_H_
#define CONFORMANCE_RECORDINGS_RECORDING_H_

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "model/conversation/history.h"
#include "model/conversation/parse.h"

namespace cm {

// A line that the tables do not cover; its ids are not judged from there on, unless it is harmless.
struct ForeignLine {
  int line = 0;              // of the file, from 1
  size_t before_record = 0;  // its position among the records
  std::string what;          // "rdma_migrate_id A C"
  std::vector<IdRef> disowns;
};

// A line that contradicts another one of the same file, whatever the tables permit.
struct Contradiction {
  int line = 0;
  std::string saw;
  std::string permitted;
  std::string source;
};

// What a query of a queue pair shows besides its state; the vocabulary does not have it.
struct QueuePairAttributes {
  int64_t timeout = 0;
  int64_t retries = 0;
  int64_t rnr_retries = 0;
  int64_t reads = 0;          // max_rd_atomic
  int64_t reads_of_peer = 0;  // max_dest_rd_atomic
  friend bool operator==(const QueuePairAttributes&, const QueuePairAttributes&) = default;
};
struct ShownQueuePair {
  int line = 0;       // of the file, from 1
  size_t record = 0;  // index of the record that shows the id
  bool datagram = false;
  QueuePairAttributes attributes;
};

struct Recording {
  History history;
  std::vector<int> line_of;  // by record: the line of the file, from 1
  std::vector<ForeignLine> foreign;
  // The number of records before what nothing is judged after: an endpoint with unknown arguments
  // was created, whose peers cannot be judged without it; or packets are filtered on their way out.
  std::optional<size_t> judged_until;
  std::vector<Contradiction> contradictions;
  std::vector<ShownQueuePair> queue_pairs;
};

// Reads a whole file. `topology_name` is the network of the recording.
std::variant<std::unique_ptr<Recording>, TextProblem> ReadRecording(
    std::string_view text, std::string_view topology_name = "one-kernel-two-devices");

}  // namespace cm

#endif  // CONFORMANCE_RECORDINGS_RECORDING_H_
