#include "model/mad/frame.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <utility>
#include <variant>

#include "model/base/check.h"
#include "model/mad/field.h"
#include "model/mad/icrc.h"
#include "model/mad/malformed.h"
#include "model/mad/message_layouts.h"
#include "model/mad/messages.h"
#include "model/mad/packet.h"

namespace cm::mad {
namespace {

template <typename M>
void Append(FrameBytes& bytes, const M& layer) {
  Put(layer, bytes.Grow(kSize<M>));
}
void Append(FrameBytes& /*bytes*/, const NoLink& /*layer*/) {}

void PutMad(const Mad& mad, uint8_t* to) {
  Put(mad.header, to);
  std::visit([&](const auto& message) { Put(message, to + kHeaderSize); }, mad.message);
}

// The body of the alternative whose kind it is.
template <typename... Bodies>
void GetBody(MadKind kind, const uint8_t* bytes, std::variant<Bodies...>& message) {
  static_assert(((kSize<Bodies> == kBodySize) && ...));
  ((Bodies::kKind == kind ? void(message = Get<Bodies>(bytes)) : void()), ...);
}

Message GetMessage(const MadHeader& header, const uint8_t* body) {
  const bool known = header.mgmt_class == kCmClass && header.class_version == kCmClassVersion;
  Message message;
  GetBody(known ? header.kind() : MadKind::kOther, body, message);
  return message;
}

// Parses a frame from its beginning. Keeps the first error; after that nothing more is read.
class Reader {
 public:
  explicit Reader(std::span<const uint8_t> bytes) : bytes_(bytes) {}

  const std::optional<Malformed>& wrong() const { return wrong_; }
  size_t next() const { return next_; }
  size_t left() const { return bytes_.size() - next_; }

  // The bytes of the next layer; empty when they are incomplete.
  const uint8_t* Take(std::string_view layer, size_t size, std::string_view expected) {
    if (wrong_) return nullptr;
    if (left() < size) {
      wrong_ = {layer, bytes_.size(), expected, left()};
      return nullptr;
    }
    layer_ = layer;
    layer_begin_ = next_;
    next_ += size;
    return bytes_.data() + layer_begin_;
  }
  template <typename M>
  void Take(M& layer, std::string_view expected) {
    const uint8_t* bytes = Take(Layout<M>::kName, kSize<M>, expected);
    if (bytes != nullptr) layer = Get<M>(bytes);
  }

  // An error `byte` bytes after the beginning of the current layer.
  void Require(bool holds, size_t byte, std::string_view expected, uint64_t found) {
    if (!wrong_ && !holds) wrong_ = {layer_, layer_begin_ + byte, expected, found};
  }
  // The same, for a frame of another protocol.
  void Belongs(bool holds, size_t byte, std::string_view expected, uint64_t found) {
    if (!wrong_ && !holds) wrong_ = {layer_, layer_begin_ + byte, expected, found, true};
  }
  // The same, for an earlier layer.
  void RequireAt(bool holds, std::string_view layer, size_t offset, std::string_view expected,
                 uint64_t found) {
    if (!wrong_ && !holds) wrong_ = {layer, offset, expected, found};
  }

 private:
  std::span<const uint8_t> bytes_;
  size_t next_ = 0;
  std::string_view layer_;
  size_t layer_begin_ = 0;
  std::optional<Malformed> wrong_;
};

constexpr std::string_view kIpTypes = "0x0800 or 0x86dd, IPv4 or IPv6";

// Returns the type of the next layer.
uint16_t TakeLink(Reader& reader, LinkType type, Frame& frame) {
  switch (type) {
    case LinkType::kRaw:
      frame.link = NoLink{};
      return 0;
    case LinkType::kSll: {
      auto& link = frame.link.emplace<Sll>();
      reader.Take(link, "16 bytes");
      reader.Belongs(link.protocol == kIpv4Type || link.protocol == kIpv6Type, 14, kIpTypes,
                     link.protocol);
      return link.protocol;
    }
    case LinkType::kSll2: {
      auto& link = frame.link.emplace<Sll2>();
      reader.Take(link, "20 bytes");
      reader.Belongs(link.protocol == kIpv4Type || link.protocol == kIpv6Type, 0, kIpTypes,
                     link.protocol);
      return link.protocol;
    }
    case LinkType::kEthernet:
      break;
  }
  auto& link = frame.link.emplace<Ethernet>();
  reader.Take(link, "14 bytes");
  uint16_t next = link.type;
  size_t type_byte = 12;
  if (next == kVlanType && !reader.wrong()) {
    reader.Take(frame.vlan.emplace(), "4 bytes");
    next = frame.vlan->type;
    type_byte = 2;
  }
  reader.Belongs(next == kIpv4Type || next == kIpv6Type, type_byte, kIpTypes, next);
  return next;
}

void TakeIpv4(Reader& reader, Ipv4& ip) {
  reader.Take(ip, "20 bytes");
  reader.Require(ip.version == 4, 0, "version 4", ip.version);
  reader.Belongs(ip.protocol == kUdpProtocol, 9, "protocol 17, UDP", ip.protocol);
  reader.Belongs(!ip.more_fragments, 6, "no more fragments", 1);
  reader.Belongs(ip.fragment_offset == 0, 6, "no fragment", ip.fragment_offset);
  reader.Require(ip.ihl == 5, 0, "a header of 5 words", ip.ihl);
}

void TakeIpv6(Reader& reader, Ipv6& ip) {
  reader.Take(ip, "40 bytes");
  reader.Require(ip.version == 6, 0, "version 6", ip.version);
  reader.Belongs(ip.next_header == kUdpProtocol, 6, "next header 17, UDP", ip.next_header);
}

void TakeMad(Reader& reader, Mad& mad) {
  const uint8_t* bytes = reader.Take("mad", kMadSize, "256 bytes");
  if (bytes == nullptr) return;
  mad.header = Get<MadHeader>(bytes);
  reader.Require(mad.header.base_version == kMadBaseVersion, 0, "base version 1",
                 mad.header.base_version);
  mad.message = GetMessage(mad.header, bytes + kHeaderSize);
}

// The lengths that IP and UDP must have in a frame of this size.
void RequireLengths(Reader& reader, const Frame& frame, size_t ip_begin) {
  const size_t size = reader.next() - ip_begin;
  size_t udp_begin = ip_begin + kSize<Ipv4>;
  if (const auto* v4 = std::get_if<Ipv4>(&frame.ip)) {
    reader.RequireAt(v4->total_length == size, "ipv4", ip_begin + 2, "the length of all the rest",
                     v4->total_length);
  } else {
    const uint16_t length = std::get_if<Ipv6>(&frame.ip)->payload_length;
    reader.RequireAt(length == size - kSize<Ipv6>, "ipv6", ip_begin + 4,
                     "the length of what follows", length);
    udp_begin = ip_begin + kSize<Ipv6>;
  }
  reader.RequireAt(frame.udp.length == reader.next() - udp_begin, "udp", udp_begin + 4,
                   "the length of all the rest", frame.udp.length);
}

}  // namespace

uint8_t* FrameBytes::Grow(size_t n) {
  CM_CHECK(n <= bytes_.size() - size_) << n << " bytes after " << size_;
  size_ += n;
  return bytes_.data() + size_ - n;
}

LinkType LinkTypeOf(const Frame& frame) {
  constexpr std::array kTypes = {LinkType::kEthernet, LinkType::kRaw, LinkType::kSll,
                                 LinkType::kSll2};
  static_assert(std::variant_size_v<Link> == kTypes.size());
  return kTypes[frame.link.index()];
}

FrameBytes Encode(const Frame& frame) {
  FrameBytes bytes;
  std::visit([&](const auto& link) { Append(bytes, link); }, frame.link);
  if (frame.vlan) Append(bytes, *frame.vlan);
  std::visit([&](const auto& ip) { Append(bytes, ip); }, frame.ip);
  Append(bytes, frame.udp);
  Append(bytes, frame.bth);
  Append(bytes, frame.deth);
  PutMad(frame.mad, bytes.Grow(kMadSize));
  Append(bytes, frame.icrc);
  return bytes;
}

Decoded<Frame> Decode(std::span<const uint8_t> bytes, LinkType link) {
  Decoded<Frame> decoded{Frame{}};
  Frame& frame = decoded.value();
  Reader reader(bytes);
  const uint16_t type = TakeLink(reader, link, frame);
  const size_t ip_begin = reader.next();
  const bool v6 = link == LinkType::kRaw ? !bytes.empty() && bytes[0] >> 4 == 6 : type == kIpv6Type;
  if (v6) {
    TakeIpv6(reader, frame.ip.emplace<Ipv6>());
  } else {
    TakeIpv4(reader, frame.ip.emplace<Ipv4>());
  }
  reader.Take(frame.udp, "8 bytes");
  reader.Belongs(frame.udp.destination_port == kRocePort, 2, "port 4791",
                 frame.udp.destination_port);
  reader.Take(frame.bth, "12 bytes");
  const Bth& bth = frame.bth;
  reader.Belongs(bth.opcode == kUdSendOnly, 0, "opcode 0x64, UD SEND ONLY", bth.opcode);
  reader.Belongs(bth.destination_qp == kGeneralServicesQp, 5, "queue pair 1", bth.destination_qp);
  reader.Require(bth.transport_version == 0, 1, "transport version 0", bth.transport_version);
  reader.Require(bth.pad_count == 0, 1, "no padding", bth.pad_count);
  reader.Take(frame.deth, "8 bytes");
  TakeMad(reader, frame.mad);
  reader.Take(frame.icrc, "4 bytes");
  reader.Require(reader.left() == 0, kSize<Icrc>, "the end of the frame", reader.left());
  RequireLengths(reader, frame, ip_begin);
  if (reader.wrong()) return *reader.wrong();
  return decoded;
}

FrameBytes Seal(Frame& frame) {
  const uint16_t udp_length = kSize<Udp> + kSize<Bth> + kSize<Deth> + kMadSize + kSize<Icrc>;
  uint16_t type = kIpv4Type;
  if (auto* v4 = std::get_if<Ipv4>(&frame.ip)) {
    v4->total_length = kSize<Ipv4> + udp_length;
    v4->checksum = ChecksumOf(*v4);
  } else {
    std::get_if<Ipv6>(&frame.ip)->payload_length = udp_length;
    type = kIpv6Type;
  }
  frame.udp.length = udp_length;
  if (frame.vlan) frame.vlan->type = std::exchange(type, kVlanType);
  if (auto* ethernet = std::get_if<Ethernet>(&frame.link)) ethernet->type = type;
  if (auto* sll = std::get_if<Sll>(&frame.link)) sll->protocol = type;
  if (auto* sll2 = std::get_if<Sll2>(&frame.link)) sll2->protocol = type;
  FrameBytes bytes = Encode(frame);
  const size_t size = bytes.size() - kSize<Icrc>;
  frame.icrc.value = IcrcOf(bytes.view().first(size).subspan(IpOffset(frame)));
  Put(frame.icrc, bytes.view().data() + size);
  return bytes;
}

std::array<uint8_t, kMadSize> Encode(const Mad& mad) {
  std::array<uint8_t, kMadSize> bytes;
  PutMad(mad, bytes.data());
  return bytes;
}

Decoded<Mad> DecodeMad(std::span<const uint8_t> bytes) {
  Decoded<Mad> decoded{Mad{}};
  Reader reader(bytes);
  TakeMad(reader, decoded.value());
  reader.Require(reader.left() == 0, kMadSize, "the end of the MAD", reader.left());
  if (reader.wrong()) return *reader.wrong();
  return decoded;
}

size_t IpOffset(const Frame& frame) {
  constexpr std::array<size_t, 4> kSizes = {kSize<Ethernet>, 0, kSize<Sll>, kSize<Sll2>};
  return kSizes[frame.link.index()] + (frame.vlan ? kSize<Vlan> : 0);
}

uint32_t IcrcOf(const Frame& frame) {
  const FrameBytes bytes = Encode(frame);
  return IcrcOf(bytes.view().first(bytes.size() - kSize<Icrc>).subspan(IpOffset(frame)));
}

uint16_t ChecksumOf(const Ipv4& header) {
  std::array<uint8_t, kSize<Ipv4>> bytes;
  Put(header, bytes.data());
  return ChecksumOf(std::span<const uint8_t, kSize<Ipv4>>(bytes));
}

MadKind KindOf(const Message& message) {
  return std::visit([]<typename M>(const M&) { return M::kKind; }, message);
}

uint16_t AttributeOf(const Message& message) {
  const MadKind kind = KindOf(message);
  return kind == MadKind::kOther ? kSapAttribute : RowOf(kind).attribute_id;
}

Mad MakeMad(const Message& message, uint64_t tid) {
  Mad mad{.header = {}, .message = message};
  mad.header.tid = tid;
  mad.header.attribute_id = AttributeOf(message);
  return mad;
}

}  // namespace cm::mad
