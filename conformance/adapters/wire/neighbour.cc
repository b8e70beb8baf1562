#include "conformance/adapters/wire/neighbour.h"

#include <algorithm>
#include <array>

namespace cm::live {
namespace {

constexpr size_t kSize = 42;
constexpr mad::Mac kEveryone{0xff, 0xff, 0xff, 0xff, 0xff, 0xff};
// Type of the frame; then Ethernet and IPv4, with addresses of 6 and of 4 bytes.
constexpr std::array<uint8_t, 8> kHead{0x08, 0x06, 0x00, 0x01, 0x08, 0x00, 6, 4};
constexpr size_t kTypeAt = 12;
constexpr size_t kWhatAt = 20;
constexpr size_t kSenderAt = 22;
constexpr size_t kTargetAt = 32;
constexpr int kTimes = 3;

void Put(const Neighbour& neighbour, uint8_t* to) {
  to = std::copy(neighbour.mac.begin(), neighbour.mac.end(), to);
  for (int shift = 24; shift >= 0; shift -= 8) *to++ = static_cast<uint8_t>(neighbour.v4 >> shift);
}

Neighbour Get(const uint8_t* from) {
  Neighbour neighbour;
  std::copy_n(from, neighbour.mac.size(), neighbour.mac.begin());
  for (size_t i = 0; i < 4; ++i) neighbour.v4 = neighbour.v4 << 8 | from[neighbour.mac.size() + i];
  return neighbour;
}

}  // namespace

Bytes Encode(const Arp& arp) {
  Bytes frame(kSize);
  const mad::Mac& to = arp.what == Asks::kRequest ? kEveryone : arp.target.mac;
  auto next = std::copy(to.begin(), to.end(), frame.begin());
  next = std::copy(arp.sender.mac.begin(), arp.sender.mac.end(), next);
  std::copy(kHead.begin(), kHead.end(), next);
  frame[kWhatAt + 1] = static_cast<uint8_t>(arp.what);
  Put(arp.sender, &frame[kSenderAt]);
  Put(arp.target, &frame[kTargetAt]);
  return frame;
}

std::optional<Arp> DecodeArp(std::span<const uint8_t> frame) {
  if (frame.size() < kSize || !std::equal(kHead.begin(), kHead.end(), frame.begin() + kTypeAt))
    return std::nullopt;
  const int what = frame[kWhatAt] << 8 | frame[kWhatAt + 1];
  if (what != static_cast<int>(Asks::kRequest) && what != static_cast<int>(Asks::kReply))
    return std::nullopt;
  return Arp{static_cast<Asks>(what), Get(&frame[kSenderAt]), Get(&frame[kTargetAt])};
}

std::optional<Bytes> AnswerTo(std::span<const uint8_t> frame, const Neighbour& us) {
  const auto asked = DecodeArp(frame);
  if (!asked || asked->what != Asks::kRequest || asked->target.v4 != us.v4) return std::nullopt;
  return Encode(Arp{Asks::kReply, us, asked->sender});
}

std::optional<mad::Mac> Resolve(Door& door, const Neighbour& us, uint32_t v4) {
  for (int i = 0; i < kTimes; ++i) {
    door.Send(Encode(Arp{Asks::kRequest, us, {.mac = {}, .v4 = v4}}));
    const Instant until = door.Now() + Duration::Seconds(1);
    while (const auto frame = door.Receive(until)) {
      if (const auto answer = AnswerTo(*frame, us)) door.Send(*answer);
      const auto heard = DecodeArp(*frame);
      if (heard && heard->sender.v4 == v4) return heard->sender.mac;
    }
  }
  return std::nullopt;
}

}  // namespace cm::live
