#include "conformance/properties/property.h"

namespace cm {

std::string_view ToString(PropertyKind kind) {
  switch (kind) {
    case PropertyKind::kAlways:
      return "always";
    case PropertyKind::kEventually:
      return "eventually";
    case PropertyKind::kSometimes:
      break;
  }
  return "sometimes";
}

}  // namespace cm
