// A message of the simulator as its 256 bytes on the wire.
#ifndef TOOLS_BENCH_WIRE_BYTES_H_
#define TOOLS_BENCH_WIRE_BYTES_H_

#include "sim/fabric/mad.h"

namespace cm::bench {

// Encodes the message and decodes it again; the result must equal the message.
void CarryAsBytes(const sim::Mad& mad);

}  // namespace cm::bench

#endif  // TOOLS_BENCH_WIRE_BYTES_H_
