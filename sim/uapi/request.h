// Requests of a process to the simulated machine under it: the one boundary between the C functions
// of a program and the simulated world.
//
// Requests and answers have a fixed part followed by bytes, so that the world may be in the same
// process or in another one. Handles are numbers of the machine; each belongs to the process that
// it was made for.
#ifndef SIM_UAPI_REQUEST_H_
#define SIM_UAPI_REQUEST_H_

#include <array>
#include <cstdint>
#include <vector>

namespace cm::sim::uapi {

// An instant that is never reached, for kPollTime.
inline constexpr uint64_t kNever = INT64_MAX;

enum class Op : uint32_t {
  // The rdma_cm device file.
  kOpen,      // -> value: a file
  kClose,     // a file whose last descriptor is closed; may wait
  kWrite,     // a file, the bytes that are written, a flag: do not wait -> value: bytes written;
              // bytes:
              // what the kernel stores at the command's response address. May wait; EAGAIN.
  kPollFile,  // a file -> value: 1 when it is readable

  // Devices. A device is named by its index in the list that kDevices returns, a port of it by its
  // number, from 1.
  kDevices,  // -> bytes: DeviceRecord, all devices of the process's kernel
  kPort,     // a device, a port -> bytes: PortRecord
  kGid,      // a device, a port in the upper half and an index in the lower one -> bytes: 16

  // Objects of verbs.
  kCreateCq,     // the number of completions in the second argument; bytes: ToldRecord, or none
                 // -> value: a completion queue
  kResizeCq,     // a completion queue, its new size
  kDestroyCq,    // a completion queue -> bytes: number of its events taken, 4, or none
  kCreateSrq,    // bytes: SrqRecord -> value: a shared receive queue; bytes: of XRC its number, 4
  kModifySrq,    // a shared receive queue; bytes: SrqRecord
  kQuerySrq,     // a shared receive queue -> bytes: SrqRecord
  kDestroySrq,   // a shared receive queue -> bytes: as of a completion queue
  kOpenXrcd,     // bytes: XrcdRecord -> value: an opened XRC domain
  kCloseXrcd,    // an opened XRC domain
  kCreateQp,     // QpRecord -> value: a queue pair; bytes: its number, 4
  kOpenQp,       // bytes: QpRecord, of which the XRC domain and the receiver of events count; the
                 // number of a target of XRC there -> value: a queue pair, the same one
  kDestroyQp,    // a queue pair -> bytes: as of a completion queue
  kModifyQp,     // a queue pair; bytes: ModifyRecord
  kQueryQp,      // a queue pair -> value: its state, as enum ibv_qp_state; bytes: CapacityRecord
  kRegister,     // bytes: RegionRecord -> value: its key, local and remote
  kDeregister,   // a key
  kReregister,   // a key, enum ibv_rereg_mr_flags; bytes: RegionRecord, all of it as it is to be
                 // -> value: its key from now on
  kAllocMw,      // bytes: WindowRecord -> value: a memory window; bytes: its key, 4
  kDeallocMw,    // a memory window
  kAttach,       // a queue pair; bytes: the group's GID, 16
  kDetach,       // the same
  kPostSend,     // a queue pair, the number of requests that there must be room for behind this
                 // one; bytes: WorkRecord, then BindRecord, or pieces and inline data
  kPostReceive,  // a queue pair; the same bytes
  kPostToSrq,    // a shared receive queue; the same bytes
  kPoll,         // a completion queue, the maximum -> bytes: CompletionRecord each
  kArm,          // a completion queue, a flag: solicited only; the next completion is reported to
                 // its channel
  kTakeEvent,    // completion queues in bytes, 4 each: of one channel; a flag: do not wait
                 // -> value: the one that has an event and is disarmed. May wait; EAGAIN.
  kPollEvents,   // completion queues in the same way -> value: 1 when one of them has an event

  // Events of a device, and of objects there.
  kOpenEvents,          // a device -> value: its events from now on
  kCloseEvents,         // a device's events
  kTakeEventOfDevice,   // a device's events, a flag: do not wait -> value: enum ibv_event_type;
                        // bytes: the object's name, or the port number,
                        // or 0, in 8.
                        // May wait; EAGAIN; EIO when the device is gone and no event is left.
  kPollEventsOfDevice,  // a device's events -> value: 1 when kTakeEventOfDevice does not wait

  // State of the library in a program. The machine does not know it; the program's broker does.
  kHold,         // an event's type, its address: it was fetched
  kAcknowledge,  // an event's address in the second argument

  // Time.
  kNow,       // -> value: nanoseconds since the world began
  kSleep,     // until an instant; may wait. First argument: SleepOf
  kPollTime,  // an instant in the second argument -> value: 1 when it is reached. To keep a
              // descriptor readable it is repeated, that many microseconds apart.

  // The program's own sockets, between hosts. Of the broker, as kHold.
  kCarry,  // a descriptor; bytes: CarryRecord, and the address that a datagram goes to -> value:
           // the bytes that are on their way, or kLeftToSystem or kNoRoom; answered when the
           // thread may go on
};

// What a socket does.
enum class Carry : uint32_t {
  kConnects,  // its first message, or one that was lost is sent again: -> value: 0, or kLost
  kArrives,   // at a host that has not crashed meanwhile, in the same way
  kReplied,   // and the answer to it, in the same way
  kSends,
  kShuts,   // its sending side
  kCloses,  // the program's descriptor
  kWaits,   // until all that it has sent has arrived
  kGate,    // attempt: a descriptor of the program's, an eventfd that is read when there is room
  // Of a process, and no socket. With attempt 0 the one that asks is about to end. Otherwise
  // `attempt` is a signal, and `address` the number of the process that it is for, as the one that
  // asks knows it; not positive: all processes of the host.
  kMayEnd,
  // Of a process, too: with attempt 1 it is about to execute another program; with 0 that has
  // failed.
  kExecutes,
};
inline constexpr int64_t kLeftToSystem = UINT32_MAX;  // not between two hosts
inline constexpr int64_t kNoRoom = UINT32_MAX - 1;
inline constexpr int64_t kLost = UINT32_MAX - 2;
// Added to the number of bytes that were taken, which is lower: poll(2) reports no room now.
inline constexpr int64_t kFilled = int64_t{1} << 30U;

// Why a thread sleeps.
enum class SleepKind : uint32_t {
  kSleeps,
  kSpends,  // it has run until then
  kLooks,   // it polls memory, at the latest then: others that run may end its sleep
  kBegins,  // it has begun: answered at once
  kTurn,    // it could go on; answered when it is its turn, so that one thread runs at a time
  kOffers,  // as kTurn, where the machine decides that; else answered at once
  kStarts,  // as kSpends, while it starts a process
};

// What a thread that looks waits for.
enum class LooksFor : uint32_t { kOthers, kMutex, kCondition, kSemaphore, kLock, kFutex };

// kFirst: the thread may have done what others look for.
enum class Look : uint32_t { kFirst, kAgain };

// The first argument of kSleep.
constexpr uint32_t SleepOf(SleepKind kind, LooksFor what = LooksFor::kOthers,
                           Look look = Look::kFirst) {
  return static_cast<uint32_t>(kind) | static_cast<uint32_t>(what) << 8U |
         static_cast<uint32_t>(look) << 16U;
}
constexpr SleepKind KindOfSleep(uint32_t on) { return static_cast<SleepKind>(on & 0xffU); }
constexpr LooksFor WhatItLooksFor(uint32_t on) { return static_cast<LooksFor>(on >> 8U & 0xffU); }
constexpr Look WhichLook(uint32_t on) { return static_cast<Look>(on >> 16U); }

template <typename... Ops>
constexpr bool IsOneOf(Op op, Ops... ops) {
  return ((op == ops) || ...);
}

struct Request {
  Op op = Op::kNow;
  uint32_t on = 0;    // the object
  uint64_t more = 0;  // the op's second argument
  std::vector<uint8_t> bytes;
  friend bool operator==(const Request&, const Request&) = default;
};

struct Answer {
  int64_t value = 0;           // or a negative errno
  bool waits = false;          // not answered yet: poll with Machine::Continue
  std::vector<uint8_t> bytes;  // empty after a failure
};

// What the thread is expected to request next, and the answer, as long as nothing else happens: see
// foresight.h.
struct Foreseen {
  uint64_t happened = 0;  // as in TimeRecord
  Request request;
  Answer answer;
};

// Limits that a device reports and enforces. source: linux 6.1 rxe_param.h
struct DeviceLimits {
  static constexpr uint32_t kWork = 1U << 20;  // work requests of a queue, shared or not
  static constexpr uint32_t kPieces = 32;      // scatter/gather elements of a request
  static constexpr uint32_t kSharedPieces = 27;
  static constexpr uint32_t kCompletions = (1U << 15) - 1;
  static constexpr int kMembers = 56;  // queue pairs in a multicast group
  static constexpr uint32_t kInlined = 256;
  static constexpr uint32_t kWindows = 0x7ffff;
};

// Those of a device of iWARP. source: linux 6.1 siw.h SIW_MAX_QP_WR and those after it, siw-abi.h
// SIW_MAX_SGE
struct SiwLimits {
  static constexpr uint32_t kQueuePairs = 1024 * 100;
  static constexpr uint32_t kWork = 1024 * 32;
  static constexpr uint32_t kSharedWork = 10 * kWork;
  static constexpr uint32_t kPieces = 6;  // of shared queues, too
  static constexpr uint32_t kCompletions = 100 * kWork;
  static constexpr uint32_t kInlined = 16 * (kPieces - 1);
};

// Layouts of the bytes of requests and answers; integers in the machine's byte order.

struct DeviceRecord {
  std::array<char, 64> name{};
  uint64_t guid = 0;   // never 0; in the byte order of the ABI
  uint32_t index = 0;  // in the kernel's list
  uint8_t iwarp = 0;
  uint8_t infiniband = 0;
  uint8_t registered = 1;   // present now
  uint8_t max_depth = 0;    // max_qp_rd_atom and max_qp_init_rd_atom
  uint32_t max_inline = 0;  // bytes of inline data
  uint32_t ports = 1;
  uint32_t old_provider = 0;  // one without extended verbs and memory windows
  uint32_t max_windows = 0;
};

struct PortRecord {
  uint8_t active = 0;
  uint8_t infiniband = 0;  // its link layer
  uint16_t lid = 0;
  uint32_t gids = 0;  // length of its GID table
};

// Requested depth of a queue, and scatter/gather elements of each request.
struct RoomRecord {
  uint32_t work = 0;
  uint32_t pieces = 0;
};

// The receiver of an object's asynchronous events, and its name for the object.
struct ToldRecord {
  uint64_t name = 0;    // chosen by the program, reported with each event
  uint32_t events = 0;  // the device's events; 0: none are reported
  uint32_t unused = 0;
};

struct SrqRecord {
  RoomRecord room;
  uint32_t limit = 0;
  uint32_t mask = 0;  // enum ibv_srq_attr_mask: what to modify
  ToldRecord told;
  // Of XRC.
  uint32_t xrcd = 0;  // an opened XRC domain; 0: it is a queue of the basic type
  uint32_t queue = 0;
  uint32_t domain = 0;  // the process's number of the protection domain
  uint32_t unused = 0;
};

// Processes of a host share an XRC domain by the file that they name.
struct XrcdRecord {
  uint32_t device = 0;
  uint32_t flags = 0;     // O_CREAT, O_EXCL
  uint32_t has_file = 0;  // without, it is shared with no other
  uint32_t unused = 0;
  uint64_t file_system = 0;  // st_dev
  uint64_t file = 0;         // st_ino
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
  uint32_t domain = 0;  // the process's number of the protection domain
  uint32_t xrcd = 0;    // of a target of XRC: an opened XRC domain
};

// Capacity of a queue pair's queues.
struct CapacityRecord {
  RoomRecord sends;
  RoomRecord receives;  // zeros with a shared receive queue
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
  uint32_t faults = 0;  // not mapped, or not writable where access requires it
};

struct WindowRecord {
  uint32_t device = 0;
  uint32_t type = 0;    // enum ibv_mw_type
  uint32_t domain = 0;  // as of a queue pair
  uint32_t unused = 0;
};

// What a request binds a memory window to.
struct BindRecord {
  uint64_t address = 0;
  uint64_t length = 0;  // 0: to nothing
  uint32_t window = 0;  // its key
  uint32_t key = 0;     // its key from now on, as far as the last byte goes
  uint32_t region = 0;  // a key
  uint32_t access = 0;  // enum ibv_access_flags
};

struct PieceRecord {
  uint64_t address = 0;
  uint32_t length = 0;
  uint32_t key = 0;
};

struct WorkRecord {
  uint64_t wr_id = 0;
  uint32_t opcode = 0;  // enum ibv_wr_opcode; unused for a receive
  uint32_t flags = 0;   // enum ibv_send_flags
  uint32_t pieces = 0;  // none where there is inline data
  uint32_t inline_length = 0;
  uint32_t immediate = 0;  // in network byte order, as in a completion; or the key to invalidate
  uint32_t remote_key = 0;
  uint64_t remote_address = 0;
  uint32_t to_number = 0;  // of a datagram; over XRC that of a shared receive queue
  uint32_t to_qkey = 0;
  std::array<uint8_t, 16> to_gid{};  // or zeros, and a LID in the last two, the higher byte first
  uint64_t compare_or_add = 0;       // of an atomic operation
  uint64_t swap = 0;
};

struct CarryRecord {
  uint64_t address = 0;  // of the bytes, in the program's memory
  int64_t now = 0;       // the thread has come as far
  uint32_t length = 0;   // fewer than 2^31
  uint32_t what = 0;     // Carry
  uint32_t blocks = 0;   // the thread may wait for room
  uint32_t attempt = 0;  // of kConnects, kArrives and kReplied, from 0; see also Carry
};

struct CompletionRecord {
  uint64_t wr_id = 0;
  uint32_t status = 0;  // enum ibv_wc_status
  uint32_t opcode = 0;  // enum ibv_wc_opcode
  uint32_t length = 0;
  uint32_t flags = 0;  // enum ibv_wc_flags
  uint32_t qp_number = 0;
  uint32_t immediate = 0;  // or the key that was invalidated
  uint32_t source_number = 0;
};

}  // namespace cm::sim::uapi

#endif  // SIM_UAPI_REQUEST_H_
