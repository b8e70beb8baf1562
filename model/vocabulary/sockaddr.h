// Conversion of addresses to struct sockaddr and back.
#ifndef MODEL_VOCABULARY_SOCKADDR_H_
#define MODEL_VOCABULARY_SOCKADDR_H_

#include <sys/socket.h>

#include "model/vocabulary/address.h"
#include "model/vocabulary/topology.h"

namespace cm {

// A socket address, or none.
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
