#include "model/capture/altered.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "model/base/check.h"
#include "model/mad/pcap.h"
#include "model/mad/text.h"

namespace cm::wire {
namespace {

std::string NameOf(const Capture& capture, size_t index) {
  return fmt::format("{}:{} {}", capture.name, index + 1,
                     mad::AttributeText(capture.frames[index].frame.mad.header.attribute_id));
}

}  // namespace

std::optional<Capture> ReadCapture(const std::string& name, std::span<const uint8_t> file) {
  auto reader = mad::PcapReader::Open(file);
  if (!reader.ok()) return std::nullopt;
  Capture capture{.name = name, .frames = {}};
  for (auto record = reader.value().Next(); record && record->ok();
       record = reader.value().Next()) {
    const auto frame = mad::Decode(record->value().bytes, reader.value().link());
    if (frame.ok()) capture.frames.push_back({record->value().nanoseconds, frame.value()});
  }
  return capture;
}

std::vector<uint8_t> Sealed(mad::Frame frame) {
  const mad::FrameBytes bytes = mad::Seal(frame);
  return {bytes.view().begin(), bytes.view().end()};
}

mad::Frame With(const mad::Frame& frame, const std::string& path, uint64_t value) {
  auto bytes = mad::Encode(frame);
  const auto place = mad::Find(mad::LayersOf(frame), path);
  CM_CHECK(place.has_value()) << path;
  mad::Write(bytes.view(), *place, value);
  // Decodes the bytes again, because the kind of a message may depend on the field.
  mad::Frame altered = mad::Decode(bytes.view(), mad::LinkTypeOf(frame)).value();
  mad::Seal(altered);
  return altered;
}

mad::Frame Reversed(mad::Frame frame) {
  if (auto* v4 = std::get_if<mad::Ipv4>(&frame.ip)) std::swap(v4->source, v4->destination);
  if (auto* v6 = std::get_if<mad::Ipv6>(&frame.ip)) std::swap(v6->source, v6->destination);
  mad::Seal(frame);
  return frame;
}

Alteration Altered(const Capture& capture, size_t index, const std::string& path, uint64_t value) {
  Alteration one{fmt::format("{} {}={:#x}", NameOf(capture, index), path, value), capture, index};
  mad::Frame& frame = one.capture.frames[index].frame;
  frame = With(frame, path, value);
  return one;
}

Alteration Dropped(const Capture& capture, size_t index) {
  Alteration one{NameOf(capture, index) + " dropped", capture, index};
  one.capture.frames.erase(one.capture.frames.begin() + static_cast<ptrdiff_t>(index));
  return one;
}

Alteration Swapped(const Capture& capture, size_t index) {
  Alteration one{NameOf(capture, index) + " after the next", capture, index};
  std::swap(one.capture.frames[index].frame, one.capture.frames[index + 1].frame);
  return one;
}

Alteration Inserted(const Capture& capture, size_t index, const std::string& what,
                    const mad::Frame& frame, int64_t after) {
  Alteration one{NameOf(capture, index) + " " + what, capture, index};
  auto& frames = one.capture.frames;
  const int64_t at = frames[index].nanoseconds + after;
  const auto place = std::find_if(frames.begin() + static_cast<ptrdiff_t>(index) + 1, frames.end(),
                                  [at](const Captured& later) { return later.nanoseconds > at; });
  frames.insert(place, {at, frame});
  return one;
}

std::vector<Verdict> JudgedIn(const JudgeOptions& manner, const Capture& capture) {
  std::vector<Verdict> verdicts;
  Judge judge(manner, [&](const Verdict& verdict) { verdicts.push_back(verdict); });
  uint64_t number = 0;
  for (const Captured& captured : capture.frames) {
    const auto bytes = mad::Encode(captured.frame);
    judge.Take(++number, captured.nanoseconds, bytes.view(), bytes.size(),
               mad::LinkTypeOf(captured.frame));
  }
  judge.Finish();
  return verdicts;
}

std::string WhatIsWrong(const JudgeOptions& manner, const Capture& capture) {
  for (const Verdict& verdict : JudgedIn(manner, capture)) {
    if (!verdict.violation) continue;
    const Violation& wrong = *verdict.violation;
    return fmt::format("frame {}: {}: saw {}; permitted {} ({})", wrong.number, wrong.rule,
                       wrong.saw, wrong.permitted, wrong.source);
  }
  return "";
}

}  // namespace cm::wire
