#include "sim/codec/capture.h"

#include <algorithm>
#include <iterator>
#include <span>

#include "sim/codec/socket_frames.h"
#include "sim/fabric/names.h"

namespace cm::sim {
namespace {

constexpr size_t kCrc = 4;

bool IsFrom(std::span<const uint8_t> ethernet, uint8_t device) {
  const mad::Mac mac = MacOf(device);
  return std::ranges::equal(ethernet.subspan(mac.size(), mac.size()), mac);
}

}  // namespace

Capture::Capture(const Topology* topology) : topology_(topology), wire_(topology) {}

uint8_t Capture::KernelOf(uint8_t device) const {
  return device < topology_->devices.size() ? topology_->devices[device].kernel : kNoDevice;
}

void Capture::Take(const WireNote& note) {
  const bool answers = note.data && note.data->answer != DataNote::Answer::kNone;
  const bool lost_answer = answers && !note.lost && note.answered == Instant::Never();
  if (note.lost || lost_answer) ++lost_;
  if (note.data == nullptr) {
    const auto bytes = wire_.Captured(note);
    if (!note.lost) pending_.push_back({.frame = frames_.size(), .mad = note.mad});
    frames_.push_back({.shown = note.at,
                       .sent = note.at,
                       .from = note.from,
                       .to = note.to,
                       .corrupt = note.corrupt,
                       .doubled = note.doubled,
                       .bytes = {bytes.view().begin(), bytes.view().end()}});
    if (note.corrupt) frames_.back().arrives = note.at + Fabric::kLatency;
    return;
  }
  for (std::vector<uint8_t>& bytes : wire_.FramesOf(note)) {
    const bool asks = IsFrom(bytes, note.from);
    CarriedFrame frame{.shown = note.at,
                       .sent = asks ? note.sent : note.at,
                       .from = asks ? note.from : note.to,
                       .to = asks ? note.to : note.from,
                       .bytes = std::move(bytes)};
    if (asks && !note.lost) frame.arrives = note.at;
    if (!asks && note.answered != Instant::Never()) frame.arrives = note.answered;
    frames_.push_back(std::move(frame));
  }
}

// The one that has been sent first, of equal ones.
void Capture::Take(const WireArrival& arrival) {
  const auto found = std::ranges::find_if(pending_, [&](const Pending& one) {
    const CarriedFrame& frame = frames_[one.frame];
    return frame.from == arrival.from && frame.to == arrival.to && one.mad == arrival.mad;
  });
  if (found == pending_.end()) return;
  CarriedFrame& frame = frames_[found->frame];
  const bool first = !frame.arrives;
  (first ? frame.arrives : frame.again) = arrival.at;
  if (!first || !frame.doubled) pending_.erase(found);
}

void Capture::Take(SocketNote note) {
  if (!note.arrives) ++lost_;
  sockets_.push_back(std::move(note));
}

void Capture::Finish() {
  std::vector<CarriedFrame> all = SocketFrames(topology_).FramesOf(std::move(sockets_));
  frames_.insert(frames_.end(), std::make_move_iterator(all.begin()),
                 std::make_move_iterator(all.end()));
}

size_t Capture::WriteAll(mad::PcapWriter::Sink sink) const {
  std::vector<Place> places;
  for (const CarriedFrame& frame : frames_)
    for (int copies = frame.doubled ? 2 : 1; copies > 0; --copies)
      places.push_back({.at = frame.shown, .frame = &frame});
  return Write(std::move(places), std::move(sink));
}

size_t Capture::WriteHost(uint8_t kernel, mad::PcapWriter::Sink sink) const {
  std::vector<Place> places;
  for (const CarriedFrame& frame : frames_) {
    const bool sends = KernelOf(frame.from) == kernel;
    if (sends) places.push_back({.at = frame.sent, .frame = &frame, .repaired = frame.corrupt});
    if (sends || KernelOf(frame.to) != kernel) continue;
    for (const std::optional<Instant>& at : {frame.arrives, frame.again})
      if (at) places.push_back({.at = *at, .frame = &frame});
  }
  return Write(std::move(places), std::move(sink));
}

size_t Capture::Write(std::vector<Place> places, mad::PcapWriter::Sink sink) {
  std::ranges::stable_sort(places, {}, &Place::at);
  mad::PcapWriter writer(std::move(sink));
  for (const Place& place : places) {
    if (!place.repaired) {
      writer.Write(place.at.nanoseconds(), place.frame->bytes);
      continue;
    }
    std::vector<uint8_t> bytes = place.frame->bytes;
    for (uint8_t& byte : std::span(bytes).last(kCrc)) byte = static_cast<uint8_t>(~byte);
    writer.Write(place.at.nanoseconds(), bytes);
  }
  writer.Flush();
  return places.size();
}

}  // namespace cm::sim
