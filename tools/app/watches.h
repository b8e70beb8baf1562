// The pipes that a process polls.
#ifndef TOOLS_APP_WATCHES_H_
#define TOOLS_APP_WATCHES_H_

#include <cstdint>
#include <map>
#include <memory>
#include <optional>

#include "sim/uapi/level.h"
#include "sim/uapi/request.h"

namespace cm::app {

// A pipe that the program polls.
struct Watched {
  std::unique_ptr<sim::uapi::Level> level;
  sim::uapi::Request readable;
  bool is_readable = false;
  std::optional<uint64_t> rank;  // as of a thread
};

// They stand in the order in which the process has first named them. Their names are the system's
// numbers, of which each processor has a range of its own: a process that has moved to another one
// meanwhile has them in another order. source: linux 6.1 inode.c get_next_ino
class Watches {
 public:
  // A new one where there is none of that name.
  Watched& Get(uint64_t name) {
    const auto [at, is_new] = numbers_.try_emplace(name, named_);
    if (is_new) ++named_;
    return all_[at->second];
  }

  void Erase(uint64_t name) {
    const auto found = numbers_.find(name);
    if (found == numbers_.end()) return;
    all_.erase(found->second);
    numbers_.erase(found);
  }

  void Clear() {
    all_.clear();
    numbers_.clear();
  }

  // Pairs of a number and a Watched.
  auto begin() { return all_.begin(); }
  auto end() { return all_.end(); }
  auto begin() const { return all_.begin(); }
  auto end() const { return all_.end(); }

 private:
  std::map<uint64_t, uint64_t> numbers_;  // by name
  std::map<uint64_t, Watched> all_;
  uint64_t named_ = 0;  // how many ever
};

}  // namespace cm::app

#endif  // TOOLS_APP_WATCHES_H_
