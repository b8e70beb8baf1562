// Only the library knows which events a program has fetched and not acknowledged, so the fake
// libibverbs reports it to the machine where the program calls the library. The library's own calls
// arrive here as well.
#include <dlfcn.h>
#include <rdma/rdma_cma.h>

#include <cerrno>
#include <cstdint>

#include "sim/fake_libibverbs/libc.h"
#include "sim/fake_libibverbs/requests.h"
#include "sim/uapi/request.h"

namespace cm::sim::fake_libibverbs {
namespace {

// Python loads the library with RTLD_LOCAL.
template <typename Function>
Function* Real(const char* name, Function* type) {
  void* const library = dlopen("librdmacm.so.1", RTLD_LAZY | RTLD_NOLOAD);
  if (library == nullptr) return Next(name, type);
  return reinterpret_cast<Function*>(dlsym(library, name));
}

void Tell(uapi::Op op, const rdma_cm_event* event, uint32_t type) {
  if (TheBackend() == nullptr) return;
  const int before = errno;
  Ask({.op = op, .on = type, .more = reinterpret_cast<uintptr_t>(event)});
  errno = before;
}

}  // namespace
}  // namespace cm::sim::fake_libibverbs

using namespace cm::sim::fake_libibverbs;  // what follows is C

extern "C" {

int rdma_get_cm_event(rdma_event_channel* channel, rdma_cm_event** event) {
  static auto* const kReal = Real("rdma_get_cm_event", &rdma_get_cm_event);
  const int result = kReal(channel, event);
  if (result == 0) Tell(cm::sim::uapi::Op::kHold, *event, (*event)->event);
  return result;
}

int rdma_ack_cm_event(rdma_cm_event* event) {
  static auto* const kReal = Real("rdma_ack_cm_event", &rdma_ack_cm_event);
  Tell(cm::sim::uapi::Op::kAcknowledge, event, 0);
  return kReal(event);
}
}
