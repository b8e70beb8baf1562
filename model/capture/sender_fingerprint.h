// Families of senders: sets of implementations, and the values that all of them put into fields
// that the protocol leaves free.
//
// 1. A family is a set of profiles. A field is judged when all of them prescribe its value, and may
//    then have any of these values; a timer may be due when it is for one of them.
// 2. The user need not name the implementation: Linux with Soft-RoCE is recognised by the fields of
//    its packets and requests. Senders with other values belong to the family that is judged by the
//    protocol alone.
#ifndef MODEL_CAPTURE_SENDER_FINGERPRINT_H_
#define MODEL_CAPTURE_SENDER_FINGERPRINT_H_

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "model/capture/captured_message.h"
#include "model/mad/constraints.h"
#include "model/vocabulary/profile.h"

namespace cm::wire {

using ProfileSet = std::vector<const Profile*>;

// Field values that all of these share.
std::vector<mad::Constraint> FilledBy(const ProfileSet& profiles);

class SenderFingerprint {
 public:
  SenderFingerprint() = default;  // any implementation
  explicit SenderFingerprint(ProfileSet profiles)
      : profiles_(std::move(profiles)), filled_(FilledBy(profiles_)) {}

  bool is_known() const { return !profiles_.empty(); }
  const ProfileSet& profiles() const { return profiles_; }
  std::span<const mad::Constraint> filled() const { return filled_; }
  // True when all its profiles are of that transport.
  bool IsOver(Transport transport) const;
  // True when there are more concurrent requests than one of the profiles has outstanding: the
  // others wait in a queue, and their timers do not run. source: linux 7.2 mad.c
  // get_sol_fc_max_outstanding
  bool IsTooMany(uint64_t requests) const;
  bool waits_in_line() const { return waits_in_line_; }
  SenderFingerprint InLine() const;

 private:
  ProfileSet profiles_;
  std::vector<mad::Constraint> filled_;
  bool waits_in_line_ = false;
};

// Linux with Soft-RoCE, of every release that has a profile.
ProfileSet SoftRoce();

// The nodes of a capture, by their addresses.
class Nodes {
 public:
  // Empty where the profile is unknown.
  explicit Nodes(const ProfileSet& given);

  // Counts an exchange of the node; removes it.
  void Enter(const mad::Gid& address);
  void Leave(const mad::Gid& address);

  // The possible implementations of the sender, including the evidence of this message.
  const SenderFingerprint& FamilyOf(const CapturedMessage& sighting);
  // The GUID of its CA, if it is another.
  std::optional<uint64_t> OtherGuid(const mad::Gid& address, uint64_t guid);

 private:
  enum class Kind : uint8_t { kUnclear, kSoftRoce, kOther };
  struct Node {
    uint64_t guid = 0;
    uint64_t exchanges = 0;
    Kind kind = Kind::kUnclear;
  };

  // A family, and the same for queued requests.
  struct Families {
    explicit Families(const ProfileSet& profiles)
        : usual(profiles),
          in_line(usual.IsTooMany(UINT64_MAX) ? usual.InLine() : SenderFingerprint()) {}
    SenderFingerprint usual;
    SenderFingerprint in_line;  // any implementation, where requests are never queued
    const SenderFingerprint& Of(uint64_t exchanges) const {
      return usual.IsTooMany(exchanges) ? in_line : usual;
    }
  };

  static const Families& OfSoftRoce();

  Families given_;
  SenderFingerprint anybody_;
  std::map<mad::Gid, Node> nodes_;
};

}  // namespace cm::wire

#endif  // MODEL_CAPTURE_SENDER_FINGERPRINT_H_
