// Answers of the machine, and look-ups that the files of VerbsEnd have in common.
#ifndef SIM_UAPI_VERBS_END_PARTS_H_
#define SIM_UAPI_VERBS_END_PARTS_H_

#include <cstdint>
#include <span>

#include "model/base/errno.h"
#include "sim/uapi/asker.h"
#include "sim/uapi/bytes.h"

namespace cm::sim::uapi {

inline Outcome Value(int64_t value) { return {.answer = {.value = value}}; }

template <typename T>
Outcome Record(int64_t value, const T& record) {
  Outcome outcome = Value(value);
  const std::span<const uint8_t> bytes = BytesOf(record);
  outcome.answer.bytes.assign(bytes.begin(), bytes.end());
  return outcome;
}

inline Outcome DoneUnless(Errno error) { return error == Errno::kNone ? Value(0) : Refused(error); }

// The object of that number, if it belongs to the process.
template <typename Objects>
auto* Find(Objects* objects, uint32_t process, uint32_t number) {
  const auto found = objects->find(number);
  return found != objects->end() && found->second.process == process ? &found->second : nullptr;
}

}  // namespace cm::sim::uapi

#endif  // SIM_UAPI_VERBS_END_PARTS_H_
