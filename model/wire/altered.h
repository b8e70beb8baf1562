// For tests: the stored captures, and copies of them that say something else.
#ifndef MODEL_WIRE_ALTERED_H_
#define MODEL_WIRE_ALTERED_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "model/mad/frame.h"
#include "model/wire/judge.h"

namespace cm::wire {

struct Captured {
  int64_t nanoseconds = 0;
  mad::Frame frame;
};

struct Capture {
  std::string name;
  std::vector<Captured> frames;
};

// Sorted by name.
const std::vector<Capture>& StoredCaptures();
const Capture& StoredCapture(const std::string& name);

// Lengths, checksums and CRC put right.
std::vector<uint8_t> Sealed(mad::Frame frame);

// The frame with another value in that field, and a CRC that fits.
mad::Frame With(const mad::Frame& frame, const std::string& path, uint64_t value);
// The way back.
mad::Frame Reversed(mad::Frame frame);

// A copy with something done to it.
struct Alteration {
  std::string what;  // "connect_disconnect:3 RTU.local_cid=0x0"
  Capture capture;
  size_t index = 0;  // of the frame that it was done to
};

Alteration Altered(const Capture& capture, size_t index, const std::string& path, uint64_t value);
Alteration Dropped(const Capture& capture, size_t index);
// With the next one; each is seen when the other was.
Alteration Swapped(const Capture& capture, size_t index);
// Once more, `after` nanoseconds later.
Alteration Inserted(const Capture& capture, size_t index, const std::string& what,
                    const mad::Frame& frame, int64_t after);

std::vector<Verdict> JudgedIn(const Manner& manner, const Capture& capture);
// The first violation, as text; empty when everything is permitted.
std::string WhatIsWrong(const Manner& manner, const Capture& capture);

}  // namespace cm::wire

#endif  // MODEL_WIRE_ALTERED_H_
