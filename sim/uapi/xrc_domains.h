// XRC domains, and which processes have opened them. source: linux 6.1 uverbs_cmd.c
// ib_uverbs_open_xrcd, ib_uverbs_dealloc_xrcd
#ifndef SIM_UAPI_XRC_DOMAINS_H_
#define SIM_UAPI_XRC_DOMAINS_H_

#include <cstdint>
#include <map>
#include <tuple>

#include "model/base/errno.h"
#include "sim/uapi/request.h"

namespace cm::sim::uapi {

class XrcDomains {
 public:
  struct Opened {
    uint32_t process = 0;
    uint8_t device = 0;
    uint32_t domain = 0;  // unique in the world
    uint32_t used = 0;    // by queues and queue pairs of the process
  };

  // `number` is that of the opened domain from now on. EAGAIN for the file of no domain without
  // O_CREAT, EINVAL for that of one with O_EXCL.
  Errno Open(uint32_t process, uint8_t device, const XrcdRecord& record, uint32_t number);
  // EBUSY while something of the process is in it. A domain with a file goes with the last process
  // that has opened it.
  Errno Close(uint32_t process, uint32_t number);
  // What the process has opened as that number, or null.
  Opened* Find(uint32_t process, uint32_t number);
  // Something is in it from now on, or no longer.
  void Enter(uint32_t number) { ++opened_[number].used; }
  void Leave(uint32_t number) { --opened_[number].used; }
  // Nothing of the process is in them any more.
  void Forget(uint32_t process);

 private:
  using File = std::tuple<uint8_t, uint64_t, uint64_t>;  // a device, a file system, a file there

  std::map<uint32_t, Opened> opened_;
  std::map<File, uint32_t> by_file_;  // domains
  uint32_t last_domain_ = 0;
};

}  // namespace cm::sim::uapi

#endif  // SIM_UAPI_XRC_DOMAINS_H_
