// Frames and messages by the names of their layers and fields: to print, to look up, to alter.
//
// A path is LAYER.FIELD, e.g. "bth.psn", "mad.tid", "REQ.local_qpn", "cma.port". Layers have the
// names of their layouts; "cma" is there on top of the private data of a REQ or SIDR_REQ whose
// service id is one that RDMA CM makes.
#ifndef MODEL_MAD_TEXT_H_
#define MODEL_MAD_TEXT_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "model/base/inline_vector.h"
#include "model/mad/field.h"
#include "model/mad/frame.h"
#include "model/mad/messages.h"

namespace cm::mad {

// Position of a layer in the bytes of its frame or message.
struct Layer {
  std::string_view name;
  std::span<const Field> fields;
  size_t offset = 0;
};
using Layers = InlineVector<Layer, 10>;

Layers LayersOf(const Frame& frame);
Layers LayersOf(const Mad& mad);

// A field of a frame.
struct Place {
  size_t offset = 0;  // offset of its layer
  Field field;
};
std::optional<Place> Find(const Layers& layers, std::string_view path);

// For fields of up to 64 bits.
uint64_t Read(std::span<const uint8_t> bytes, const Place& place);
void Write(std::span<uint8_t> bytes, const Place& place, uint64_t value);

// The value of a field; empty when there is no such path or when it is longer than 64 bits.
std::optional<uint64_t> ValueOf(const Layers& layers, std::span<const uint8_t> bytes,
                                std::string_view path);
std::optional<uint64_t> ValueOf(const Frame& frame, std::string_view path);
std::optional<uint64_t> ValueOf(const Mad& mad, std::string_view path);

// Names of attributes: "REQ"; "0x0030" for one without a name.
std::string AttributeText(uint16_t attribute_id);

// A line for each layer: its name, then field=value for each field.
std::string ToText(const Frame& frame);
std::string ToText(const Mad& mad);

}  // namespace cm::mad

#endif  // MODEL_MAD_TEXT_H_
