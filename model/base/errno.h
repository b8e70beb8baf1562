// Error numbers of the C API, as exact values with names.
#ifndef MODEL_BASE_ERRNO_H_
#define MODEL_BASE_ERRNO_H_

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace cm {

// Values are Linux's, so that a digest means the same everywhere. kNone is success.
enum class Errno : int32_t {
  kNone = 0,
  kPerm = 1,
  kNoEnt = 2,
  kIntr = 4,
  kIo = 5,
  kNxIo = 6,
  kBadF = 9,
  kAgain = 11,
  kNoMem = 12,
  kAcces = 13,
  kFault = 14,
  kBusy = 16,
  kNoDev = 19,
  kInval = 22,
  kNoSpc = 28,
  kNoSys = 38,
  kNoData = 61,
  kProto = 71,
  kNotSup = 95,
  kAddrInUse = 98,
  kAddrNotAvail = 99,
  kNetDown = 100,
  kNetUnreach = 101,
  kConnReset = 104,
  kIsConn = 106,
  kNotConn = 107,
  kTimedOut = 110,
  kConnRefused = 111,
  kHostUnreach = 113,
  kNotSupp = 524,  // the kernel's own; C has no name for it
};

// "EINVAL"; "0" for success; "E524" for a number without a name here, "E-6" for one below 0.
std::string ToString(Errno error);

// The inverse of ToString.
std::optional<Errno> ParseErrno(std::string_view name);

}  // namespace cm

#endif  // MODEL_BASE_ERRNO_H_
