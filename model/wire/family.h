// What a sender may be: some implementations, and what every one of them puts into its messages
// where others are free.
//
// 1. A family is a set of profiles. A field is judged when all of them say what it has to be, and
//    may then be whatever one of them says; a timer may be due when it is for one of them.
// 2. Nobody has to say what a sender is: Linux with Soft-RoCE is recognised by how it fills packets
//    and requests. Whoever fills them otherwise is of the family that is judged by the protocol
//    alone.
#ifndef MODEL_WIRE_FAMILY_H_
#define MODEL_WIRE_FAMILY_H_

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "model/mad/constraints.h"
#include "model/vocabulary/profile.h"
#include "model/wire/sighting.h"

namespace cm::wire {

using ProfileSet = std::vector<const Profile*>;

// What all of these put into their messages.
std::vector<mad::Constraint> FilledBy(const ProfileSet& profiles);

class Family {
 public:
  Family() = default;  // anybody
  explicit Family(ProfileSet profiles)
      : profiles_(std::move(profiles)), filled_(FilledBy(profiles_)) {}

  bool is_known() const { return !profiles_.empty(); }
  const ProfileSet& profiles() const { return profiles_; }
  std::span<const mad::Constraint> filled() const { return filled_; }
  // None of them is of another transport.
  bool IsOver(Transport transport) const;
  // More requests at once than one of them has under way: the others wait, and their timers do not
  // run. source: linux 7.2 mad.c get_sol_fc_max_outstanding
  bool IsTooMany(uint64_t requests) const;
  bool waits_in_line() const { return waits_in_line_; }
  Family InLine() const;

 private:
  ProfileSet profiles_;
  std::vector<mad::Constraint> filled_;
  bool waits_in_line_ = false;
};

// Linux with Soft-RoCE, of every release that there is a profile of.
ProfileSet SoftRoce();

// The nodes of a capture, by their addresses.
class Nodes {
 public:
  // Empty where nobody said what they are.
  explicit Nodes(const ProfileSet& given);

  // It takes part in one exchange more; in one less.
  void Enter(const mad::Gid& address);
  void Leave(const mad::Gid& address);

  // What the sender may be, after this message too.
  const Family& FamilyOf(const Sighting& sighting);
  // The GUID that its CA has, if it is another.
  std::optional<uint64_t> OtherGuid(const mad::Gid& address, uint64_t guid);

 private:
  enum class Kind : uint8_t { kUnclear, kSoftRoce, kOther };
  struct Node {
    uint64_t guid = 0;
    uint64_t exchanges = 0;
    Kind kind = Kind::kUnclear;
  };

  // A family, and the same where requests wait.
  struct Families {
    explicit Families(const ProfileSet& profiles) : usual(profiles), in_line(usual.InLine()) {}
    Family usual;
    Family in_line;
    const Family& Of(uint64_t exchanges) const {
      return usual.IsTooMany(exchanges) ? in_line : usual;
    }
  };

  Families given_;
  Families soft_roce_;
  Family anybody_;
  std::map<mad::Gid, Node> nodes_;
};

}  // namespace cm::wire

#endif  // MODEL_WIRE_FAMILY_H_
