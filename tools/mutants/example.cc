#include "tools/mutants/example.h"

namespace cm::mutant::example {

int Larger(int a, int b) { return a > b ? a : b; }

int TwoMore(int a) {
  ++a;
  ++a;
  return a;
}

Colour After(Colour colour) {
  if (colour == Colour::kRed) return Colour::kGreen;
  return Colour::kBlue;
}

int CountBelow(int bound) {
  int count = 0;
  for (int i = 0; i < bound; ++i) ++count;
  return count;
}

}  // namespace cm::mutant::example
