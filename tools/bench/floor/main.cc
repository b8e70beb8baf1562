#include "tools/bench/figure.h"
#include "tools/bench/floor/floor.h"

int main(int argc, char** argv) {
  cm::bench::FloorHold();
  cm::bench::FloorLife();
  cm::bench::FloorRecording();
  cm::bench::FloorRequests();
  return cm::bench::RunFigures(argc, argv);
}
