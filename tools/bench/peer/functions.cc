// The engine of many simulators: a priority queue of closures.
#include <cstdint>
#include <functional>
#include <queue>
#include <utility>
#include <vector>

#include "tools/bench/hold.h"

namespace cm::bench {
namespace {

class FunctionQueue {
 public:
  void Push(Due due) {
    events_.push({due.at, ++pushed_, [this, due] { now_ = due; }});
  }
  Due Pop() {
    const std::function<void()> happens = std::move(const_cast<Event&>(events_.top()).happens);
    events_.pop();
    happens();
    return now_;
  }

 private:
  struct Event {
    int64_t at;
    uint64_t order;
    std::function<void()> happens;
    // The largest comes first.
    bool operator<(const Event& other) const {
      return at != other.at ? at > other.at : order > other.order;
    }
  };

  std::priority_queue<Event> events_;
  uint64_t pushed_ = 0;
  Due now_;
};

}  // namespace
}  // namespace cm::bench

int main(int argc, char** argv) {
  cm::bench::HoldFigures<cm::bench::FunctionQueue>("priority_queue_of_functions");
  return cm::bench::RunFigures(argc, argv);
}
