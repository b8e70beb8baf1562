// The list of mutants, and what trials of some of them came to, for people and for programs.
#ifndef TOOLS_MUTANTS_REPORT_H_
#define TOOLS_MUTANTS_REPORT_H_

#include <string>
#include <vector>

#include "tools/mutants/suite.h"
#include "tools/mutants/switch.h"
#include "tools/mutants/trial.h"

namespace cm::mutant {

// "17 sim/ib_cm/transmitter.cc:14 IsLimited condition a == b -> !(a == b)"
std::string LineOf(const Mutant& mutant);
// A mutant and what came of it, in one line.
std::string LineOf(const Mutant& mutant, const Trial& trial);

// How many mutants there are, by kind and by folder.
std::string CountsOf(const std::vector<Mutant>& mutants);
// The outcomes, by kind and by folder. `mutants` are all of the program.
std::string TotalsOf(const std::vector<Mutant>& mutants, const std::vector<Trial>& trials);

// An array of objects: number, file, line, function, kind, before, after.
std::string ListAsJson(const std::vector<Mutant>& mutants);
// An object: the options, and an array of such objects with outcome, by, profile, sequence.
std::string TrialsAsJson(const std::vector<Mutant>& mutants, const std::vector<Trial>& trials,
                         const SuiteOptions& options, const Limits& limits);

// The folder of the mutant's source.
std::string FolderOf(const Mutant& mutant);

}  // namespace cm::mutant

#endif  // TOOLS_MUTANTS_REPORT_H_
