#include "model/base/choice.h"

#include "model/base/check.h"

namespace cm {
namespace {

// The finaliser of SplitMix64: spreads every input bit over the whole output.
constexpr uint64_t Mix(uint64_t x) {
  x += 0x9e3779b97f4a7c15ULL;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9ULL;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebULL;
  return x ^ (x >> 31);
}

}  // namespace

StreamState NamedStream(uint64_t seed, std::string_view name) {
  uint64_t hash = 0xcbf29ce484222325ULL;  // FNV-1a of the name.
  for (const char c : name) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3ULL;
  return {.seed = seed, .stream = hash, .counter = 0};
}

uint64_t RandomChoice::Below(uint64_t bound, std::string_view /*what*/) {
  CM_CHECK(bound > 0);
  const uint64_t x = Mix(Mix(state_->seed ^ Mix(state_->stream)) + state_->counter++);
  // Multiply and shift: the bias is below 2^-32 for the bounds that are used here.
  return static_cast<uint64_t>((static_cast<unsigned __int128>(x) * bound) >> 64);
}

uint64_t RecordingChoice::Below(uint64_t bound, std::string_view what) {
  const uint64_t taken = inner_->Below(bound, what);
  record_.push_back({.taken = taken, .bound = bound, .what = std::string(what)});
  return taken;
}

uint64_t ReplayChoice::Below(uint64_t bound, std::string_view /*what*/) {
  CM_CHECK(bound > 0);
  if (next_ >= record_.size()) return 0;
  const uint64_t taken = record_[next_++].taken;
  return taken < bound ? taken : 0;
}

uint64_t ExhaustiveChoice::Below(uint64_t bound, std::string_view what) {
  CM_CHECK(bound > 0);
  if (depth_ == path_.size())
    path_.push_back({.taken = 0, .bound = bound, .what = std::string(what)});
  const Decision& decision = path_[depth_++];
  CM_CHECK(decision.bound == bound)
      << "a run must ask the same questions in the same order: " << what;
  return decision.taken;
}

bool ExhaustiveChoice::Next() {
  depth_ = 0;
  while (!path_.empty() && path_.back().taken + 1 == path_.back().bound) path_.pop_back();
  if (path_.empty()) return false;
  ++path_.back().taken;
  return true;
}

}  // namespace cm
