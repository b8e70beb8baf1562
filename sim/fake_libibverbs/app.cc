// Shared object that is preloaded into programs. The environment names the socket of their
// simulated machine.
#include <array>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <new>

#include "model/base/sanitized.h"
#include "sim/fake_libibverbs/client.h"
#include "sim/fake_libibverbs/requests.h"
#include "sim/fake_libibverbs/turns.h"

namespace cm::sim::fake_libibverbs {
namespace {

// In static memory: the allocator may be the first to read the clock.
Client* Make() {
  alignas(Client) static std::array<std::byte, sizeof(Client)> memory;
  const char* path = std::getenv("CMSIM_SOCKET");
  return path == nullptr ? nullptr : new (memory.data()) Client(path);
}

// Output is not buffered, so that it is seen even if the program is killed later. With a sanitizer
// threads do not take turns.
__attribute__((constructor)) void Prepare() {
  if (std::getenv("CMSIM_SOCKET") == nullptr) return;
  std::setvbuf(stdout, nullptr, _IOLBF, 0);
  if (!kAddressSanitized && !kThreadSanitized) UseTurns();
  // Here, as a connection allocates memory. Without the option a program that asks for nothing has
  // none.
  if (std::getenv("CMSIM_COUNTS") != nullptr) BeginComputation();
}

}  // namespace

Backend* BackendOfEnvironment() {
  static Client* const kClient = Make();
  return kClient;
}

}  // namespace cm::sim::fake_libibverbs
