#include "tools/bench/agenda_queue.h"
#include "tools/bench/hold.h"
#include "tools/bench/ours.h"

namespace cm::bench {

void OurHold() { HoldFigures<AgendaQueue>("agenda"); }

}  // namespace cm::bench
