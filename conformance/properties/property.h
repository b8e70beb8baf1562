// A claim about histories that any implementation must meet.
//
// Properties are a reading of the manual pages and the protocol of their own: they see neither the
// model's rows nor the implementation, and know of no walk.
#ifndef CONFORMANCE_PROPERTIES_PROPERTY_H_
#define CONFORMANCE_PROPERTIES_PROPERTY_H_

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "conformance/properties/account.h"
#include "model/vocabulary/fault.h"

namespace cm {

enum class PropertyKind : uint8_t {
  kAlways,      // in every history
  kEventually,  // something that has to come did, once nothing stood in its way
  kSometimes,   // in some history of a campaign, so that nothing passes by never happening
};
std::string_view ToString(PropertyKind kind);

// One history against the claim.
struct Violation {
  size_t record = 0;  // where it showed
  std::string saw;
  std::string permitted;
};

// What a property says about one history.
class Testimony {
 public:
  // The premise of the claim arose; of kSometimes: what must happen happened.
  void Arose() { ++arose_; }
  void Violated(size_t record, std::string saw, std::string permitted) {
    violations_.push_back({record, std::move(saw), std::move(permitted)});
  }
  int arose() const { return arose_; }
  const std::vector<Violation>& violations() const { return violations_; }

 private:
  int arose_ = 0;
  std::vector<Violation> violations_;
};

struct Property {
  std::string_view id;      // permanent
  std::string_view family;  // "lifecycle", "events", ...
  PropertyKind kind = PropertyKind::kAlways;
  std::string_view says;
  std::string_view source;
  void (*check)(const Account& account, Testimony& testimony) = nullptr;
  Capabilities needs;  // of kSometimes: an environment without them cannot make it happen
};

// All of them, family by family.
std::span<const Property> Properties();
const Property* FindProperty(std::string_view id);
// Whether the claim is about anything that there is over the profile's transport.
bool Concerns(const Property& property, const Profile& profile);

}  // namespace cm

#endif  // CONFORMANCE_PROPERTIES_PROPERTY_H_
