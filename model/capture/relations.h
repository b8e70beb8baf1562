// Rules about fields: of one message, or related to earlier messages.
#ifndef MODEL_CAPTURE_RELATIONS_H_
#define MODEL_CAPTURE_RELATIONS_H_

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <variant>

#include "model/capture/captured_message.h"
#include "model/mad/constraints.h"
#include "model/mad/frame.h"
#include "model/mad/messages.h"
#include "model/mad/text.h"
#include "model/vocabulary/mad_kind.h"

namespace cm::wire {

// A message of an exchange: stored once, however often it was retransmitted.
struct Spoken {
  bool active = false;  // sent by the active side
  mad::Mad mad;
  uint64_t times = 1;
  int64_t last = 0;                            // time of the last transmission, in nanoseconds
  uint32_t icrc = 0;                           // of the last transmission
  std::array<uint8_t, mad::kMadSize> bytes{};  // of `mad`
};

// A frame with lookup of its fields by name: made once for all tables that a message is compared
// with.
class FrameFields {
 public:
  explicit FrameFields(const mad::Frame& frame)
      : layers_(mad::LayersOf(frame)), bytes_(mad::Encode(frame)) {}

  const mad::Layers& layers() const { return layers_; }
  std::span<const uint8_t> bytes() const { return bytes_.view(); }
  std::optional<uint64_t> operator[](std::string_view path) const;
  bool Hold(const mad::Condition& when) const;

 private:
  mad::Layers layers_;
  mad::FrameBytes bytes_;
};

// The first row of `table` that the message, whose fields these are, violates. A relation to a
// message that may not have been captured counts as satisfied.
std::optional<Violation> FirstBreach(const CapturedMessage& sighting, const FrameFields& fields,
                                     bool active, std::span<const Spoken> before, bool may_lack,
                                     std::span<const mad::Constraint> table);

// The first message of that kind; null if there was none.
const mad::Mad* FirstOf(std::span<const Spoken> before, MadKind kind);

// The same by type.
template <typename M>
const M* FirstOf(std::span<const Spoken> before) {
  for (const Spoken& spoken : before)
    if (const auto* one = std::get_if<M>(&spoken.mad.message)) return one;
  return nullptr;
}

}  // namespace cm::wire

#endif  // MODEL_CAPTURE_RELATIONS_H_
