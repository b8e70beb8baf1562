// For tests: conversations in which each property fails, and in which each kSometimes property
// holds.
#ifndef CONFORMANCE_PROPERTIES_TRIPS_H_
#define CONFORMANCE_PROPERTIES_TRIPS_H_

#include <string>
#include <string_view>
#include <vector>

#include "model/conversation/history.h"

namespace cm {

// A conversation in which the property holds on the simulator as it is, and fails either with a
// defect of the simulator or in the history as it was damaged.
struct Trip {
  std::string_view property;
  std::string_view says;  // what goes wrong
  std::string conversation;
  std::string_view defect;  // empty: the history is damaged
  void (*damage)(History&) = nullptr;
};

// A conversation in which a kSometimes property holds.
struct Reach {
  std::string_view property;
  std::string conversation;
};

std::vector<Trip> TripsOfIds();          // lifecycle, events, acknowledgements, addresses
std::vector<Trip> TripsOfConnections();  // from establishment to timewait
std::vector<Trip> TripsOfTrouble();      // removal, address change, loss
std::vector<Trip> TripsBesideATester();
std::vector<Trip> TripsOfAttributes();  // attributes, notices, options of vendors, ports
std::vector<Trip> TripsOfSynchronousIds();
std::vector<Trip> TripsOfOptions();
std::vector<Trip> TripsOfGroups();
std::vector<Trip> TripsOfEndpoints();  // and lookups
std::vector<Trip> TripsOfLaterCalls();
std::vector<Trip> TripsOfData();
std::vector<Reach> Reaches();
Reach ReachOfGroups();
Reach ReachOfLaterCalls();

// Beginnings of conversations, macros included; `rest` follows.
std::string Alone(std::string_view rest);         // an empty world with one kernel and two devices
std::string OnLater(std::string_view rest);       // the same, with the calls of map 1.4
std::string OnInfiniband(std::string_view rest);  // and over InfiniBand
std::string OnBond(std::string_view rest);        // the same, the active side on a bond
std::string Listening(std::string_view rest);     // L listens
std::string Asked(std::string_view rest);      // A has connected to L; both have queue pairs if any
std::string Connected(std::string_view rest);  // A and P have fetched ESTABLISHED

}  // namespace cm

#endif  // CONFORMANCE_PROPERTIES_TRIPS_H_
