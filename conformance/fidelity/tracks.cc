#include "conformance/fidelity/tracks.h"

#include <algorithm>
#include <map>
#include <utility>

#include "model/base/check.h"
#include "model/conversation/print.h"
#include "model/conversation/volatile.h"

namespace cm {
namespace {

std::optional<Lane> LaneOf(const Line& line) {
  if (const auto* calls = std::get_if<line::Calls>(&line)) return calls->lane;
  if (const auto* waits = std::get_if<line::Waits>(&line)) return waits->lane;
  return std::nullopt;
}

// A shown id->event belongs to the lane; a fetched event belongs to the channel.
const call::GetCmEvent* FetchIn(const Line& line) {
  const auto* calls = std::get_if<line::Calls>(&line);
  return calls == nullptr ? nullptr : std::get_if<call::GetCmEvent>(&calls->call);
}

// The event of the record; removes it from the record.
std::optional<CmEvent> TakeEvent(Record* record) {
  if (auto* answered = std::get_if<seen::Answered>(&record->seen))
    return std::exchange(answered->event, std::nullopt);
  if (auto* released = std::get_if<seen::Released>(&record->seen))
    return std::exchange(released->event, std::nullopt);
  return std::nullopt;
}

// Sorts records into tracks. Every lane and channel of the conversation has one, even if it is
// empty.
class Sorter {
 public:
  explicit Sorter(const History& history) : history_(history) {
    for (const Line& line : conversation().lines)
      if (const auto lane = LaneOf(line)) lanes_[*lane];
    channels_.resize(conversation().names.channels.size());
  }

  std::vector<Track> Sort() {
    for (size_t i = 0; i < history_.records.size(); ++i) Place(i);
    std::vector<Track> tracks;
    for (auto& [lane, steps] : lanes_)
      tracks.push_back({ToString(lane, *conversation().topology), std::move(steps)});
    for (uint16_t c = 0; c < channels_.size(); ++c)
      tracks.push_back({"channel " + conversation().names.channels.NameOf(ChannelRef{c}),
                        std::move(channels_[c])});
    return tracks;
  }

 private:
  const Conversation& conversation() const { return history_.conversation; }

  void Place(size_t index) {
    Record record = WithoutVolatile(history_.records[index]);
    const Line& line = conversation().lines[record.line];
    const std::optional<Lane> lane = LaneOf(line);
    if (!lane) return;
    const call::GetCmEvent* const fetch = FetchIn(line);
    const std::optional<CmEvent> event = fetch == nullptr ? std::nullopt : TakeEvent(&record);
    lanes_[*lane].push_back({index, record.line, ToString(record, conversation())});
    if (!event) return;
    channels_[fetch->channel.index].push_back(
        {index, record.line, ToString(*event, conversation())});
  }

  const History& history_;
  std::map<Lane, std::vector<Step>> lanes_;
  std::vector<std::vector<Step>> channels_;
};

const Step* At(const Track& track, size_t i) {
  return i < track.steps.size() ? &track.steps[i] : nullptr;
}

bool Equal(const Step* a, const Step* b) {
  return (a == nullptr) == (b == nullptr) &&
         (a == nullptr || (a->line == b->line && a->says == b->says));
}

// On a lane, an observation belongs to its line; on a channel an event is the same wherever it was
// fetched.
bool EqualEvents(const Step* a, const Step* b) {
  return (a == nullptr) == (b == nullptr) && (a == nullptr || a->says == b->says);
}

std::optional<Parting> PartingOf(const Track& kernel, const Track& simulator) {
  const bool channel = kernel.name.starts_with("channel ");
  const size_t count = std::max(kernel.steps.size(), simulator.steps.size());
  for (size_t i = 0; i < count; ++i) {
    const Step* k = At(kernel, i);
    const Step* s = At(simulator, i);
    if (channel ? EqualEvents(k, s) : Equal(k, s)) continue;
    Parting parting{.track = kernel.name, .line = 0, .kernel = {}, .simulator = {}};
    if (k != nullptr) parting.kernel = *k;
    if (s != nullptr) parting.simulator = *s;
    parting.line = k == nullptr ? s->line : s == nullptr ? k->line : std::min(k->line, s->line);
    return parting;
  }
  return std::nullopt;
}

}  // namespace

std::vector<Track> TracksOf(const History& history) { return Sorter(history).Sort(); }

std::optional<Parting> FirstParting(const History& kernel, const History& simulator) {
  const std::vector<Track> left = TracksOf(kernel);
  const std::vector<Track> right = TracksOf(simulator);
  CM_CHECK(left.size() == right.size());
  std::optional<Parting> first;
  for (size_t i = 0; i < left.size(); ++i) {
    std::optional<Parting> parting = PartingOf(left[i], right[i]);
    if (parting && (!first || parting->line < first->line)) first = std::move(parting);
  }
  return first;
}

}  // namespace cm
