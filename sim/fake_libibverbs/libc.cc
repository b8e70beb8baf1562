#include "sim/fake_libibverbs/libc.h"

#include <dlfcn.h>

namespace cm::sim::fake_libibverbs {
namespace {

template <typename Function>
void Find(const char* name, Function** function) {
  *function = Next(name, *function);
}

Libc FindAll() {
  Libc found{};
  Find("open", &found.open);
  Find("openat", &found.openat);
  Find("fstat", &found.fstat);
  Find("read", &found.read);
  Find("write", &found.write);
  Find("close", &found.close);
  Find("poll", &found.poll);
  return found;
}

}  // namespace

void* NextDefinition(const char* name) { return dlsym(RTLD_NEXT, name); }

const Libc& RealLibc() {
  static const Libc kFound = FindAll();
  return kFound;
}

}  // namespace cm::sim::fake_libibverbs
