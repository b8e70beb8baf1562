// Requests from the functions of a fake libibverbs to its backend, and state that all of them
// share.
#ifndef SIM_FAKE_LIBIBVERBS_REQUESTS_H_
#define SIM_FAKE_LIBIBVERBS_REQUESTS_H_

#include <bit>
#include <cstdint>
#include <cstring>
#include <optional>
#include <span>
#include <type_traits>
#include <vector>

#include "sim/fake_libibverbs/backend.h"
#include "sim/uapi/request.h"

namespace cm::sim::fake_libibverbs {

// Null when there is none.
Backend* TheBackend();
void SetBackend(Backend* backend);

// The backend of a program that has set none: one that the environment names, or null. Each of the
// two shared objects defines it.
Backend* BackendOfEnvironment();

// True while the calling thread is inside a request, where time is not simulated.
bool Inside();
// A jump to the stack pointer `target` has left the request of the calling thread, if it is in one.
void LeaveRequest(uintptr_t target);
// For a backend whose threads are fibers: the nesting depth is saved and restored with the fiber.
int ExchangeDepth(int depth);
// Calls it outside of requests, with errno kept: at once, or, in a handler of a signal that has
// come during a request of its thread, when that has ended. The last one of several is called.
void CallOutside(void (*function)());

// Turns a failure into an errno without bytes, whatever the backend returned.
uapi::Answer Ask(const uapi::Request& request);
void Yield();
int YieldUntil(int64_t instant, uapi::Look look);
bool SpendLook();
// Keeps errno. Does nothing inside a request.
void SpendSending(uint64_t bytes);
// Before the calling thread waits in a system call, and before it does what another thread may wait
// for. Keeps errno. Does nothing inside a request, and where computation takes no time.
void SpendComputation();
// The calling thread is the first of its process.
void BeginComputation();
uint32_t Process();

// Number of the backend's current world. Objects of an earlier world have no valid handle.
uint32_t World();
void NextWorld();

// Number of forks between the program's first process and this one.
uint32_t Generation();

// State of the machine.
struct Handle {
  uint32_t number = 0;
  uint32_t world = World();
  bool Lives() const { return world == World(); }
};

// A request about an object. For an object of an earlier world the answer is 0.
uapi::Answer AskAbout(uapi::Op op, Handle handle, uint64_t more = 0,
                      std::vector<uint8_t> bytes = {});

// Address in the program's memory. Records hold addresses as numbers.
inline uint8_t* At(uint64_t address) { return std::bit_cast<uint8_t*>(address); }

template <typename T>
void Append(std::vector<uint8_t>* bytes, const T& record) {
  static_assert(std::is_trivially_copyable_v<T>);
  const size_t at = bytes->size();
  bytes->resize(at + sizeof record);
  std::memcpy(bytes->data() + at, &record, sizeof record);
}

template <typename T>
std::vector<uint8_t> BytesOf(const T& record) {
  std::vector<uint8_t> bytes;
  Append(&bytes, record);
  return bytes;
}

// The record in the bytes at `at`; empty when they are too short.
template <typename T>
std::optional<T> RecordIn(std::span<const uint8_t> bytes, size_t at = 0) {
  static_assert(std::is_trivially_copyable_v<T>);
  if (at > bytes.size() || bytes.size() - at < sizeof(T)) return std::nullopt;
  T record;
  std::memcpy(&record, bytes.data() + at, sizeof record);
  return record;
}

}  // namespace cm::sim::fake_libibverbs

#endif  // SIM_FAKE_LIBIBVERBS_REQUESTS_H_
