// What a captured packet is, before anybody asks what it says.
#ifndef MODEL_WIRE_FRAMING_H_
#define MODEL_WIRE_FRAMING_H_

#include <cstddef>

#include "model/mad/frame.h"
#include "model/mad/malformed.h"

namespace cm::wire {

// Not of the CM, although it has the shape: no other class has its messages sent in this way.
bool IsOfAnotherClass(const mad::MadHeader& header);

// Too short to tell whether it is of RoCE at all.
bool EndsBeforeItsKind(const mad::Malformed& why, size_t size);

// A sender that leaves the checksum to its device is captured before there is one.
bool HasWrongChecksum(const mad::Frame& frame);

}  // namespace cm::wire

#endif  // MODEL_WIRE_FRAMING_H_
