// How the functions of a stand-in ask, and what all of them have to know.
#ifndef SIM_STANDIN_ASKING_H_
#define SIM_STANDIN_ASKING_H_

#include <bit>
#include <cstdint>
#include <cstring>
#include <optional>
#include <span>
#include <type_traits>
#include <vector>

#include "sim/standin/ground.h"
#include "sim/uapi/request.h"

namespace cm::sim::standin {

// Null when there is none.
Ground* TheGround();
void StandOn(Ground* ground);

// Where the program was not told a ground: one that the environment names, or null. Each of the two
// objects has its own.
Ground* GroundOfEnvironment();

// Whether the calling thread is inside a request, where time is not simulated.
bool Inside();
// For a ground whose threads are fibers: how deep one is inside goes with it when it is left.
int ExchangeDepth(int depth);

// A failure has no bytes and is an errno, whatever the ground says.
uapi::Answer Ask(const uapi::Request& request);
void Yield();
uint32_t Process();

// Which world the ground is of, counted. What was made in an earlier one has no handle any more.
uint32_t World();
void NextWorld();

// How many forks there are between the program's first process and this one.
uint32_t Generation();

// What belongs to the machine.
struct Handle {
  uint32_t number = 0;
  uint32_t world = World();
  bool Lives() const { return world == World(); }
};

// Asks about an object; of an object of an earlier world as if it had answered 0.
uapi::Answer AskAbout(uapi::Op op, Handle handle, uint64_t more = 0,
                      std::vector<uint8_t> bytes = {});

// Memory of the program. Records have addresses as numbers.
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

// The record in the bytes at `at`; nothing when they end before it does.
template <typename T>
std::optional<T> RecordIn(std::span<const uint8_t> bytes, size_t at = 0) {
  static_assert(std::is_trivially_copyable_v<T>);
  if (at > bytes.size() || bytes.size() - at < sizeof(T)) return std::nullopt;
  T record;
  std::memcpy(&record, bytes.data() + at, sizeof record);
  return record;
}

}  // namespace cm::sim::standin

#endif  // SIM_STANDIN_ASKING_H_
