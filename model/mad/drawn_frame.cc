#include "model/mad/drawn_frame.h"

#include <cstddef>
#include <cstdint>
#include <tuple>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "model/mad/field.h"
#include "model/mad/frame.h"
#include "model/mad/message_layouts.h"
#include "model/mad/messages.h"
#include "model/mad/packet.h"

namespace cm::mad {
namespace {

class Numbers {
 public:
  explicit Numbers(const std::vector<uint64_t>& numbers) : numbers_(numbers) {}

  uint64_t Next() { return next_ < numbers_.size() ? numbers_[next_++] : 0; }

  // By members, not by bytes: the code under test must not make its own input.
  template <typename M>
  M Layer() {
    M layer;
    std::apply([&](const auto&... rows) { (Fill(layer.*rows.member, rows), ...); },
               Layout<M>::kRows);
    return layer;
  }

 private:
  template <typename T>
  void Fill(T& member, const Field& field) {
    if constexpr (std::is_class_v<T>) {
      for (uint8_t& byte : member) byte = static_cast<uint8_t>(Next());
    } else {
      member = static_cast<T>(Next() & field.max());
    }
  }

  const std::vector<uint64_t>& numbers_;
  size_t next_ = 0;
};

// One of the alternatives of a variant, filled.
template <typename V, size_t... kIndices>
V OneOf(Numbers& numbers, std::index_sequence<kIndices...> /*all*/) {
  const size_t index = numbers.Next() % sizeof...(kIndices);
  V drawn;
  ((kIndices == index ? void(drawn = numbers.Layer<std::variant_alternative_t<kIndices, V>>())
                      : void()),
   ...);
  return drawn;
}

Link DrawnLink(Numbers& numbers) {
  switch (numbers.Next() % 4) {
    case 0:
      return numbers.Layer<Ethernet>();
    case 1:
      return numbers.Layer<Sll>();
    case 2:
      return numbers.Layer<Sll2>();
    default:
      return NoLink{};
  }
}

Ip DrawnIp(Numbers& numbers) {
  if (numbers.Next() % 2 == 0) {
    auto ip = numbers.Layer<Ipv4>();
    ip.version = 4;
    ip.ihl = 5;
    ip.protocol = kUdpProtocol;
    ip.more_fragments = false;
    ip.fragment_offset = 0;
    return ip;
  }
  auto ip = numbers.Layer<Ipv6>();
  ip.version = 6;
  ip.next_header = kUdpProtocol;
  return ip;
}

Mad DrawnMad(Numbers& numbers) {
  Mad mad{
      .header = numbers.Layer<MadHeader>(),
      .message = OneOf<Message>(numbers, std::make_index_sequence<std::variant_size_v<Message>>())};
  mad.header.base_version = kMadBaseVersion;
  if (!std::holds_alternative<Opaque>(mad.message)) {
    mad.header.mgmt_class = kCmClass;
    mad.header.class_version = kCmClassVersion;
    mad.header.attribute_id = AttributeOf(mad.message);
  } else if (mad.header.mgmt_class == kCmClass) {
    mad.header.attribute_id = kSprAttribute;
  }
  return mad;
}

}  // namespace

Frame FrameOf(const std::vector<uint64_t>& numbers_given) {
  Numbers numbers(numbers_given);
  Frame frame;
  frame.link = DrawnLink(numbers);
  if (std::holds_alternative<Ethernet>(frame.link) && numbers.Next() % 2 == 0) {
    frame.vlan = numbers.Layer<Vlan>();
  }
  frame.ip = DrawnIp(numbers);
  frame.udp = numbers.Layer<Udp>();
  frame.udp.destination_port = kRocePort;
  frame.bth = numbers.Layer<Bth>();
  frame.bth.opcode = kUdSendOnly;
  frame.bth.destination_qp = kGeneralServicesQp;
  frame.bth.transport_version = 0;
  frame.bth.pad_count = 0;
  frame.deth = numbers.Layer<Deth>();
  frame.mad = DrawnMad(numbers);
  Seal(frame);
  // Checksums and the CRC may be wrong in a frame that is well-formed.
  if (auto* v4 = std::get_if<Ipv4>(&frame.ip))
    v4->checksum ^= static_cast<uint16_t>(numbers.Next());
  frame.icrc.value ^= static_cast<uint32_t>(numbers.Next());
  return frame;
}

}  // namespace cm::mad
