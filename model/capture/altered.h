// Altered copies of captures, which a judge ought to refuse.
#ifndef MODEL_CAPTURE_ALTERED_H_
#define MODEL_CAPTURE_ALTERED_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "model/capture/judge.h"
#include "model/mad/constraints.h"
#include "model/mad/frame.h"

namespace cm::wire {

struct Captured {
  int64_t nanoseconds = 0;
  mad::Frame frame;
};

struct Capture {
  std::string name;
  std::vector<Captured> frames;
};

// The messages of CMs in a file of libpcap; empty when it is none. Other packets are left out.
std::optional<Capture> ReadCapture(const std::string& name, std::span<const uint8_t> file);

// Fills in lengths, checksums and the CRC.
std::vector<uint8_t> Sealed(mad::Frame frame);

// The frame with another value in that field, and a valid CRC.
mad::Frame With(const mad::Frame& frame, const std::string& path, uint64_t value);
// The frame in the opposite direction.
mad::Frame Reversed(mad::Frame frame);

// An altered copy.
struct Alteration {
  std::string what;  // "connect_disconnect:3 RTU.local_cid=0x0"
  Capture capture;
  size_t index = 0;  // index of the altered frame
};

Alteration Altered(const Capture& capture, size_t index, const std::string& path, uint64_t value);
Alteration Dropped(const Capture& capture, size_t index);
// Swapped with the next frame; the timestamps stay in place.
Alteration Swapped(const Capture& capture, size_t index);
// Repeated `after` nanoseconds later.
Alteration Inserted(const Capture& capture, size_t index, const std::string& what,
                    const mad::Frame& frame, int64_t after);

// A field that is not free has another value: its neighbours, its limits, single flipped bits.
std::vector<Alteration> FieldsAltered(const Capture& capture,
                                      std::span<const mad::Constraint> table);
// A message is missing, or swapped with the next one.
std::vector<Alteration> DroppedOrSwapped(const Capture& capture);
// A message is reflected, repeated, or comes before its cause.
std::vector<Alteration> MadeUp(const Capture& capture);
// The rows about fields that Linux over Soft-RoCE follows.
std::vector<mad::Constraint> ConstraintsOfSoftRoce();

std::vector<Verdict> JudgedIn(const JudgeOptions& manner, const Capture& capture);
// The first violation, as text; empty when everything is permitted.
std::string WhatIsWrong(const JudgeOptions& manner, const Capture& capture);

}  // namespace cm::wire

#endif  // MODEL_CAPTURE_ALTERED_H_
