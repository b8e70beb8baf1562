// What each kind of alterations makes of a line of a recording.
#ifndef CONFORMANCE_SHARPNESS_OF_LINE_H_
#define CONFORMANCE_SHARPNESS_OF_LINE_H_

#include "conformance/sharpness/line_alterer.h"

namespace cm {

namespace of_line {
void Errno(LineAlterer& at);
void Event(LineAlterer& at);
void Status(LineAlterer& at);
void Readable(LineAlterer& at);
void Late(LineAlterer& at);
void Never(LineAlterer& at);
void SlowCall(LineAlterer& at);
void AddressHandle(LineAlterer& at);
void QueuePair(LineAlterer& at);
void OtherField(LineAlterer& at);
}  // namespace of_line

}  // namespace cm

#endif  // CONFORMANCE_SHARPNESS_OF_LINE_H_
