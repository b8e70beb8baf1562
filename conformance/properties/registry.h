// All properties, family by family.
#ifndef CONFORMANCE_PROPERTIES_REGISTRY_H_
#define CONFORMANCE_PROPERTIES_REGISTRY_H_

#include <span>
#include <string_view>

#include "conformance/properties/property.h"

// The families: X(name of the function that returns its properties, name in documents). A family
// is a file of families/; counterexamples/ shows that its properties can fail, several families in
// one file.
#define CM_PROPERTY_FAMILIES(X)           \
  X(Lifecycle, "lifecycle")               \
  X(Events, "events")                     \
  X(Acknowledgement, "ack/destroy")       \
  X(Addressing, "addressing/ports")       \
  X(Establishment, "establishment")       \
  X(Rejection, "rejection")               \
  X(Disconnection, "disconnect/timewait") \
  X(DeviceRemoval, "device removal")      \
  X(AddressChange, "address change")      \
  X(Loss, "loss")                         \
  X(Attributes, "attributes")             \
  X(Synchronous, "synchronous")           \
  X(Datagrams, "datagrams")               \
  X(Options, "options")                   \
  X(Migration, "migration")               \
  X(Multicast, "multicast")               \
  X(Endpoints, "endpoints")               \
  X(Lookups, "lookups")                   \
  X(Data, "data")

namespace cm {

namespace families {
#define CM_FAMILY(name, title) std::span<const Property> name();
CM_PROPERTY_FAMILIES(CM_FAMILY)
#undef CM_FAMILY
}  // namespace families

std::span<const Property> Properties();
// Null if there is no such property.
const Property* FindProperty(std::string_view id);

}  // namespace cm

#endif  // CONFORMANCE_PROPERTIES_REGISTRY_H_
