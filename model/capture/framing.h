// Classification of a captured packet, before its message is parsed.
#ifndef MODEL_CAPTURE_FRAMING_H_
#define MODEL_CAPTURE_FRAMING_H_

#include <cstddef>

#include "model/mad/frame.h"
#include "model/mad/malformed.h"

namespace cm::wire {

// Not a CM message, although it has the layout: no other class sends its messages in this way.
bool IsOfAnotherClass(const mad::MadHeader& header);

// With options of IPv4, or of another version of IP: messages of a CM have neither. The packet was
// parsed from its IP header on.
bool HasAnotherIpHeader(const mad::Malformed& why);

// Too short to tell whether it is RoCE at all.
bool EndsBeforeItsKind(const mad::Malformed& why, size_t size);

// A sender that offloads the checksum to its device is captured before the checksum is filled in.
bool HasWrongChecksum(const mad::Frame& frame);

}  // namespace cm::wire

#endif  // MODEL_CAPTURE_FRAMING_H_
