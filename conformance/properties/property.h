// A property of histories that any implementation must satisfy.
//
// Properties are an independent reading of the manual pages and the protocol: they see neither the
// model's rows nor the implementation, and know no walk.
#ifndef CONFORMANCE_PROPERTIES_PROPERTY_H_
#define CONFORMANCE_PROPERTIES_PROPERTY_H_

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "conformance/properties/history_index.h"
#include "model/rules/transports.h"
#include "model/vocabulary/fault.h"

namespace cm {

enum class PropertyKind : uint8_t {
  kAlways,      // in every history
  kEventually,  // an expected event occurs, once faults have ended
  kSometimes,   // in some history of a campaign, so that no property holds vacuously
};
std::string_view ToString(PropertyKind kind);

// A violation.
struct Violation {
  size_t record = 0;  // the record that shows it
  std::string saw;
  std::string permitted;
};

// The result of a property for one history.
class PropertyResult {
 public:
  // The premise of the property occurred; for kSometimes: the property holds in this history.
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
  using Check = void(const HistoryIndex& index, PropertyResult& result);

  PropertyKind kind = PropertyKind::kAlways;
  std::string_view id;  // permanent
  Check* check = nullptr;
  std::string_view says;
  std::string_view source;
  Capabilities needs = {};  // of kSometimes: not possible in an environment without them
  model::Transports over = model::over::kAll;
  std::string_view family = {};  // "lifecycle", "events", ...

  // The same property of histories over these transports only.
  constexpr Property Over(model::Transports transports) const {
    Property narrowed = *this;
    narrowed.over = transports;
    return narrowed;
  }
};

// Whether the property applies to the profile's transport.
inline bool Concerns(const Property& property, const Profile& profile) {
  return property.over.Has(profile.transport);
}

}  // namespace cm

#endif  // CONFORMANCE_PROPERTIES_PROPERTY_H_
