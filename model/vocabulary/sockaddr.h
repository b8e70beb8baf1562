// Conversion of addresses to struct sockaddr and back, on the network of this process.
#ifndef MODEL_VOCABULARY_SOCKADDR_H_
#define MODEL_VOCABULARY_SOCKADDR_H_

#include <sys/socket.h>

#include <string>

#include "model/vocabulary/address.h"
#include "model/vocabulary/topology.h"

namespace cm {

// The address that kForeign, kUnroutable or kSilent stands for on this network, in place of the
// built-in one; an empty text: there is none of that family. Before the first conversation.
void SetHost(AddressKind kind, HostAddress host);
// What SetHost was called with; null if it was not.
const HostAddress* HostSet(AddressKind kind);

// The numeric text of an address on this network, without port; empty where there is none.
std::string HostHere(const Address& address, const Topology& topology);

// A socket address, or none. HostHere() must have a text for it.
class SockAddr {
 public:
  SockAddr(const Address& address, const Topology& topology);
  // Null for no address.
  sockaddr* get() { return present_ ? reinterpret_cast<sockaddr*>(&storage_) : nullptr; }

 private:
  bool present_;
  sockaddr_storage storage_{};
};

// 0 for null.
socklen_t LengthOf(const sockaddr* address);

// The topology's address for the sockaddr; kNone for null and for family 0, kForeign for an address
// that the topology lacks.
Address AddressOf(const sockaddr* address, const Topology& topology);

}  // namespace cm

#endif  // MODEL_VOCABULARY_SOCKADDR_H_
