// For tests: the stored captures.
#ifndef MODEL_CAPTURE_STORED_CAPTURES_H_
#define MODEL_CAPTURE_STORED_CAPTURES_H_

#include <string>
#include <vector>

#include "model/capture/altered.h"

namespace cm::wire {

// Sorted by name.
const std::vector<Capture>& StoredCaptures();
const Capture& StoredCapture(const std::string& name);

}  // namespace cm::wire

#endif  // MODEL_CAPTURE_STORED_CAPTURES_H_
