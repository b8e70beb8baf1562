// The agenda of the simulator with the interface of a queue of the hold model.
#ifndef TOOLS_BENCH_AGENDA_QUEUE_H_
#define TOOLS_BENCH_AGENDA_QUEUE_H_

#include "model/base/duration.h"
#include "sim/core/agenda.h"
#include "sim/core/event.h"
#include "tools/bench/hold.h"

namespace cm::bench {

class AgendaQueue {
 public:
  void Push(Due due) {
    agenda_.At(Instant::FromNanoseconds(due.at), sim::EventKind::kMadTimer, due.id);
  }
  Due Pop() {
    const sim::Event event = agenda_.Take();
    return {event.at.nanoseconds(), event.on()};
  }

 private:
  sim::Agenda agenda_;
};

}  // namespace cm::bench

#endif  // TOOLS_BENCH_AGENDA_QUEUE_H_
