// The networks of the simulated hosts: a namespace of the system for each, with the interfaces of
// its devices and their addresses, all ports, a loopback of its own, and a link to the others.
// Where the system does not permit that, programs stay in the namespace of cmcheck.
#ifndef TOOLS_APP_NETWORK_H_
#define TOOLS_APP_NETWORK_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "conformance/process/descriptor.h"
#include "model/vocabulary/topology.h"

namespace cm::app {

// Of the interface under a device, whose GUID is made of it: see sim/fabric/names.h.
std::array<uint8_t, 6> HardwareAddressOf(size_t device);

class Network {
 public:
  // The topology must outlive this object.
  explicit Network(const Topology& topology);

  bool is_apart() const { return !hosts_.empty(); }

  // The calling thread, and the processes that it starts, are in a namespace until this is
  // destroyed.
  class Visit {
   public:
    explicit Visit(int name_space);
    ~Visit();
    Visit(const Visit&) = delete;
    Visit& operator=(const Visit&) = delete;

   private:
    Descriptor before_;
  };
  // That of the host, where hosts are apart.
  Visit On(uint8_t kernel) const { return Visit(is_apart() ? hosts_[kernel].get() : -1); }
  // Its namespace as a file, for a child that has our descriptors.
  std::string PathOf(uint8_t kernel) const;

  // Nothing gets in or out any more.
  void Cut(uint8_t kernel) const;
  // The host has a new namespace, without the old one's sockets.
  void Renew(uint8_t kernel);

 private:
  bool MakeBridge();
  // In the bridge's namespace, both.
  bool MakeLink(size_t device, int there) const;
  Descriptor MakeHost(uint8_t kernel);
  bool Settle(uint8_t kernel) const;
  bool IsUp(uint8_t kernel) const;

  const Topology& topology_;
  Descriptor bridge_;              // its namespace
  std::vector<Descriptor> hosts_;  // by kernel; all or none
};

}  // namespace cm::app

#endif  // TOOLS_APP_NETWORK_H_
