// What a process asks of the simulated machine under it: the one boundary between the C functions
// that a program calls and the world that answers.
//
// Requests and answers are bytes of fixed shape with bytes behind them, so that the world may be in
// the same process or in another one. Handles are numbers of the machine's; each belongs to the
// process that it was made for.
#ifndef SIM_UAPI_REQUEST_H_
#define SIM_UAPI_REQUEST_H_

#include <array>
#include <cstdint>
#include <vector>

namespace cm::sim::uapi {

// An instant that is never reached, of kPollTime.
inline constexpr uint64_t kNever = INT64_MAX;

enum class Op : uint32_t {
  // The rdma_cm device file.
  kOpen,   // -> value: a file
  kClose,  // a file, closed by everybody who had it; may wait
  kWrite,  // a file, the bytes that are written, a flag: is not to wait -> value: how many; bytes:
           // what the kernel stores at the command's response address. May wait; EAGAIN.
  kPollFile,  // a file -> value: 1 when it is readable

  // Devices. A device is named by its place in the list that kDevices answers, a port of it by its
  // number, from 1 on.
  kDevices,  // -> bytes: DeviceRecord, all that the kernel of the process ever has
  kPort,     // a device, a port -> bytes: PortRecord
  kGid,      // a device, a port in the upper half and an index in the lower one -> bytes: 16

  // Objects of verbs.
  kCreateCq,     // of how many completions in the second argument; bytes: ToldRecord, or none
                 // -> value: a completion queue
  kResizeCq,     // a completion queue, how many it is to hold
  kDestroyCq,    // a completion queue -> bytes: how many events of it were taken, 4, or none
  kCreateSrq,    // bytes: SrqRecord -> value: a shared receive queue
  kModifySrq,    // a shared receive queue; bytes: SrqRecord
  kQuerySrq,     // a shared receive queue -> bytes: SrqRecord
  kDestroySrq,   // a shared receive queue -> bytes: as of a completion queue
  kCreateQp,     // QpRecord -> value: a queue pair; bytes: its number, 4
  kDestroyQp,    // a queue pair -> bytes: as of a completion queue
  kModifyQp,     // a queue pair; bytes: ModifyRecord
  kQueryQp,      // a queue pair -> value: its state, as enum ibv_qp_state; bytes: CapacityRecord
  kRegister,     // bytes: RegionRecord -> value: its key, local and remote
  kDeregister,   // a key
  kAttach,       // a queue pair; bytes: 16 of a group's GID
  kDetach,       // the same
  kPostSend,     // a queue pair; bytes: WorkRecord, pieces, inline data
  kPostReceive,  // a queue pair; the same
  kPostToSrq,    // a shared receive queue; the same
  kPoll,         // a completion queue, at most so many -> bytes: CompletionRecord each
  kArm,          // a completion queue: the next completion is reported to its channel
  kTakeEvent,    // completion queues in bytes, 4 each: of one channel; a flag: is not to wait
                 // -> value: the one that is reported and no longer armed. May wait; EAGAIN.
  kPollEvents,   // completion queues in the same way -> value: 1 when one of them is reported

  // Events of a device, and of objects there.
  kOpenEvents,          // a device -> value: its events, from now on
  kCloseEvents,         // a device's events
  kTakeEventOfDevice,   // a device's events, a flag: is not to wait -> value: enum ibv_event_type;
                        // bytes: the name of the object that it is of, or the number of the port,
                        // or 0, in 8.
                        // May wait; EAGAIN; EIO when the device is gone and all is told.
  kPollEventsOfDevice,  // a device's events -> value: 1 when taking one does not wait

  // What a program has of the library's. A machine knows nothing of it; who keeps its programs
  // does.
  kHold,         // an event's type, its address: it was fetched
  kAcknowledge,  // an event's address in the second argument

  // Time.
  kNow,       // -> value: nanoseconds since the world began
  kSleep,     // until an instant; waits
  kPollTime,  // an instant in the second argument -> value: 1 when it is reached. Who keeps a
              // descriptor readable by it does so again and again, so many microseconds apart.
};

struct Request {
  Op op = Op::kNow;
  uint32_t on = 0;    // the object that it is about
  uint64_t more = 0;  // the op's second argument
  std::vector<uint8_t> bytes;
};

struct Answer {
  int64_t value = 0;           // or minus an errno
  bool waits = false;          // not answered yet: to be asked for again with Machine::Continue
  std::vector<uint8_t> bytes;  // empty after a failure
};

// What a device announces, and what it holds programs to. source: linux 6.1 rxe_param.h
struct DeviceLimits {
  static constexpr uint32_t kWork = 1U << 20;  // of a send or receive queue, shared or not
  static constexpr uint32_t kPieces = 32;      // of a request
  static constexpr uint32_t kSharedPieces = 27;
  static constexpr uint32_t kCompletions = (1U << 15) - 1;
};

// Shapes of what stands in the bytes; integers as the machine has them.

struct DeviceRecord {
  std::array<char, 64> name{};
  uint64_t guid = 0;   // never 0; as it stands in the ABIs
  uint32_t index = 0;  // of the kernel's list
  uint8_t iwarp = 0;
  uint8_t infiniband = 0;
  uint8_t registered = 1;   // it is there at present
  uint8_t max_depth = 0;    // max_qp_rd_atom and max_qp_init_rd_atom
  uint32_t max_inline = 0;  // bytes of inline data
  uint32_t ports = 1;
};

struct PortRecord {
  uint8_t active = 0;
  uint8_t infiniband = 0;  // its link layer
  uint16_t lid = 0;
  uint32_t gids = 0;  // how long its table is
};

// How many requests a queue is asked to hold, and of how many pieces each.
struct RoomRecord {
  uint32_t work = 0;
  uint32_t pieces = 0;
};

// To whom asynchronous events of an object are told, and what they call it.
struct ToldRecord {
  uint64_t name = 0;    // whatever the program wants to hear then
  uint32_t events = 0;  // of the device; those of nobody: nothing is told
  uint32_t unused = 0;
};

struct SrqRecord {
  RoomRecord room;
  uint32_t limit = 0;
  uint32_t mask = 0;  // enum ibv_srq_attr_mask: what is modified
  ToldRecord told;
};

struct QpRecord {
  uint32_t device = 0;
  uint32_t type = 0;  // enum ibv_qp_type
  uint32_t send_queue = 0;
  uint32_t receive_queue = 0;
  uint32_t srq = 0xffffffff;  // none
  uint32_t signal_all = 0;
  RoomRecord sends;
  RoomRecord receives;
  ToldRecord told;
  uint32_t domain = 0;  // of protection: a number that the process has given it
  uint32_t unused = 0;
};

// What the queues of a queue pair hold.
struct CapacityRecord {
  RoomRecord sends;
  RoomRecord receives;  // zeros where they are a shared queue's
};

struct ModifyRecord {
  uint32_t mask = 0;   // enum ibv_qp_attr_mask
  uint32_t state = 0;  // enum ibv_qp_state
  uint32_t peer_number = 0;
  uint32_t qkey = 0;
  uint32_t access = 0;  // enum ibv_access_flags
  uint8_t is_global = 0;
  uint8_t retry_count = 0;
  uint8_t rnr_retry_count = 0;
  uint8_t port = 1;
  std::array<uint8_t, 16> peer_gid{};
  uint8_t max_rd_atomic = 0;
  uint8_t max_dest_rd_atomic = 0;
  uint16_t unused = 0;
};

struct RegionRecord {
  uint64_t address = 0;
  uint64_t length = 0;
  uint32_t device = 0;
  uint32_t access = 0;  // enum ibv_access_flags
  uint32_t domain = 0;  // as of a queue pair
  uint32_t faults = 0;  // the process has no such memory, or not to be written where access says so
};

struct PieceRecord {
  uint64_t address = 0;
  uint32_t length = 0;
  uint32_t key = 0;
};

struct WorkRecord {
  uint64_t wr_id = 0;
  uint32_t opcode = 0;  // enum ibv_wr_opcode; of a receive nothing
  uint32_t flags = 0;   // enum ibv_send_flags
  uint32_t pieces = 0;  // none where there is inline data
  uint32_t inline_length = 0;
  uint32_t immediate = 0;  // as it stands in memory, and in a completion
  uint32_t remote_key = 0;
  uint64_t remote_address = 0;
  uint32_t to_number = 0;  // of a datagram
  uint32_t to_qkey = 0;
  std::array<uint8_t, 16> to_gid{};  // or zeros, and a LID in the last two, the higher byte first
  uint64_t compare_or_add = 0;       // of an atomic operation
  uint64_t swap = 0;
};

struct CompletionRecord {
  uint64_t wr_id = 0;
  uint32_t status = 0;  // enum ibv_wc_status
  uint32_t opcode = 0;  // enum ibv_wc_opcode
  uint32_t length = 0;
  uint32_t flags = 0;  // enum ibv_wc_flags
  uint32_t qp_number = 0;
  uint32_t immediate = 0;
  uint32_t source_number = 0;
};

}  // namespace cm::sim::uapi

#endif  // SIM_UAPI_REQUEST_H_
