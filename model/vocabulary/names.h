// Names of objects in a conversation, as small numbers, and lanes.
#ifndef MODEL_VOCABULARY_NAMES_H_
#define MODEL_VOCABULARY_NAMES_H_

#include <compare>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace cm {

// An index into one of the tables of a conversation's Names.
template <typename Tag>
struct Ref {
  static constexpr uint16_t kNobody = 0xffff;
  uint16_t index = kNobody;
  constexpr bool valid() const { return index != kNobody; }
  friend constexpr auto operator<=>(Ref, Ref) = default;
};

using IdRef = Ref<struct IdTag>;            // an rdma_cm_id
using ChannelRef = Ref<struct ChannelTag>;  // an event channel
using EventRef = Ref<struct EventTag>;      // an event that was fetched
using MrRef = Ref<struct MrTag>;            // a registered memory region, and its buffer
using HeldRef = Ref<struct HeldTag>;        // a list or address info, to be released

// An application thread of one side. Text: "active", or "active/2" for any but the first lane.
struct Lane {
  uint8_t side = 0;    // index into the topology's sides
  uint8_t number = 1;  // 1 is the side's own thread
  friend constexpr auto operator<=>(Lane, Lane) = default;
};

// The names of one kind, in the order of their first use.
template <typename Tag>
class NameTable {
 public:
  // The reference for `name`, new or known.
  Ref<Tag> Intern(std::string_view name) {
    if (const auto known = Find(name)) return *known;
    names_.emplace_back(name);
    return Ref<Tag>{static_cast<uint16_t>(names_.size() - 1)};
  }
  std::optional<Ref<Tag>> Find(std::string_view name) const {
    for (size_t i = 0; i < names_.size(); ++i)
      if (names_[i] == name) return Ref<Tag>{static_cast<uint16_t>(i)};
    return std::nullopt;
  }
  const std::string& NameOf(Ref<Tag> ref) const { return names_[ref.index]; }
  size_t size() const { return names_.size(); }
  friend bool operator==(const NameTable&, const NameTable&) = default;

 private:
  std::vector<std::string> names_;
};

struct Names {
  NameTable<IdTag> ids;
  NameTable<ChannelTag> channels;
  NameTable<EventTag> events;
  NameTable<HeldTag> held;
  NameTable<MrTag> regions;
  friend bool operator==(const Names&, const Names&) = default;
};

}  // namespace cm

#endif  // MODEL_VOCABULARY_NAMES_H_
