// The guest's command `cmfault`: the packet filter of cm_filter.h for shell scripts.
//
//   cmfault drop REP active            every REP towards the active side
//   cmfault drop REQ passive 1 2       the first two REQ from now on
//   cmfault drop any passive 3         the third message of any kind
//   cmfault duplicate RTU passive 1    the first
//   cmfault delay 3000 REP active      each by 3000 ms
//   cmfault reorder RTU passive 1      the next message overtakes the first
//   cmfault show                       the faults in their order, with their counts
//   cmfault counts                     the messages of each kind and direction since the last clear
//   cmfault clear                      removes all faults, and resets all counts
//   cmfault install                    once, before the links' filters are attached
#ifndef HW_TESTS_LAB_CMFAULT_H_
#define HW_TESTS_LAB_CMFAULT_H_

#include <span>
#include <string>

#include "hw_tests/lab/cm_filter.h"
#include "hw_tests/lab/problem.h"

namespace lab {

// Parses "drop|duplicate|reorder KIND SIDE [FIRST [LAST]]" or "delay MS KIND SIDE [FIRST [LAST]]".
Outcome<CmRule> ParseCmFault(std::span<const std::string> words);

// One line about a fault: "drop REP active 1 2 seen 3 hit 2".
std::string Describe(const CmRuleCount& count);

// The whole command; returns the exit code.
int RunCmFault(std::span<const std::string> words);

}  // namespace lab

#endif  // HW_TESTS_LAB_CMFAULT_H_
