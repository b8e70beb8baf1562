// The ports of a host's sockets that programs leave to the system: one after the other, so that
// they are the same in each run.
#ifndef SIM_UAPI_SHARED_PORTS_H_
#define SIM_UAPI_SHARED_PORTS_H_

#include <atomic>
#include <cstdint>

namespace cm::sim::uapi {

// A file in the folder of the host, which its programs map. It begins with zeros.
struct PortsRecord {
  static constexpr const char* kName = "ports";  // file name

  std::atomic<uint32_t> given;  // so far
};

// The program's end. Lives as long as the program. Null when there is no such file.
PortsRecord* SeePorts(const char* path);

}  // namespace cm::sim::uapi

#endif  // SIM_UAPI_SHARED_PORTS_H_
