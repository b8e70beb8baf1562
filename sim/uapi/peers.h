// Test processes with queue pairs and memory.
#ifndef SIM_UAPI_PEERS_H_
#define SIM_UAPI_PEERS_H_

#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <cstring>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "model/vocabulary/profile.h"
#include "model/vocabulary/topology.h"
#include "sim/uapi/machine.h"

namespace cm::sim::uapi {

inline constexpr uint64_t kBase = 0x7f0000000000;  // start of every process's memory
inline constexpr uint32_t kLength = 4096;
inline constexpr uint32_t kRc = 2;
inline constexpr uint32_t kUd = 4;
inline constexpr uint32_t kReset = 0, kInit = 1, kRtr = 2, kRts = 3, kErr = 6;
inline constexpr uint32_t kSignal = 2, kInlined = 8;
inline constexpr uint32_t kWrite = 0, kWriteWithImm = 1, kSend = 2, kSendWithImm = 3, kRead = 4;
inline constexpr uint32_t kCompareSwap = 5, kFetchAdd = 6;

class TestMemory : public Memory {
 public:
  bool Read(uint32_t process, uint64_t address, std::span<uint8_t> bytes) override {
    const std::string& from = of[process];
    if (address < kBase || address + bytes.size() > kBase + from.size()) return false;
    std::memcpy(bytes.data(), from.data() + (address - kBase), bytes.size());
    return true;
  }
  bool Write(uint32_t process, uint64_t address, std::span<const uint8_t> bytes) override {
    std::string& to = of[process];
    if (address < kBase || address + bytes.size() > kBase + to.size()) return false;
    std::memcpy(to.data() + (address - kBase), bytes.data(), bytes.size());
    return true;
  }
  std::map<uint32_t, std::string> of;
};

// A process with one queue pair, both sides of which report to one completion queue.
struct Peer {
  uint32_t process = 0;
  uint32_t cq = 0;
  uint32_t qp = 0;
  uint32_t number = 0;
  uint32_t key = 0;
  uint8_t port = 1;
};

class VerbsEndTest : public testing::Test {
 protected:
  Answer Ask(const Peer& peer, const Request& request) {
    return machine_.Ask({.process = peer.process}, request);
  }
  template <typename Record>
  static std::vector<uint8_t> Bytes(const Record& record) {
    const auto* const first = reinterpret_cast<const uint8_t*>(&record);
    return {first, first + sizeof(record)};
  }
  Peer Make(uint8_t side, uint32_t type, uint32_t access = 7) {
    const Peer peer{.process = machine_.AddProcess(side)};
    memory_.of[peer.process] = std::string(kLength, '.');
    return Furnish(peer, type, access);
  }
  uint32_t CreateCq(const Peer& peer, uint64_t holds) {
    return static_cast<uint32_t>(Ask(peer, {.op = Op::kCreateCq, .more = holds}).value);
  }
  // A peer of the same process, with another queue pair, and a queue that holds that many
  // completions.
  Peer OnQueueOf(const Peer& peer, uint64_t holds, uint32_t type) {
    return Furnish(peer, type, 7, CreateCq(peer, holds));
  }
  Peer Furnish(Peer peer, uint32_t type, uint32_t access) {
    return Furnish(peer, type, access, CreateCq(peer, 63));
  }
  Peer Furnish(Peer peer, uint32_t type, uint32_t access, uint32_t cq) {
    peer.cq = cq;
    const RoomRecord room{.work = 31, .pieces = 4};
    const QpRecord record{.type = type,
                          .send_queue = peer.cq,
                          .receive_queue = peer.cq,
                          .sends = room,
                          .receives = room};
    const Answer made = Ask(peer, {.op = Op::kCreateQp, .bytes = Bytes(record)});
    peer.qp = static_cast<uint32_t>(made.value);
    std::memcpy(&peer.number, made.bytes.data(), sizeof(peer.number));
    const RegionRecord region{.address = kBase, .length = kLength, .access = access};
    peer.key =
        static_cast<uint32_t>(Ask(peer, {.op = Op::kRegister, .bytes = Bytes(region)}).value);
    return peer;
  }
  int64_t Modify(const Peer& peer, const ModifyRecord& record) {
    return Ask(peer, {.op = Op::kModifyQp, .on = peer.qp, .bytes = Bytes(record)}).value;
  }
  // Of its IPv4 address.
  std::array<uint8_t, 16> GidOf(const Peer& peer) {
    std::array<uint8_t, 16> gid{};
    const Answer answer = Ask(peer, {.op = Op::kGid, .more = uint64_t{peer.port} << 32 | 1});
    std::memcpy(gid.data(), answer.bytes.data(), gid.size());
    return gid;
  }
  // With that many reads and atomic operations in both directions.
  void BringUp(const Peer& own, const Peer& peer, uint32_t access = 7, uint8_t depth = 1) {
    ASSERT_EQ(Modify(own, {.mask = 0x39, .state = kInit, .access = access, .port = own.port}), 0);
    ASSERT_EQ(Modify(own, {.mask = 0x129181,
                           .state = kRtr,
                           .peer_number = peer.number,
                           .peer_gid = GidOf(peer),
                           .max_dest_rd_atomic = depth}),
              0);
    ASSERT_EQ(Modify(own, {.mask = 0x12e01,
                           .state = kRts,
                           .retry_count = 1,
                           .rnr_retry_count = 1,
                           .max_rd_atomic = depth}),
              0);
  }
  void ConnectBoth() {
    BringUp(a_, b_);
    BringUp(b_, a_);
  }
  static std::vector<uint8_t> Work(WorkRecord work, const std::vector<PieceRecord>& pieces,
                                   const std::string& data = "") {
    work.pieces = static_cast<uint32_t>(pieces.size());
    work.inline_length = static_cast<uint32_t>(data.size());
    std::vector<uint8_t> bytes = Bytes(work);
    for (const PieceRecord& piece : pieces) {
      const std::vector<uint8_t> more = Bytes(piece);
      bytes.insert(bytes.end(), more.begin(), more.end());
    }
    bytes.insert(bytes.end(), data.begin(), data.end());
    return bytes;
  }
  int64_t Receive(const Peer& peer, uint64_t wr_id, uint32_t offset, uint32_t length) {
    const PieceRecord piece{.address = kBase + offset, .length = length, .key = peer.key};
    return Ask(peer,
               {.op = Op::kPostReceive, .on = peer.qp, .bytes = Work({.wr_id = wr_id}, {piece})})
        .value;
  }
  int64_t Post(const Peer& peer, const WorkRecord& work, uint32_t offset, uint32_t length) {
    const PieceRecord piece{.address = kBase + offset, .length = length, .key = peer.key};
    return Ask(peer, {.op = Op::kPostSend, .on = peer.qp, .bytes = Work(work, {piece})}).value;
  }
  std::vector<CompletionRecord> Poll(const Peer& peer, uint64_t at_most = 16) {
    const Answer answer = Ask(peer, {.op = Op::kPoll, .on = peer.cq, .more = at_most});
    std::vector<CompletionRecord> records(answer.bytes.size() / sizeof(CompletionRecord));
    if (!records.empty()) std::memcpy(records.data(), answer.bytes.data(), answer.bytes.size());
    EXPECT_EQ(answer.value, static_cast<int64_t>(records.size()));
    return records;
  }
  void Settle() {
    while (world_.NextAt()) world_.Step();
  }
  std::string& MemoryOf(const Peer& peer) { return memory_.of[peer.process]; }

  VerbsEndTest() : VerbsEndTest("6.1-rxe") {}
  explicit VerbsEndTest(const char* profile, const char* topology = "two-kernels")
      : world_(FindTopology(topology), FindProfile(profile)) {}

  TestMemory memory_;
  World world_;
  Machine machine_{&world_, &memory_};
  Peer a_ = Make(kActiveSide, kRc);
  Peer b_ = Make(kPassiveSide, kRc);
};

}  // namespace cm::sim::uapi

#endif  // SIM_UAPI_PEERS_H_
