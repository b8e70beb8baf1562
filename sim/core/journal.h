// The record of a run: its fingerprint, and optionally the last events.
//
// The fingerprint is a function of the events and their order. Two runs of one seed have the same
// after every event; where they differ, their records show the first event that differs.
#ifndef SIM_CORE_JOURNAL_H_
#define SIM_CORE_JOURNAL_H_

#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "model/base/check.h"
#include "sim/core/event.h"

namespace cm::sim {

// 24 bytes, as they are written to a file by machines of the same byte order.
struct Record {
  Event event;
  uint64_t fingerprint = 0;  // of the run up to this event
  friend bool operator==(const Record&, const Record&) = default;
};
static_assert(sizeof(Record) == 24);

class Journal {
 public:
  Journal() = default;
  // Keeps the last `records` ones; a power of 2.
  explicit Journal(size_t records) : ring_(records) { CM_CHECK(std::has_single_bit(records)); }

  void Note(const Event& event) {
    fingerprint_ = Mixed(fingerprint_ ^ static_cast<uint64_t>(event.at.nanoseconds()), event.what);
    if (!ring_.empty()) ring_[noted_ & (ring_.size() - 1)] = {event, fingerprint_};
    ++noted_;
  }

  uint64_t noted() const { return noted_; }
  uint64_t fingerprint() const { return fingerprint_; }
  // Event n is at n modulo the size; only the last ones are stored.
  std::span<const Record> ring() const { return ring_; }

  // The record is not part of the state: worlds with equal futures are equal.
  friend bool operator==(const Journal&, const Journal&) { return true; }

 private:
  // Both halves of a product, so that every bit of a word affects every bit of the result. The
  // second word is never 0: no event erases the effect of earlier ones.
  static uint64_t Mixed(uint64_t a, uint64_t b) {
    const auto product =
        static_cast<unsigned __int128>(a ^ 0x2d358dccaa6c78a5) * ((b << 8) ^ 0x8bb84b93962eacc9);
    return static_cast<uint64_t>(product) ^ static_cast<uint64_t>(product >> 64);
  }

  uint64_t fingerprint_ = 0;
  uint64_t noted_ = 0;
  std::vector<Record> ring_;
};

// The record as one line of JSON with its end:
//   {"at":10000,"kind":"packet-arrives","on":3,"fingerprint":"0011223344556677"}
void AppendJsonLine(const Record& record, std::string* text);

}  // namespace cm::sim

#endif  // SIM_CORE_JOURNAL_H_
