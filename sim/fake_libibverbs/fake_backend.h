// A backend without a simulator: records its requests and returns prepared answers.
#ifndef SIM_FAKE_LIBIBVERBS_FAKE_BACKEND_H_
#define SIM_FAKE_LIBIBVERBS_FAKE_BACKEND_H_

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "sim/fake_libibverbs/backend.h"
#include "sim/uapi/request.h"

namespace cm::sim::fake_libibverbs {

// One device, ids that can be bound, everything else succeeds.
class FakeBackend : public Backend {
 public:
  uapi::Answer Ask(const uapi::Request& request) override;
  void Yield() override {
    ++yields;
    if (at_yield) at_yield();
  }
  void Watch(uint64_t /*name*/, int write_end, const uapi::Request& /*readable*/) override {
    watches.push_back(write_end >= 0);
  }
  void Unwatch(uint64_t /*name*/) override { ++unwatched; }
  bool WatchesUnarmed() const override { return watches_unarmed; }

  // The requests since the last call: "open", "write 0 BIND 136/0".
  std::vector<std::string> Taken();

  static constexpr uint64_t kGuid = 0x0100feff02000002;

  uint32_t devices = 1;
  int first_index = 0;  // of the devices; part of their GUIDs
  std::function<void()> at_yield;
  uint64_t guid_of_ids = 0;  // the answer of QUERY, except on the first file
  std::function<bool(const uapi::Request&, uapi::Answer*)> instead;  // true: it has answered
  std::vector<uapi::Request> requests;                               // since the beginning
  int yields = 0;
  bool watches_unarmed = true;
  std::vector<bool> watches;  // whether each came with its descriptor
  int unwatched = 0;

 private:
  uapi::Answer Write(const uapi::Request& request) const;

  std::vector<std::string> asked_;
  uint32_t files_ = 0;
};

}  // namespace cm::sim::fake_libibverbs

#endif  // SIM_FAKE_LIBIBVERBS_FAKE_BACKEND_H_
