// Which interfaces and addresses of two hosts the sides of a site have.
#ifndef TOOLS_SITE_CHOOSE_H_
#define TOOLS_SITE_CHOOSE_H_

#include <array>
#include <cstddef>
#include <string>
#include <vector>

#include "tools/site/facts.h"
#include "tools/site/gather.h"

namespace cm::site {

using BothFacts = std::array<HostFacts, 2>;  // active, passive

// An interface over a port; numbers are places in HostFacts.
struct Place {
  size_t port = 0;
  size_t interface = 0;
};

// Interfaces that are up, have an address, and lie over a device's port.
std::vector<Place> PlacesOf(const HostFacts& facts);

// What TryToReach has to try on the host of `side`: from each address of its places to each of
// those of the other host.
std::vector<Pair> PairsToTry(const BothFacts& facts, size_t side);

// One place on each host.
struct Placement {
  std::array<Place, 2> places;
  std::array<std::string, 2> v4;  // empty: there are none that reach each other
  std::array<std::string, 2> v6;
  std::vector<std::string> reasons;  // for it, and what is to be known of it
  std::vector<std::string> missing;  // a line each
};

struct Placements {
  std::vector<Placement> good;     // the best first; both sides reach each other by an address
  std::vector<std::string> unfit;  // why the others are none, a line each
};

// Judges every pair of places by the facts, `reached` among them. First come those that leave the
// interface of the control connection alone, then those with both families, then what is alike.
Placements Rank(const BothFacts& facts);

}  // namespace cm::site

#endif  // TOOLS_SITE_CHOOSE_H_
