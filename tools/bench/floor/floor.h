// The floors: each job done by the least code that does it.
#ifndef TOOLS_BENCH_FLOOR_FLOOR_H_
#define TOOLS_BENCH_FLOOR_FLOOR_H_

namespace cm::bench {

void FloorHold();
void FloorLife();
void FloorRecording();
void FloorRequests();

}  // namespace cm::bench

#endif  // TOOLS_BENCH_FLOOR_FLOOR_H_
