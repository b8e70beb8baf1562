// Messages between queue pairs as frames. source: IBA 9.2 to 9.7
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "model/mad/data_packet.h"
#include "sim/codec/wire.h"
#include "sim/fabric/names.h"

namespace cm::sim {
namespace {

using mad::DataOpcode;
using Bytes = std::vector<uint8_t>;

constexpr size_t kMtu = Fabric::kMtu;
constexpr uint32_t kPackets = 1U << 24;
constexpr uint32_t kQkey = 0x01234567;  // source: rdma_cma.h RDMA_UDP_QKEY
constexpr uint8_t kNoCredits = 0x1f;    // of an acknowledgement: not limited
constexpr uint8_t kNotReady = 0x20;
constexpr uint8_t kOutOfSequence = 0x60;
constexpr uint8_t kInvalidRequest = 0x61;
constexpr uint8_t kRemoteAccess = 0x62;
constexpr uint8_t kRemoteOperation = 0x63;

template <typename T>
void Append(T value, size_t size, Bytes* bytes) {
  for (size_t left = size; left > 0; --left)
    bytes->push_back(static_cast<uint8_t>(value >> (8 * (left - 1))));
}

// First, middle, last and only packet; the last two with an immediate value, too.
struct Opcodes {
  DataOpcode first, middle, last, last_immediate, only, only_immediate;
};
constexpr Opcodes kSend = {DataOpcode::kSendFirst, DataOpcode::kSendMiddle,
                           DataOpcode::kSendLast,  DataOpcode::kSendLastImmediate,
                           DataOpcode::kSendOnly,  DataOpcode::kSendOnlyImmediate};
constexpr Opcodes kWrite = {DataOpcode::kWriteFirst, DataOpcode::kWriteMiddle,
                            DataOpcode::kWriteLast,  DataOpcode::kWriteLastImmediate,
                            DataOpcode::kWriteOnly,  DataOpcode::kWriteOnlyImmediate};
constexpr Opcodes kRead = {DataOpcode::kReadFirst, DataOpcode::kReadMiddle, DataOpcode::kReadLast,
                           DataOpcode::kReadLast,  DataOpcode::kReadOnly,   DataOpcode::kReadOnly};

uint8_t SyndromeOf(DataNote::Answer answer) {
  switch (answer) {
    case DataNote::Answer::kNotReady:
      return kNotReady;
    case DataNote::Answer::kOutOfSequence:
      return kOutOfSequence;
    case DataNote::Answer::kInvalid:
      return kInvalidRequest;
    case DataNote::Answer::kNoAccess:
      return kRemoteAccess;
    case DataNote::Answer::kFailed:
      return kRemoteOperation;
    case DataNote::Answer::kNone:
    case DataNote::Answer::kAck:
      break;
  }
  return kNoCredits;
}

}  // namespace

// Where and in which order the packets of one direction go.
class Wire::Burst {
 public:
  Burst(mad::DataPacket base, uint32_t to, uint32_t psn, std::vector<Bytes>* frames)
      : base_(std::move(base)), psn_(psn), frames_(frames) {
    base_.bth.destination_qp = to;
  }
  void Add(DataOpcode opcode, Bytes rest, bool asks = false, bool solicited = false) {
    mad::DataPacket packet = base_;
    packet.bth.opcode = static_cast<uint8_t>(opcode);
    packet.bth.psn = psn_++ % kPackets;
    packet.bth.ack_request = asks;
    packet.bth.solicited_event = solicited;
    packet.rest = std::move(rest);
    frames_->push_back(mad::Seal(std::move(packet)));
  }
  // `ahead` comes before the payload of the first packet, and of the last one of an answer.
  void AddAll(const Opcodes& opcodes, const DataNote& note, const Bytes& ahead, bool answers) {
    const std::span<const uint8_t> bytes(note.bytes);
    const uint32_t count = Fabric::PacketsOf(bytes.size());
    for (uint32_t i = 0; i < count; ++i) {
      const bool first = i == 0;
      const bool last = i + 1 == count;
      Bytes rest = first || (last && answers) ? ahead : Bytes();
      if (last && note.immediate) Append(*note.immediate, sizeof *note.immediate, &rest);
      const auto part = bytes.subspan(i * kMtu, std::min(kMtu, bytes.size() - i * kMtu));
      rest.insert(rest.end(), part.begin(), part.end());
      DataOpcode opcode = first ? opcodes.first : opcodes.middle;
      if (last) opcode = note.immediate ? opcodes.last_immediate : opcodes.last;
      if (first && last) opcode = note.immediate ? opcodes.only_immediate : opcodes.only;
      const bool reports = note.what == DataNote::What::kSend || note.immediate;
      Add(opcode, std::move(rest), last && !answers, last && reports && note.solicited);
    }
  }

 private:
  mad::DataPacket base_;
  uint32_t psn_;
  std::vector<Bytes>* frames_;
};

mad::DataPacket Wire::Between(uint8_t from, uint8_t to, const Flow& flow) const {
  mad::DataPacket packet{
      .ethernet = {.destination = stations_[to].mac, .source = stations_[from].mac},
      .ip = mad::Ipv4{},
      .bth = {},
      .rest = {}};
  const mad::Gid& source = flow.v6 ? flow.from : stations_[from].v4;
  const mad::Gid& destination = flow.v6 ? flow.to : stations_[to].v4;
  if (flow.v6)
    packet.ip = mad::Ipv6{.source = source, .destination = destination};
  else
    packet.ip = mad::Ipv4{.source = Last32(source), .destination = Last32(destination)};
  return packet;
}

// A message of a datagram queue pair is one packet, and its queue pair number stands in it.
void Wire::AddRequest(const DataNote& note, Burst* burst) {
  Bytes ahead;
  if (note.datagram) {
    Append(kQkey, 4, &ahead);
    Append(note.source_number, 4, &ahead);
    if (note.immediate) Append(*note.immediate, 4, &ahead);
    ahead.insert(ahead.end(), note.bytes.begin(), note.bytes.end());
    return burst->Add(note.immediate ? DataOpcode::kDatagramImmediate : DataOpcode::kDatagram,
                      std::move(ahead), false, note.solicited);
  }
  if (note.what == DataNote::What::kSend) return burst->AddAll(kSend, note, {}, false);
  Append(note.remote_address, 8, &ahead);
  const bool atomic =
      note.what == DataNote::What::kCompareAndSwap || note.what == DataNote::What::kFetchAndAdd;
  Append(note.remote_key, 4, &ahead);
  if (!atomic) Append(note.length, 4, &ahead);
  if (note.what == DataNote::What::kWrite) return burst->AddAll(kWrite, note, ahead, false);
  if (note.what == DataNote::What::kRead) return burst->Add(DataOpcode::kReadRequest, ahead, true);
  const bool swaps = note.what == DataNote::What::kCompareAndSwap;
  Append(swaps ? note.swap : note.compare_or_add, 8, &ahead);
  Append(swaps ? note.compare_or_add : 0, 8, &ahead);
  burst->Add(swaps ? DataOpcode::kCompareAndSwap : DataOpcode::kFetchAndAdd, ahead, true);
}

std::vector<Bytes> Wire::FramesOf(const WireNote& note) {
  const DataNote& data = *note.data;
  std::vector<Bytes> frames;
  if (note.to >= stations_.size()) return frames;
  Flow& flow = flows_[{note.from, data.source_number}];
  const bool reads = data.what == DataNote::What::kRead;
  const uint32_t count = reads ? 1 : Fabric::PacketsOf(data.bytes.size());
  Burst there(Between(note.from, note.to, flow), data.number, flow.psn + data.first_packet,
              &frames);
  AddRequest(data, &there);
  const bool done = data.datagram || data.answer == DataNote::Answer::kAck;
  if (!note.lost && !data.datagram && data.answer != DataNote::Answer::kNone) {
    Flow& back = flows_[{note.to, data.number}];
    Bytes head;
    Append(SyndromeOf(data.answer), 1, &head);
    const bool early = data.answer == DataNote::Answer::kOutOfSequence;
    const uint32_t message = early ? data.missing_message : data.message;
    Append((done ? message + 1 : message) % kPackets, 3, &head);
    const uint32_t first = flow.psn + (early ? data.missing_packet : data.first_packet);
    const uint32_t last = done ? first + count - 1 : first;
    Burst answer(Between(note.to, note.from, back), data.source_number, last, &frames);
    const bool atomic = done && (data.what == DataNote::What::kCompareAndSwap ||
                                 data.what == DataNote::What::kFetchAndAdd);
    if (done && reads) {
      answer.AddAll(kRead, data, head, true);
    } else if (atomic) {
      Append(data.before, 8, &head);
      answer.Add(DataOpcode::kAtomicAcknowledge, head);
    } else {
      answer.Add(DataOpcode::kAcknowledge, head);
    }
  }
  return frames;
}

}  // namespace cm::sim
