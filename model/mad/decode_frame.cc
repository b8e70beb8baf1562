// Fuzz target: any bytes are refused at an offset within them, or are a frame that encodes to the
// same bytes, and decodes to the same frame again.
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "model/base/check.h"
#include "model/mad/frame.h"
#include "model/mad/malformed.h"
#include "model/mad/text.h"

namespace cm::mad {
namespace {

constexpr std::array kLinks = {LinkType::kEthernet, LinkType::kRaw, LinkType::kSll,
                               LinkType::kSll2};

void Check(std::span<const uint8_t> bytes, LinkType link) {
  const Decoded<Frame> decoded = Decode(bytes, link);
  if (!decoded.ok()) {
    CM_CHECK(decoded.error().offset <= bytes.size()) << ToString(decoded.error());
    CM_CHECK(!ToString(decoded.error()).empty());
    return;
  }
  Frame frame = decoded.value();
  CM_CHECK(std::ranges::equal(Encode(frame).view(), bytes)) << ToText(frame);
  CM_CHECK(LinkTypeOf(frame) == link);
  const FrameBytes sealed = Seal(frame);
  CM_CHECK(IcrcOf(frame) == frame.icrc.value) << ToText(frame);
  CM_CHECK(Decode(sealed.view(), link).value() == frame) << ToText(frame);
}

}  // namespace
}  // namespace cm::mad

// The first byte chooses the link.
extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (size == 0) return 0;
  cm::mad::Check({data + 1, size - 1}, cm::mad::kLinks[data[0] % cm::mad::kLinks.size()]);
  return 0;
}
