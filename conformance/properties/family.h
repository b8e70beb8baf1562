// What families of properties are written with: rows, loops over a history, and texts.
#ifndef CONFORMANCE_PROPERTIES_FAMILY_H_
#define CONFORMANCE_PROPERTIES_FAMILY_H_

#include <string>
#include <string_view>

#include "conformance/properties/property.h"

namespace cm::families {

namespace over = model::over;

// A row: id, function, sentence, source.
constexpr Property Always(std::string_view id, Property::Check* check, std::string_view says,
                          std::string_view source) {
  return {PropertyKind::kAlways, id, check, says, source};
}
constexpr Property Eventually(std::string_view id, Property::Check* check, std::string_view says,
                              std::string_view source) {
  return {PropertyKind::kEventually, id, check, says, source};
}
constexpr Property Sometimes(std::string_view id, Property::Check* check, std::string_view says,
                             std::string_view source, Capabilities needs = {}) {
  return {PropertyKind::kSometimes, id, check, says, source, needs};
}

// Calls a function for every created id of RDMA_PS_TCP.
template <typename Each>
void ForEachId(const HistoryIndex& index, Each each) {
  for (uint16_t i = 0; i < index.id_count(); ++i)
    if (index[IdRef{i}].exists && index[IdRef{i}].tcp) each(IdRef{i});
}

// "a2 heard RDMA_CM_EVENT_ESTABLISHED"
std::string Heard(const HistoryIndex& index, const HeardEvent& heard);
// "rdma_connect a2 ... -> -1 EINVAL"
std::string Made(const HistoryIndex& index, const MadeCall& call);
const std::string& NameOf(const HistoryIndex& index, IdRef id);

// A lookup that has succeeded returns the numeric node with the service as port.
void CheckAddrInfo(const HistoryIndex& index, const MadeCall& call,
                   const call::ResolveAddrInfo& asked, PropertyResult& result);

// A whole check: at most one event of the type for each id.
void AtMostOnce(const HistoryIndex& index, PropertyResult& result, EventType type);
template <EventType kType>
void AtMostOnce(const HistoryIndex& index, PropertyResult& result) {
  AtMostOnce(index, result, kType);
}

// A whole check of kSometimes: an event of the type was fetched.
template <EventType kType>
void IsHeard(const HistoryIndex& index, PropertyResult& result) {
  for (const HeardEvent& heard : index.heard())
    if (heard.event.type == kType) result.Arose();
}

}  // namespace cm::families

#endif  // CONFORMANCE_PROPERTIES_FAMILY_H_
