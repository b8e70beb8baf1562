// Exchanges with the machine that end before their thread is cancelled.
#ifndef SIM_FAKE_LIBIBVERBS_CANCELLATION_H_
#define SIM_FAKE_LIBIBVERBS_CANCELLATION_H_

#include <pthread.h>

#include <utility>

namespace cm::sim::fake_libibverbs {

// The calling thread is not cancelled meanwhile. May be nested.
class WithoutCancellation {
 public:
  WithoutCancellation() {
    pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &before_);
    if (scopes_++ == 0) first_ = before_;
  }
  ~WithoutCancellation() {
    --scopes_;
    pthread_setcancelstate(before_, nullptr);
  }
  WithoutCancellation(const WithoutCancellation&) = delete;
  WithoutCancellation& operator=(const WithoutCancellation&) = delete;

  // A jump has left all scopes of the calling thread.
  static void Leave() {
    if (std::exchange(scopes_, 0) != 0) pthread_setcancelstate(first_, nullptr);
  }

 private:
  static inline constinit thread_local int scopes_ = 0;
  // What the outermost one has found.
  static inline constinit thread_local int first_ = PTHREAD_CANCEL_ENABLE;

  int before_ = PTHREAD_CANCEL_ENABLE;
};

}  // namespace cm::sim::fake_libibverbs

#endif  // SIM_FAKE_LIBIBVERBS_CANCELLATION_H_
