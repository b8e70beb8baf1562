// What a host says of itself, for `cmcheck site discover`: RDMA devices, interfaces, versions.
//
// On the way it is JSON objects, one a line, the last of which counts them. Lines that begin with
// anything but { are of the shell or of the launcher, and are passed over.
#ifndef TOOLS_SITE_FACTS_H_
#define TOOLS_SITE_FACTS_H_

#include <cstdint>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace cm::site {

// An address of an interface, without loopback, link-local and multicast ones.
struct Address {
  std::string text;  // as inet_ntop prints it
  int prefix = 0;    // bits of the network
  bool operator==(const Address&) const = default;
};
bool IsV6(const Address& address);
bool SameNetwork(const Address& a, const Address& b);

struct Gid {
  int index = 0;
  std::string gid;
  std::string type;       // "RoCE v2", "IB/RoCE v1"; empty where the kernel does not say
  std::string interface;  // empty as well
  bool operator==(const Gid&) const = default;
};

struct Port {
  std::string device;
  int number = 1;
  std::string state;     // "ACTIVE"
  std::string link;      // "Ethernet", "InfiniBand"
  std::string kind;      // "CA", "RNIC"
  std::string driver;    // may be empty
  std::string firmware;  // may be empty
  std::vector<std::string> interfaces;
  std::vector<Gid> gids;
  bool operator==(const Port&) const = default;
};

struct Interface {
  std::string name;
  int mtu = 0;
  bool up = false;
  std::vector<Address> addresses;
  bool operator==(const Interface&) const = default;
};

// Whether a TCP packet to an address that is no listener's was answered.
struct Reached {
  std::string from;
  std::string to;
  std::string problem;  // empty: yes
  bool operator==(const Reached&) const = default;
};

struct HostFacts {
  std::string kernel;
  std::string system;     // "Debian GNU/Linux 12 (bookworm)"
  std::string glibc;      // "2.36"
  std::string librdmacm;  // its file with all links followed; empty: none can be loaded
  std::string librdmacm_problem;
  std::string boot;     // differs between kernels that run
  std::string control;  // interface by which we were reached; empty: not known
  bool superuser = false;
  std::string rdma_cm_problem;  // why the kernel's rdma_cm cannot be used; empty: it can
  std::vector<Port> ports;
  std::vector<Interface> interfaces;
  std::vector<Reached> reached;
  bool operator==(const HostFacts&) const = default;
};

std::string ToLines(const HostFacts& facts);

// Whether a line ends the facts.
bool EndsFacts(std::string_view line);

// What was said, or what is wrong with it in a line. Nothing of it is trusted: names and texts have
// to be plain, addresses to be addresses.
std::variant<HostFacts, std::string> ParseFacts(const std::vector<std::string>& lines);

}  // namespace cm::site

#endif  // TOOLS_SITE_FACTS_H_
