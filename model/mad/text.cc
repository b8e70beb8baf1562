#include "model/mad/text.h"

#include <arpa/inet.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <variant>

#include "model/base/check.h"
#include "model/mad/cma_header.h"
#include "model/mad/field.h"
#include "model/mad/frame.h"
#include "model/mad/message_layouts.h"
#include "model/mad/messages.h"
#include "model/mad/packet.h"
#include "model/vocabulary/protocol.h"

namespace cm::mad {
namespace {

template <typename M>
size_t Add(Layers& layers, size_t offset) {
  layers.push_back({Layout<M>::kName, kFields<M>, offset});
  return offset + kSize<M>;
}

template <typename M>
constexpr bool kHasCmaHeader = std::is_same_v<M, Req> || std::is_same_v<M, SidrReq>;

// Offset of the private data of a message.
template <typename M>
constexpr size_t PrivateDataByte() {
  for (const Field& field : kFields<M>) {
    if (field.name == "private_data") return field.byte;
  }
  return kBodySize;
}

void AddMad(Layers& layers, const Mad& mad, size_t offset) {
  const size_t body = Add<MadHeader>(layers, offset);
  std::visit(
      [&]<typename M>(const M& message) {
        Add<M>(layers, body);
        if constexpr (kHasCmaHeader<M>) {
          if (HasCmaHeader(message)) Add<CmaHeader>(layers, body + PrivateDataByte<M>());
        }
      },
      mad.message);
}

std::string Hex(std::span<const uint8_t> bytes) {
  std::string text = "0x";
  for (const uint8_t byte : bytes) text += fmt::format("{:02x}", byte);
  return text;
}

// As text when all of it is printable, so that an application's data can be read.
std::string BytesText(std::span<const uint8_t> bytes) {
  while (!bytes.empty() && bytes.back() == 0) bytes = bytes.first(bytes.size() - 1);
  const bool printable = std::ranges::all_of(
      bytes, [](uint8_t byte) { return byte >= 0x20 && byte < 0x7f && byte != '"'; });
  return printable ? fmt::format("\"{}\"", std::string(bytes.begin(), bytes.end())) : Hex(bytes);
}

std::string AddressText(int family, const uint8_t* bytes) {
  std::array<char, INET6_ADDRSTRLEN> text;
  CM_CHECK(inet_ntop(family, bytes, text.data(), text.size()) != nullptr);
  return text.data();
}

std::string ValueText(const Field& field, const uint8_t* layer) {
  const uint8_t* bytes = layer + field.byte;
  const uint64_t value = field.is_number() ? ReadBits(layer, field) : 0;
  switch (field.show) {
    case Show::kNumber:
      return fmt::format("{}", value);
    case Show::kHex:
    case Show::kReserved:
      return fmt::format("0x{:0{}x}", value, (field.width + 3) / 4);
    case Show::kIpv4:
      return AddressText(AF_INET, bytes);
    case Show::kGid:
      return AddressText(AF_INET6, bytes);
    case Show::kMac:
      return fmt::format("{:02x}:{:02x}:{:02x}:{:02x}:{:02x}:{:02x}", bytes[0], bytes[1], bytes[2],
                         bytes[3], bytes[4], bytes[5]);
    case Show::kBytes:
      return BytesText({bytes, field.width / 8U});
    case Show::kAttribute:
      return AttributeText(static_cast<uint16_t>(value));
    case Show::kReason:
      return cm::ToString(static_cast<RejReason>(value));
  }
  return "";
}

std::string ToText(const Layers& layers, std::span<const uint8_t> bytes) {
  std::string text;
  for (const Layer& layer : layers) {
    text += layer.name;
    const uint8_t* from = bytes.data() + layer.offset;
    for (const Field& field : layer.fields) {
      if (field.show == Show::kReserved && ReadBits(from, field) == 0) continue;
      text += fmt::format(" {}={}", field.name, ValueText(field, from));
    }
    text += '\n';
  }
  return text;
}

}  // namespace

Layers LayersOf(const Frame& frame) {
  Layers layers;
  size_t offset = 0;
  std::visit(
      [&]<typename M>(const M&) {
        if constexpr (!std::is_same_v<M, NoLink>) offset = Add<M>(layers, offset);
      },
      frame.link);
  if (frame.vlan) offset = Add<Vlan>(layers, offset);
  std::visit([&]<typename M>(const M&) { offset = Add<M>(layers, offset); }, frame.ip);
  offset = Add<Udp>(layers, offset);
  offset = Add<Bth>(layers, offset);
  offset = Add<Deth>(layers, offset);
  AddMad(layers, frame.mad, offset);
  Add<Icrc>(layers, offset + kMadSize);
  return layers;
}

Layers LayersOf(const Mad& mad) {
  Layers layers;
  AddMad(layers, mad, 0);
  return layers;
}

std::optional<Place> Find(const Layers& layers, std::string_view path) {
  const size_t dot = path.find('.');
  if (dot == std::string_view::npos) return std::nullopt;
  for (const Layer& layer : layers) {
    if (layer.name != path.substr(0, dot)) continue;
    for (const Field& field : layer.fields) {
      if (field.name == path.substr(dot + 1)) return Place{layer.offset, field};
    }
  }
  return std::nullopt;
}

uint64_t Read(std::span<const uint8_t> bytes, const Place& place) {
  CM_CHECK(place.field.is_number()) << place.field.name;
  return ReadBits(bytes.data() + place.offset, place.field);
}

void Write(std::span<uint8_t> bytes, const Place& place, uint64_t value) {
  CM_CHECK(place.field.is_number()) << place.field.name;
  WriteBits(bytes.data() + place.offset, place.field, value);
}

std::optional<uint64_t> ValueOf(const Layers& layers, std::span<const uint8_t> bytes,
                                std::string_view path) {
  const std::optional<Place> place = Find(layers, path);
  if (!place || !place->field.is_number()) return std::nullopt;
  return Read(bytes, *place);
}

std::optional<uint64_t> ValueOf(const Frame& frame, std::string_view path) {
  return ValueOf(LayersOf(frame), Encode(frame).view(), path);
}

std::optional<uint64_t> ValueOf(const Mad& mad, std::string_view path) {
  return ValueOf(LayersOf(mad), Encode(mad), path);
}

std::string AttributeText(uint16_t attribute_id) {
  if (attribute_id == kClassPortInfo) return "ClassPortInfo";
  if (attribute_id == kSapAttribute) return "SAP";
  if (attribute_id == kSprAttribute) return "SPR";
  const MadKind kind = KindOfAttribute(attribute_id);
  if (kind != MadKind::kOther) return std::string(ToString(kind));
  return fmt::format("0x{:04x}", attribute_id);
}

std::string ToText(const Frame& frame) { return ToText(LayersOf(frame), Encode(frame).view()); }

std::string ToText(const Mad& mad) { return ToText(LayersOf(mad), Encode(mad)); }

}  // namespace cm::mad
