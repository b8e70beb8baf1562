// For tests: conversations in which each property fails, and in which each kSometimes property
// holds.
#ifndef CONFORMANCE_PROPERTIES_COUNTEREXAMPLES_H_
#define CONFORMANCE_PROPERTIES_COUNTEREXAMPLES_H_

#include <string>
#include <string_view>
#include <vector>

#include "model/conversation/history.h"

namespace cm {

// A conversation in which the property holds on the plain simulator, and fails either with a
// defect of the simulator or in the history as it was damaged.
struct Counterexample {
  std::string_view property;
  std::string_view says;  // the error
  std::string conversation;
  std::string_view defect;  // empty: the history is damaged
  void (*damage)(History&) = nullptr;
};

// A conversation in which a kSometimes property holds.
struct Reach {
  std::string_view property;
  std::string conversation;
};

std::vector<Counterexample> TripsOfIds();          // lifecycle, events, acknowledgements, addresses
std::vector<Counterexample> TripsOfConnections();  // from establishment to timewait
std::vector<Counterexample> TripsOfTrouble();      // removal, address change, loss
std::vector<Counterexample> TripsBesideATester();
std::vector<Counterexample> TripsOfAttributes();  // attributes, notices, options of vendors, ports
std::vector<Counterexample> TripsOfSynchronousIds();
std::vector<Counterexample> TripsOfOptions();
std::vector<Counterexample> TripsOfGroups();
std::vector<Counterexample> TripsOfEndpoints();  // and lookups
std::vector<Counterexample> TripsOfLookups();
std::vector<Counterexample> TripsOfData();
std::vector<Reach> Reaches();
Reach ReachOfGroups();
Reach ReachOfLookups();

// Beginnings of conversations, macros included; `rest` follows.
std::string Alone(std::string_view rest);         // an empty world with one kernel and two devices
std::string OnLater(std::string_view rest);       // the same, with the calls of map 1.4
std::string OnInfiniband(std::string_view rest);  // and over InfiniBand
std::string OnBond(std::string_view rest);        // the same, the active side on a bond
std::string Listening(std::string_view rest);     // L listens
std::string Asked(std::string_view rest);      // A has connected to L; both have queue pairs if any
std::string Connected(std::string_view rest);  // A and P have fetched ESTABLISHED

}  // namespace cm

#endif  // CONFORMANCE_PROPERTIES_COUNTEREXAMPLES_H_
