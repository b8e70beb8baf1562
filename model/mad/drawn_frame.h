// Frames for property tests: every member of every layer is any value that fits its field.
#ifndef MODEL_MAD_DRAWN_FRAME_H_
#define MODEL_MAD_DRAWN_FRAME_H_

#include <cstdint>
#include <vector>

#include "model/mad/frame.h"

namespace cm::mad {

// Well-formed; all other values come from the numbers. Past their end all numbers are 0.
Frame FrameOf(const std::vector<uint64_t>& numbers);

}  // namespace cm::mad

#endif  // MODEL_MAD_DRAWN_FRAME_H_
