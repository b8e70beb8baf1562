// Messages on the wire as a capture file for Wireshark, in libpcap's format: nanoseconds of virtual
// time since the epoch.
#ifndef SIM_CODEC_CAPTURE_WRITER_H_
#define SIM_CODEC_CAPTURE_WRITER_H_

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <utility>

#include "model/mad/frame.h"
#include "model/mad/pcap.h"
#include "model/vocabulary/topology.h"
#include "sim/codec/wire.h"
#include "sim/fabric/fabric.h"

namespace cm::sim {

class CaptureWriter {
 public:
  // The topology must outlive this object. `with_lost`: as the senders see them.
  CaptureWriter(const Topology* topology, bool with_lost,
                std::function<void(std::span<const uint8_t>)> sink)
      : wire_(topology), with_lost_(with_lost), writer_(std::move(sink)) {}

  // Must be called for every message of the CM, in order.
  void Write(const WireNote& note) {
    const mad::FrameBytes frame = wire_.Captured(note);
    if (note.lost) ++lost_;
    if (note.lost && !with_lost_) return;
    for (int copies = note.doubled ? 2 : 1; copies > 0; --copies) {
      ++frames_;
      writer_.Write(note.at.nanoseconds(), frame.view());
    }
  }
  void Flush() { writer_.Flush(); }

  size_t frames() const { return frames_; }
  // Of the messages that were sent.
  size_t lost() const { return lost_; }

 private:
  Wire wire_;
  bool with_lost_;
  mad::PcapWriter writer_;
  size_t frames_ = 0;
  size_t lost_ = 0;
};

}  // namespace cm::sim

#endif  // SIM_CODEC_CAPTURE_WRITER_H_
