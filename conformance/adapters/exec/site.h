// Two hosts of a site, each of which runs the driver of one side: how they are reached, and their
// addresses.
#ifndef CONFORMANCE_ADAPTERS_EXEC_SITE_H_
#define CONFORMANCE_ADAPTERS_EXEC_SITE_H_

#include <array>
#include <string>
#include <string_view>
#include <variant>

#include "conformance/adapters/exec/allow.h"
#include "model/vocabulary/topology.h"

namespace cm {

// The two sides of a site, as files, commands and messages name them.
inline constexpr std::array<std::string_view, 2> kSideNames = {"active", "passive"};

// One side's host.
struct SiteHost {
  std::string host;  // as the launcher takes it
  std::string v4;    // of the interface under the device; empty on a site of IPv6 alone
  std::string v6;
  AllowList allow;      // what may be done to it
  std::string control;  // the interface that carries the control connection; empty: not known
};

struct Site {
  std::string name;
  std::string launcher;  // a shell's command; {host}, {side} and {command} stand for what they say
  std::string agent;     // the command of cmcheck on the hosts
  std::array<SiteHost, 2> sides;  // active, passive
  // Addresses of conversations that no side has, "V4,V6" with "none" for a family without one;
  // empty: conversations that need them are unsupported, or for `foreign` the built-in ones.
  std::string silent;      // in the passive side's subnet, without a host
  std::string unroutable;  // no route of either host leads there
  std::string foreign;     // no interface of either host has it
};

// Reads a site, or says in one line what is wrong:
//
//   {"name": "rack7", "launcher": "ssh {host} {command}", "agent": "cmcheck agent",
//    "active": {"host": "node1", "v4": "192.168.7.1", "v6": "fd07::1"},
//    "passive": {"host": "node2", "v4": "192.168.7.2", "v6": "fd07::2"}}
//
// What the example has of launcher and agent is the default. It may have "silent", "unroutable" and
// "foreign": "192.168.8.99,fd08::99", and no "v4". A side may have "allow": "link,loss",
// words of ParseAllow, and "control": "eth0". It may have comments, behind // up to the end of the
// line.
std::variant<Site, std::string> ParseSite(std::string_view text);

// The same from a file, which the error names.
std::variant<Site, std::string> LoadSite(const std::string& path);

// Its hosts in place of those of two-kernels; in place of one-kernel-two-devices where both sides
// are on one host.
Topology TopologyOf(const Site& site);

// Of each side what is done to it: those of the words in `asked` that its `allow` has. Or in a line
// why not: a word that neither side has, or one that cannot be done with both on one host.
using AllowLists = std::array<AllowList, 2>;
std::variant<AllowLists, std::string> AllowedOf(const Site& site, std::string_view asked);

// A command of cmcheck's on the host of a side, as a shell here starts it; `side` is its number.
std::string Launched(const Site& site, size_t side, std::string_view command);

// The options of an agent that say which addresses the site has besides those of its sides.
std::string HostOptionsOf(const Site& site);

// Reads "V4,V6", of which either may be "none"; or says in a line what is wrong.
std::variant<HostAddress, std::string> ParseHosts(std::string_view text);

// Starts the driver of a side; `profile` is a name, `allow` what it may do.
std::string CommandOf(const Site& site, size_t side, std::string_view profile,
                      const AllowList& allow = {});

}  // namespace cm

#endif  // CONFORMANCE_ADAPTERS_EXEC_SITE_H_
