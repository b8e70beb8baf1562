#include "sim/core/journal.h"
#include "tools/bench/life.h"
#include "tools/bench/lives.h"
#include "tools/bench/ours.h"

namespace cm::bench {
namespace {

template <bool kWithBytes>
class FingerprintedLives : public Lives {
 public:
  explicit FingerprintedLives(int64_t connections) : Lives(connections, kWithBytes) {}
  void Run(int64_t events) {
    for (int64_t i = 0; i < events; ++i) journal_.Note(Step());
    benchmark::DoNotOptimize(journal_.fingerprint());
  }
  [[gnu::noinline]] void MeasuredLife(int64_t events) { Run(events); }

 private:
  sim::Journal journal_;
};

}  // namespace

void OurLife() { LifeFigures<FingerprintedLives<false>, FingerprintedLives<true>>("ib_cm"); }

}  // namespace cm::bench
