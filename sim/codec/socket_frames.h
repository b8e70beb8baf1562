// Notes of sockets as the frames of TCP and UDP that hosts with Linux send for them.
//
// 1. Of TCP the links carry requests for connections and their answers, bytes and ends. What they
//    do not carry is made here: an acknowledgement of each message that arrives, at that instant,
//    and the reset of what finds no socket. These are never lost, and take 10 us.
// 2. A message is cut into segments of at most 44 times the MSS, as a sender with segmentation
//    offload shows them; all have the instant of the message. The window never limits the sender,
//    and starting sequence numbers follow from the number of the connection.
// 3. A datagram is one frame, however long.
#ifndef SIM_CODEC_SOCKET_FRAMES_H_
#define SIM_CODEC_SOCKET_FRAMES_H_

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "model/mad/ip_packet.h"
#include "model/vocabulary/topology.h"
#include "sim/codec/carried_frame.h"
#include "sim/codec/socket_note.h"

namespace cm::sim {

// The frames of all notes of a run, which stand in the order in which they were taken down.
class SocketFrames {
 public:
  // The topology must outlive this object.
  explicit SocketFrames(const Topology* topology);

  std::vector<CarriedFrame> FramesOf(std::vector<SocketNote> notes);

 private:
  using What = SocketNote::What;
  using Ends = std::pair<SocketEnd, SocketEnd>;  // the active side, the passive side
  // Of one side of a connection. Offsets are counted from the starting sequence number.
  struct Half {
    SocketEnd end;
    uint32_t start = 0;
    uint64_t next = 0;                      // of what it sends for the first time
    uint64_t received = 0;                  // of the peer, without a gap
    std::map<uint64_t, uint64_t> beyond;    // received behind a gap: first and end
    std::map<uint64_t, uint64_t> messages;  // first offset by number
    Instant last;                           // no frame from it arrives earlier
    bool hears = false;                     // the peer's starting sequence number
  };
  struct Connection {
    std::array<Half, 2> halves;  // active, passive
    bool over = false;
  };
  struct Flags {
    bool syn = false, ack = true, psh = false, rst = false, fin = false;
  };

  static void CompletePorts(std::vector<SocketNote>* notes);
  static void KeepInOrder(std::vector<SocketNote>* notes);
  static void LeaveOutOtherCloses(std::vector<SocketNote>* notes);
  void Sent(const SocketNote& note);
  void Arrived(const SocketNote& note);
  void SendBytes(const SocketNote& note, Connection* connection, size_t side);
  void Datagram(const SocketNote& note);
  Connection* Begin(const SocketNote& note);
  // The connection of a note, and the side that has sent it.
  std::pair<Connection*, size_t> Of(const SocketNote& note);
  void Segment(Connection* connection, size_t side, Flags flags, uint64_t offset,
               std::span<const uint8_t> bytes, const SocketNote& note);
  void Push(mad::IpPacket packet, const SocketEnd& from, const SocketEnd& to, Instant at,
            std::optional<Instant> arrives);
  uint8_t DeviceOf(const SocketEnd& end) const;

  const Topology* topology_;
  std::map<mad::Gid, uint8_t> devices_;
  std::map<Ends, Connection> connections_;
  uint32_t begun_ = 0;
  std::map<uint8_t, uint16_t> ids_;  // of packets, by device
  std::vector<CarriedFrame> frames_;
};

}  // namespace cm::sim

#endif  // SIM_CODEC_SOCKET_FRAMES_H_
