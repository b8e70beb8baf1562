// A library of one function for each kind of mutant.
#ifndef TOOLS_MUTANTS_EXAMPLE_H_
#define TOOLS_MUTANTS_EXAMPLE_H_

namespace cm::mutant::example {

enum class Colour { kRed, kGreen, kBlue };

int Larger(int a, int b);
int TwoMore(int a);
Colour After(Colour colour);
int CountBelow(int bound);

}  // namespace cm::mutant::example

#endif  // TOOLS_MUTANTS_EXAMPLE_H_
