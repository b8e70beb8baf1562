// Programs of the distribution beside the real kernel of the lab: what is compared, and what
// differs.
#ifndef TOOLS_APP_BESIDE_H_
#define TOOLS_APP_BESIDE_H_

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "model/base/duration.h"
#include "tools/app/stock_programs.h"

namespace cm::app {

// What is known of a program whose lines are not all the same there and here, or that the lab runs
// in a way of its own.
struct Comparison {
  std::string_view program;
  std::string_view why = {};    // of the difference; empty: there is none
  std::string_view lines = {};  // a regular expression: lines with a match are not compared
  std::string_view words = {};  // the same of parts of lines
  // The same of the first and the last line that are compared, besides the end; empty: all are.
  std::string_view from = {};
  std::string_view to = {};
  bool compared = true;  // whether anything is
  bool counted = true;   // whether it is compared how often a line is printed
  bool events = true;    // whether the events of the kernel are compared
  // An event that comes or does not, as a race ends that differs from run to run: not compared.
  std::string_view unsteady = {};
  uint64_t seed = 0;       // of the run here, where the order of the programs decides
  bool one_kernel = true;  // whether both hosts are of one kernel here, as in the lab
  // Neither program ends by itself: both are killed that long after the start. 0: they end.
  Duration killed_after = {};
  // Files and folders that a program opens by itself. Programs that have some are in a guest of
  // their own: memory for all of them would not be enough.
  std::string_view files = {};
};

// Those that differ in something, or are run in another way.
const std::vector<Comparison>& Comparisons();

// Of that program; a program that is not in the list prints the same.
Comparison ComparisonOf(const StockProgram& program);

// Its cell of the page: "same", or why not, or why nothing is compared.
std::string ComparisonCell(const StockProgram& program);

// The lines in an order of their own, as programs write to two streams and to files late; without
// figures of time and rate, addresses of memory, numbers that are drawn (of queue pairs and of
// ports), what `beside` names, and blanks at which they would differ.
std::vector<std::string> Settled(std::vector<std::string> lines, const Comparison& beside);

}  // namespace cm::app

#endif  // TOOLS_APP_BESIDE_H_
