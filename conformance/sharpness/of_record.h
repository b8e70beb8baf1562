// What each kind of alterations makes of a record of a history.
#ifndef CONFORMANCE_SHARPNESS_OF_RECORD_H_
#define CONFORMANCE_SHARPNESS_OF_RECORD_H_

#include "conformance/sharpness/record_alterer.h"

namespace cm {

namespace of_record {
void Errno(RecordAlterer& at);
void Event(RecordAlterer& at);
void Status(RecordAlterer& at);
void Readable(RecordAlterer& at);
void Late(RecordAlterer& at);
void Never(RecordAlterer& at);
void SlowCall(RecordAlterer& at);
void AddressHandle(RecordAlterer& at);
void QueuePair(RecordAlterer& at);
void OtherField(RecordAlterer& at);
}  // namespace of_record

}  // namespace cm

#endif  // CONFORMANCE_SHARPNESS_OF_RECORD_H_
