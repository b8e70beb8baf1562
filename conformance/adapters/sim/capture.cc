#include "conformance/adapters/sim/capture.h"

#include <memory>
#include <span>

#include "conformance/adapters/sim/sim_adapter.h"
#include "conformance/driver/perform.h"
#include "model/mad/frame.h"
#include "model/mad/pcap.h"
#include "sim/codec/wire.h"
#include "sim/fabric/fabric.h"

namespace cm {

std::variant<Capture, std::string> CaptureOf(const Conversation& conversation,
                                             const Profile& profile, CaptureOptions options) {
  if (profile.transport == Transport::kIwarp)
    return "over iWARP connections are made by MPA over TCP, and no message of the CM is sent";
  Capture capture;
  sim::Wire wire(conversation.topology, &profile);
  mad::PcapWriter writer([&](std::span<const uint8_t> bytes) {
    capture.file.append(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  });
  const auto write = [&](const sim::WireNote& note) {
    mad::Frame frame = wire.FrameOf(note);
    if (note.lost) ++capture.lost;
    if (note.lost && !options.with_lost) return;
    mad::Seal(frame);
    if (note.corrupt) frame.icrc.value = ~frame.icrc.value;
    for (int copies = note.doubled ? 2 : 1; copies > 0; --copies) {
      ++capture.frames;
      writer.Write(note.at.nanoseconds(), mad::Encode(frame).view());
    }
  };
  const std::unique_ptr<Implementation> implementation = MakeSimImplementation(
      {.profile = profile, .capabilities = conversation.capabilities, .on_wire = write});
  const std::unique_ptr<Session> session = implementation->Start(conversation);
  if (std::string why = session->Unsupported(); !why.empty()) return why;
  Perform(conversation, *session);
  writer.Flush();
  return capture;
}

}  // namespace cm
