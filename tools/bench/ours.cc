#include "tools/bench/ours.h"

#include "tools/bench/figure.h"

int main(int argc, char** argv) {
  cm::bench::OurHold();
  cm::bench::OurLife();
  cm::bench::OurWorld();
  cm::bench::OurRecording();
  cm::bench::OurChecking();
  cm::bench::OurApps();
  return cm::bench::RunFigures(argc, argv);
}
