#include "model/base/errno.h"

#include <array>
#include <charconv>
#include <utility>

namespace cm {
namespace {

constexpr auto kNames = std::to_array<std::pair<Errno, std::string_view>>({
    {Errno::kNone, "0"},
    {Errno::kPerm, "EPERM"},
    {Errno::kNoEnt, "ENOENT"},
    {Errno::kIntr, "EINTR"},
    {Errno::kIo, "EIO"},
    {Errno::kNxIo, "ENXIO"},
    {Errno::kBadF, "EBADF"},
    {Errno::kAgain, "EAGAIN"},
    {Errno::kNoMem, "ENOMEM"},
    {Errno::kAcces, "EACCES"},
    {Errno::kFault, "EFAULT"},
    {Errno::kBusy, "EBUSY"},
    {Errno::kNoDev, "ENODEV"},
    {Errno::kInval, "EINVAL"},
    {Errno::kNoSpc, "ENOSPC"},
    {Errno::kNoSys, "ENOSYS"},
    {Errno::kNoData, "ENODATA"},
    {Errno::kProto, "EPROTO"},
    {Errno::kNotSup, "ENOTSUP"},
    {Errno::kAddrInUse, "EADDRINUSE"},
    {Errno::kAddrNotAvail, "EADDRNOTAVAIL"},
    {Errno::kNetDown, "ENETDOWN"},
    {Errno::kNetUnreach, "ENETUNREACH"},
    {Errno::kConnReset, "ECONNRESET"},
    {Errno::kIsConn, "EISCONN"},
    {Errno::kNotConn, "ENOTCONN"},
    {Errno::kTimedOut, "ETIMEDOUT"},
    {Errno::kConnRefused, "ECONNREFUSED"},
    {Errno::kHostUnreach, "EHOSTUNREACH"},
});

}  // namespace

std::string ToString(Errno error) {
  for (const auto& [value, name] : kNames)
    if (value == error) return std::string(name);
  return "E" + std::to_string(static_cast<int>(error));
}

std::optional<Errno> ParseErrno(std::string_view name) {
  if (name == "EOPNOTSUPP") return Errno::kNotSup;  // Linux has one number for both
  for (const auto& [value, known] : kNames)
    if (known == name) return value;
  if (name.size() < 2 || name[0] != 'E') return std::nullopt;
  int16_t number = 0;
  const char* const last = name.data() + name.size();
  const auto [end, error] = std::from_chars(name.data() + 1, last, number);
  if (error != std::errc() || end != last || number == 0) return std::nullopt;
  return static_cast<Errno>(number);
}

}  // namespace cm
