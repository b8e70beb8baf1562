// Where a program crashes.
#ifndef SIM_FAKE_LIBIBVERBS_CRASH_H_
#define SIM_FAKE_LIBIBVERBS_CRASH_H_

#include <signal.h>

namespace cm::sim::fake_libibverbs {

// Takes the place of the usual handling of a signal that ends a program: the stack of the thread
// goes to the error stream, a line a function, before the signal ends it.
void ShowStackAndEnd(int signal, siginfo_t* info, void* context);

// What the program sees of it: the usual handling.
void HideCrash(struct sigaction* action);

}  // namespace cm::sim::fake_libibverbs

#endif  // SIM_FAKE_LIBIBVERBS_CRASH_H_
