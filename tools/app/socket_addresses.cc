#include "tools/app/socket_addresses.h"

#include <arpa/inet.h>

#include <algorithm>
#include <cstring>

namespace cm::app {
namespace {

template <typename Info>
void Put(msghdr* message, Control* control, int level, int type, const Info& info) {
  message->msg_control = control->bytes.data();
  message->msg_controllen = CMSG_SPACE(sizeof info);
  cmsghdr* const header = CMSG_FIRSTHDR(message);
  header->cmsg_level = level;
  header->cmsg_type = type;
  header->cmsg_len = CMSG_LEN(sizeof info);
  std::memcpy(CMSG_DATA(header), &info, sizeof info);
}

}  // namespace

std::string BytesOfHost(const sockaddr_storage& address) {
  if (address.ss_family == AF_INET) {
    sockaddr_in in{};
    std::memcpy(&in, &address, sizeof in);
    return {reinterpret_cast<const char*>(&in.sin_addr), sizeof in.sin_addr};
  }
  if (address.ss_family != AF_INET6) return {};
  sockaddr_in6 in6{};
  std::memcpy(&in6, &address, sizeof in6);
  const std::string all(reinterpret_cast<const char*>(&in6.sin6_addr), sizeof in6.sin6_addr);
  return IN6_IS_ADDR_V4MAPPED(&in6.sin6_addr) ? all.substr(all.size() - sizeof(in_addr)) : all;
}

std::string BytesOfHost(const std::string& text) {
  in6_addr address{};
  if (inet_pton(AF_INET, text.c_str(), &address) == 1)
    return {reinterpret_cast<const char*>(&address), sizeof(in_addr)};
  if (inet_pton(AF_INET6, text.c_str(), &address) != 1) return {};
  return {reinterpret_cast<const char*>(&address), sizeof address};
}

bool IsOfV4(const sockaddr_storage& address) {
  return BytesOfHost(address).size() == sizeof(in_addr);
}

bool IsAnywhere(const std::string& host) {
  return std::ranges::all_of(host, [](char byte) { return byte == 0; });
}

sockaddr_storage LocalOf(int socket) {
  sockaddr_storage address{};
  socklen_t length = sizeof address;
  if (getsockname(socket, reinterpret_cast<sockaddr*>(&address), &length) != 0)
    address.ss_family = AF_UNSPEC;
  return address;
}

void SetSource(msghdr* message, Control* control, int family, const std::string& host) {
  if (family == AF_INET) {
    in_pktinfo info{};
    host.copy(reinterpret_cast<char*>(&info.ipi_spec_dst), sizeof info.ipi_spec_dst);
    return Put(message, control, IPPROTO_IP, IP_PKTINFO, info);
  }
  in6_pktinfo info{};
  char* const address = reinterpret_cast<char*>(&info.ipi6_addr);
  constexpr size_t kMapped = sizeof info.ipi6_addr - sizeof(in_addr);
  if (host.size() == sizeof info.ipi6_addr) {
    host.copy(address, host.size());
  } else {
    std::memset(address + kMapped - 2, 0xff, 2);
    host.copy(address + kMapped, sizeof(in_addr));
  }
  Put(message, control, IPPROTO_IPV6, IPV6_PKTINFO, info);
}

}  // namespace cm::app
