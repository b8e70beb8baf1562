// Addresses of hosts as bytes, of sockets and of datagrams.
#ifndef TOOLS_APP_SOCKET_ADDRESSES_H_
#define TOOLS_APP_SOCKET_ADDRESSES_H_

#include <netinet/in.h>
#include <sys/socket.h>

#include <array>
#include <cstdint>
#include <string>

namespace cm::app {

// 4 or 16 bytes; 4 of a mapped address. Empty for what is none.
std::string BytesOfHost(const sockaddr_storage& address);
std::string BytesOfHost(const std::string& text);
bool IsOfV4(const sockaddr_storage& address);
bool IsAnywhere(const std::string& host);
// Of the family AF_UNSPEC for what is no socket.
sockaddr_storage LocalOf(int socket);

// Room for one control message, aligned for it.
struct Control {
  alignas(cmsghdr) std::array<uint8_t, CMSG_SPACE(sizeof(in6_pktinfo))> bytes{};
};

// Without it a socket that is bound to no address sends from the address that the datagram goes to.
// A socket of IPv6 says an address of IPv4 as a mapped one. `host`: bytes, as above.
void SetSource(msghdr* message, Control* control, int family, const std::string& host);

}  // namespace cm::app

#endif  // TOOLS_APP_SOCKET_ADDRESSES_H_
