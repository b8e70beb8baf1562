// A message of the simulator as the 256 bytes that it is on the wire.
#ifndef TOOLS_BENCH_WIRE_BYTES_H_
#define TOOLS_BENCH_WIRE_BYTES_H_

#include "sim/fabric/mad.h"

namespace cm::bench {

// Makes bytes of it and reads them again; what comes back has to be what was sent.
void CarryAsBytes(const sim::Mad& mad);

}  // namespace cm::bench

#endif  // TOOLS_BENCH_WIRE_BYTES_H_
