#include "sim/core/journal.h"
#include "tools/bench/life.h"
#include "tools/bench/lives.h"
#include "tools/bench/ours.h"

namespace cm::bench {
namespace {

class FingerprintedLives : public Lives {
 public:
  using Lives::Lives;
  void Run(int64_t events) {
    for (int64_t i = 0; i < events; ++i) journal_.Note(Step());
    benchmark::DoNotOptimize(journal_.fingerprint());
  }
  [[gnu::noinline]] void MeasuredLife(int64_t events) { Run(events); }

 private:
  sim::Journal journal_;
};

}  // namespace

void OurLife() { LifeFigures<FingerprintedLives>("ib_cm"); }

}  // namespace cm::bench
