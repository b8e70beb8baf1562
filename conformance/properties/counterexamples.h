// For tests: conversations in which each property fails, and in which each kSometimes property
// holds.
#ifndef CONFORMANCE_PROPERTIES_COUNTEREXAMPLES_H_
#define CONFORMANCE_PROPERTIES_COUNTEREXAMPLES_H_

#include <string>
#include <string_view>
#include <vector>

#include "conformance/properties/registry.h"
#include "model/conversation/history.h"

namespace cm {

// A conversation in which the property holds on the plain simulator, and fails either with a
// defect of the simulator or in the mutated history.
struct Counterexample {
  std::string_view property;
  std::string_view says;  // the error
  std::string conversation;
  std::string_view defect;  // empty: the history is mutated
  void (*mutate)(History&) = nullptr;
};

std::vector<Counterexample> Counterexamples();

namespace counterexamples {
// In place of the error, for a kSometimes property: the property holds in the conversation.
inline constexpr std::string_view kHappens;

#define CM_FAMILY(name, title) std::vector<Counterexample> name();
CM_PROPERTY_FAMILIES(CM_FAMILY)
#undef CM_FAMILY
// Of several families: conversations with messages of a tester.
std::vector<Counterexample> BesideATester();
}  // namespace counterexamples

// Beginnings of conversations, macros included; `rest` follows.
std::string Alone(std::string_view rest);         // an empty world with one kernel and two devices
std::string OnLater(std::string_view rest);       // the same, with the calls of librdmacm 1.4
std::string OnInfiniband(std::string_view rest);  // and over InfiniBand
std::string OnBond(std::string_view rest);        // the same, the active side on a bond
std::string Listening(std::string_view rest);     // L listens
std::string Asked(std::string_view rest);      // A has connected to L; both have queue pairs if any
std::string Connected(std::string_view rest);  // A and P have fetched ESTABLISHED

}  // namespace cm

#endif  // CONFORMANCE_PROPERTIES_COUNTEREXAMPLES_H_
