// All that a run sends between hosts, as captures: one of all hosts, or one for each host.
//
// 1. In the capture of all hosts a message of the CM, and what TCP and UDP send, stand at the
//    instant of sending, once, or twice where it is doubled, whether it is lost or not; data
//    between queue pairs at the instant of arrival.
// 2. In the capture of a host everything stands at the instant at which the host sends or receives
//    it. What is lost on its way is in that of its sender alone. A corrupt message is right in that
//    of its sender. What stays on a host is in its capture once.
#ifndef SIM_CODEC_CAPTURE_H_
#define SIM_CODEC_CAPTURE_H_

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "model/mad/pcap.h"
#include "model/vocabulary/topology.h"
#include "sim/codec/carried_frame.h"
#include "sim/codec/socket_note.h"
#include "sim/codec/wire.h"
#include "sim/fabric/fabric.h"

namespace cm::sim {

class Capture {
 public:
  // The topology must outlive this object.
  explicit Capture(const Topology* topology);

  // Each in the order in which the run reports them.
  void Take(const WireNote& note);
  void Take(const WireArrival& arrival);
  void Take(SocketNote note);

  // No note is taken after it. Must come before what follows.
  void Finish();
  // Both return the number of frames.
  size_t WriteAll(mad::PcapWriter::Sink sink) const;
  size_t WriteHost(uint8_t kernel, mad::PcapWriter::Sink sink) const;
  // Of the messages that were sent.
  size_t lost() const { return lost_; }

 private:
  // A message of the CM that may still arrive.
  struct Pending {
    size_t frame;
    Mad mad;
  };
  struct Place {
    Instant at;
    const CarriedFrame* frame;
    bool repaired = false;
  };

  static size_t Write(std::vector<Place> places, mad::PcapWriter::Sink sink);
  uint8_t KernelOf(uint8_t device) const;

  const Topology* topology_;
  Wire wire_;
  std::vector<CarriedFrame> frames_;
  std::vector<Pending> pending_;
  std::vector<SocketNote> sockets_;
  size_t lost_ = 0;
};

}  // namespace cm::sim

#endif  // SIM_CODEC_CAPTURE_H_
