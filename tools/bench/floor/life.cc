#include "tools/bench/life.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "model/base/check.h"
#include "tools/bench/floor/floor.h"
#include "tools/bench/floor/queues.h"

namespace cm::bench {
namespace {

constexpr int64_t kRetransmitNs = 6'144'000'000;
constexpr int64_t kTimewaitNs = 2'048'000'000;

enum class Is : uint8_t { kIdle, kReqSent, kRepSent, kEstablished, kDreqSent, kTimewait };
enum class What : uint8_t { kStart, kReq, kRep, kRtu, kOver, kDreq, kDrep, kTimer };

// One end of a connection; two of them are one line of the cache.
struct End {
  int64_t deadline = 0;  // of its timer; 0 when it is not running
  int64_t queued = 0;    // when its one entry in the queue is due; 0 when there is none
  uint32_t lives = 0;
  uint32_t number = 0;
  Is is = Is::kIdle;
  uint8_t retries_left = 0;
};
static_assert(sizeof(End) == 32);

// The 256 bytes of a message, written and read again by hand.
void CarryAsBytes(What what, uint32_t number) {
  std::array<uint8_t, 256> mad{};
  const auto put = [&mad](size_t at, uint64_t value, size_t size) {
    for (size_t i = size; i-- > 0; value >>= 8) mad[at + i] = static_cast<uint8_t>(value);
  };
  const auto get = [&mad](size_t at, size_t size) {
    uint64_t value = 0;
    for (size_t i = 0; i < size; ++i) value = value << 8 | mad[at + i];
    return value;
  };
  put(0, 0x01070203, 4);
  put(8, number, 8);
  put(16, 0x10 + static_cast<uint32_t>(what), 2);
  put(24, number, 4);
  put(28, number ^ 1, 4);
  put(40, 0x01061d2f, 8);
  put(48, number, 8);
  put(56, number, 4);
  put(60, number, 4);
  for (size_t i = 180; i < 236; ++i) mad[i] = static_cast<uint8_t>(number + i);
  benchmark::DoNotOptimize(mad);
  CM_CHECK(get(0, 4) == 0x01070203 && get(8, 8) == number && get(24, 4) == number &&
           get(16, 2) == 0x10 + static_cast<uint32_t>(what) && get(28, 4) == (number ^ 1));
  CM_CHECK(get(40, 8) == 0x01061d2f && get(48, 8) == number && get(56, 4) == number &&
           get(60, 4) == number);
  for (size_t i = 180; i < 236; ++i) CM_CHECK(mad[i] == static_cast<uint8_t>(number + i));
}

// A protocol of five messages and nothing else: no call, no private data, no refusal. Messages have
// no contents, because the number of the connection identifies everything.
template <bool kWithBytes>
class FloorLives {
 public:
  explicit FloorLives(int64_t connections) : ends_(2 * static_cast<size_t>(connections)) {
    for (uint32_t end = 0; end < ends_.size(); end += 2) At(StayNs(&random_), What::kStart, end);
  }

  void Run(int64_t events) {
    for (int64_t i = 0; i < events; ++i) {
      const Due due = queue_.Pop();
      now_ = due.at;
      const auto sum = static_cast<unsigned __int128>(fingerprint_ ^ static_cast<uint64_t>(now_)) *
                       (0x9e3779b97f4a7c15 ^ due.id);
      fingerprint_ = static_cast<uint64_t>(sum) ^ static_cast<uint64_t>(sum >> 64);
      Happens(static_cast<What>(due.id & 7), due.id >> 3);
    }
    benchmark::DoNotOptimize(fingerprint_);
  }
  [[gnu::noinline]] void MeasuredLife(int64_t events) { Run(events); }
  uint64_t cycles() const { return cycles_; }

 private:
  void At(int64_t at, What what, uint32_t end) {
    queue_.Push({at, (end << 3) | static_cast<uint32_t>(what)});
  }
  void Send(What what, uint32_t from) {
    if (random_.Next() % kLossOneIn != 0) At(now_ + kLatencyNs, what, from ^ 1);
  }
  // At most one entry is valid: one that is due too early is moved to the deadline.
  void Arm(uint32_t number, int64_t after) {
    End& end = ends_[number];
    end.deadline = now_ + after;
    if (end.queued != 0 && end.queued <= end.deadline) return;
    end.queued = end.deadline;
    At(end.queued, What::kTimer, number);
  }
  void SendUntilAnswered(What what, uint32_t number, Is is) {
    ends_[number].is = is;
    ends_[number].retries_left = 15;
    Send(what, number);
    Arm(number, kRetransmitNs);
  }
  void Wait(uint32_t number) {
    ends_[number].is = Is::kTimewait;
    Arm(number, kTimewaitNs);
  }

  void Happens(What what, uint32_t number) {
    End& end = ends_[number];
    if (kWithBytes && what != What::kStart && what != What::kOver && what != What::kTimer)
      CarryAsBytes(what, number);
    switch (what) {
      case What::kStart:
        return SendUntilAnswered(What::kReq, number, Is::kReqSent);
      case What::kReq:
        if (end.is == Is::kIdle) SendUntilAnswered(What::kRep, number, Is::kRepSent);
        return;
      case What::kRep:
        if (end.is == Is::kReqSent) {
          end.is = Is::kEstablished;
          end.deadline = 0;
          At(now_ + StayNs(&random_), What::kOver, number);
        }
        if (end.is == Is::kEstablished) Send(What::kRtu, number);
        return;
      case What::kRtu:
        if (end.is != Is::kRepSent) return;
        end.is = Is::kEstablished;
        end.deadline = 0;
        return;
      case What::kOver:
        return SendUntilAnswered(What::kDreq, number, Is::kDreqSent);
      case What::kDreq:
        Send(What::kDrep, number);
        if (end.is == Is::kEstablished || end.is == Is::kRepSent) Wait(number);
        return;
      case What::kDrep:
        if (end.is == Is::kDreqSent) Wait(number);
        return;
      case What::kTimer:
        return Timer(number);
    }
  }
  void Timer(uint32_t number) {
    End& end = ends_[number];
    if (end.queued != now_) return;
    end.queued = 0;
    if (end.deadline == 0) return;
    if (end.deadline > now_) {
      end.queued = end.deadline;
      return At(end.queued, What::kTimer, number);
    }
    end.deadline = 0;
    if (end.is == Is::kTimewait) {
      end.is = Is::kIdle;
      if (number % 2 == 0) {
        ++cycles_;
        Happens(What::kStart, number);
      }
      return;
    }
    if (end.retries_left-- == 0) return Wait(number);
    const What again = end.is == Is::kReqSent   ? What::kReq
                       : end.is == Is::kRepSent ? What::kRep
                                                : What::kDreq;
    Send(again, number);
    Arm(number, kRetransmitNs);
  }

  FloorWheel queue_;
  std::vector<End> ends_;
  Random random_;
  int64_t now_ = 0;
  uint64_t fingerprint_ = 0;
  uint64_t cycles_ = 0;
};

}  // namespace

void FloorLife() { LifeFigures<FloorLives<false>, FloorLives<true>>("floor"); }

}  // namespace cm::bench
