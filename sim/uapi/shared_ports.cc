#include "sim/uapi/shared_ports.h"

#include "sim/uapi/mapped_file.h"

namespace cm::sim::uapi {

static_assert(std::atomic<uint32_t>::is_always_lock_free);

PortsRecord* SeePorts(const char* path) {
  const MappedFile file(path, O_RDWR);
  return file.Holds(sizeof(PortsRecord))
             ? static_cast<PortsRecord*>(file.Map(sizeof(PortsRecord), PROT_READ | PROT_WRITE))
             : nullptr;
}

}  // namespace cm::sim::uapi
