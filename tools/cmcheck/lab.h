// Runs of the suite in throw-away guests.
#ifndef TOOLS_CMCHECK_LAB_H_
#define TOOLS_CMCHECK_LAB_H_

#include <cstdint>
#include <string>
#include <vector>

#include "tools/cmcheck/run.h"

namespace cm {

struct LabOptions {
  RunOptions run;
  int guests = 2;
  int batch = 25;
  std::string library;               // in place of the guest's librdmacm; empty: that
  std::vector<std::string> modules;  // in place of those of the guest's kernel
  // The number of sequences that run after the others: what a guest's clock shows when a sequence
  // begins depends on those before it.
  uint64_t begin_with = 0;
};

// Runs the guests up to the report; returns the exit code.
int RunLab(LabOptions options);

}  // namespace cm

#endif  // TOOLS_CMCHECK_LAB_H_
