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

// Neighbour discovery: ICMPv6 behind the headers of Ethernet and IPv6, with one option.
constexpr size_t kIpAt = 14;
constexpr size_t kSourceAt = 22;
constexpr size_t kDestinationAt = 38;
constexpr size_t kIcmpAt = 54;
constexpr size_t kChecksumAt = 56;
constexpr size_t kFlagsAt = 58;
constexpr size_t kWhomAt = 62;  // it is about
constexpr size_t kOptionAt = 78;
constexpr size_t kDiscoverySize = 86;
constexpr uint8_t kIcmp = 58;
constexpr uint8_t kSolicitation = 135;
constexpr uint8_t kAdvertisement = 136;
constexpr uint8_t kFarthest = 255;  // hops: what was forwarded is not valid
constexpr uint8_t kAnswersAndReplaces = 0x60;

// source: RFC 8200 8.1
uint16_t IcmpChecksum(std::span<const uint8_t> frame) {
  uint32_t sum = static_cast<uint32_t>(frame.size() - kIcmpAt) + kIcmp;
  for (size_t i = kSourceAt; i < frame.size(); i += 2)
    if (i != kChecksumAt) sum += static_cast<uint32_t>(frame[i] << 8 | frame[i + 1]);
  while (sum >> 16 != 0) sum = (sum & 0xffff) + (sum >> 16);
  return static_cast<uint16_t>(~sum);
}

// An advertisement of its address by `from`, for `to`.
Bytes Advertisement(const Neighbour& from, const Neighbour& to) {
  Bytes frame(kDiscoverySize);
  auto next = std::copy(to.mac.begin(), to.mac.end(), frame.begin());
  next = std::copy(from.mac.begin(), from.mac.end(), next);
  frame[kTypeAt] = mad::kIpv6Type >> 8;
  frame[kTypeAt + 1] = mad::kIpv6Type & 0xff;
  frame[kIpAt] = 0x60;
  frame[kIpAt + 5] = kDiscoverySize - kIcmpAt;
  frame[kIpAt + 6] = kIcmp;
  frame[kIpAt + 7] = kFarthest;
  std::ranges::copy(from.v6, &frame[kSourceAt]);
  std::ranges::copy(to.v6, &frame[kDestinationAt]);
  frame[kIcmpAt] = kAdvertisement;
  frame[kFlagsAt] = kAnswersAndReplaces;
  std::ranges::copy(from.v6, &frame[kWhomAt]);
  frame[kOptionAt] = 2;      // its hardware address
  frame[kOptionAt + 1] = 1;  // of 8 bytes
  std::ranges::copy(from.mac, &frame[kOptionAt + 2]);
  const uint16_t checksum = IcmpChecksum(frame);
  frame[kChecksumAt] = static_cast<uint8_t>(checksum >> 8);
  frame[kChecksumAt + 1] = static_cast<uint8_t>(checksum);
  return frame;
}

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

std::optional<Solicitation> DecodeSolicitation(std::span<const uint8_t> frame) {
  if (frame.size() < kOptionAt || frame[kTypeAt] != mad::kIpv6Type >> 8 ||
      frame[kTypeAt + 1] != (mad::kIpv6Type & 0xff) || frame[kIpAt + 6] != kIcmp ||
      frame[kIpAt + 7] != kFarthest || frame[kIcmpAt] != kSolicitation)
    return std::nullopt;
  Solicitation asks;
  std::copy_n(&frame[kWhomAt], asks.target.size(), asks.target.begin());
  std::copy_n(&frame[asks.sender.mac.size()], asks.sender.mac.size(), asks.sender.mac.begin());
  std::copy_n(&frame[kSourceAt], asks.sender.v6.size(), asks.sender.v6.begin());
  return asks;
}

std::optional<Bytes> AnswerTo(std::span<const uint8_t> frame, const Neighbour& us) {
  if (const auto asked = DecodeSolicitation(frame)) {
    const bool ours = us.v6 != mad::Gid{} && asked->target == us.v6;
    // Who has no address yet only looks whether this one is free.
    if (!ours || asked->sender.v6 == mad::Gid{}) return std::nullopt;
    return Advertisement(us, asked->sender);
  }
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
