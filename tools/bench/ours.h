// The figures of this project.
#ifndef TOOLS_BENCH_OURS_H_
#define TOOLS_BENCH_OURS_H_

namespace cm::bench {

void OurHold();
void OurLife();
void OurWorld();
void OurRecording();
void OurChecking();
void OurApps();

}  // namespace cm::bench

#endif  // TOOLS_BENCH_OURS_H_
