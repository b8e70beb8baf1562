#include "conformance/adapters/sim/capture.h"

#include <memory>
#include <span>

#include "conformance/adapters/sim/sim_adapter.h"
#include "conformance/driver/perform.h"
#include "sim/codec/capture_writer.h"
#include "sim/fabric/fabric.h"

namespace cm {

std::variant<Capture, std::string> CaptureOf(const Conversation& conversation,
                                             const Profile& profile, CaptureOptions options) {
  if (profile.transport == Transport::kIwarp)
    return "over iWARP connections are made by MPA over TCP, and no message of the CM is sent";
  Capture capture;
  sim::CaptureWriter writer(
      &*conversation.topology, options.with_lost, [&](std::span<const uint8_t> bytes) {
        capture.file.append(reinterpret_cast<const char*>(bytes.data()), bytes.size());
      });
  const auto write = [&writer](const sim::WireNote& note) { writer.Write(note); };
  const std::unique_ptr<Implementation> implementation = MakeSimImplementation(
      {.profile = profile, .capabilities = conversation.capabilities, .on_wire = write});
  const std::unique_ptr<Session> session = implementation->Start(conversation);
  if (std::string why = session->Unsupported(); !why.empty()) return why;
  Perform(conversation, *session);
  writer.Flush();
  capture.frames = writer.frames();
  capture.lost = writer.lost();
  return capture;
}

}  // namespace cm
