// The threads of all programs take turns: where a system call or a lock lets a thread go on, it
// asks the machine for its turn, so that one runs at a time, in an order that the machine draws.
#ifndef SIM_FAKE_LIBIBVERBS_TURNS_H_
#define SIM_FAKE_LIBIBVERBS_TURNS_H_

#include <cstdint>

#include "sim/uapi/poll_marks.h"
#include "sim/uapi/request.h"

namespace cm::sim::fake_libibverbs {

// From now on. Without this call threads take no turns: AwaitTurn, OfferTurn, SpendStart and
// AwaitReadable do nothing.
void UseTurns();

// True where there is a machine, and outside of requests.
bool TakeTurns();

// The number of a thread that the program starts, from 1.
uint32_t NextThread();
// Tells the machine of the calling thread.
void BeginThread(uint32_t number);

// The calling thread has slept in a system call, and goes on when it is its turn. Keeps errno.
void AwaitTurn();

// Before a process is started: takes as long as Linux needs for that, so that time passes for a
// program that starts one after the other. Keeps errno.
void SpendStart();

// Others may go on first. Only from time to time, and only in a program with several threads.
void OfferTurn();

// How often the calling thread has been where it could offer its turn: locks, conditions and
// semaphores.
uint64_t Touches();

// Waits until other threads have run. Returns 0, or EINTR after a signal.
int AwaitOthers(uapi::LooksFor what, uapi::Look look);

// Waits while the call would wait at the descriptor, and then for the thread's turn, so that the
// call finds all that has come until then. False: a handler of a signal interrupts it, and errno is
// EINTR. Does nothing where the call does not wait, or fails.
bool AwaitReadable(int fd, uapi::SleepsIn call);

// Whether a handler of the program ends the system calls that it interrupts. A handler has come,
// and which one is not known. Keeps errno.
bool SomeHandlerInterrupts();

// As Ask, for a wait without a limit that handlers with SA_RESTART do not end. source: linux 6.1
// ucma.c ucma_get_event, uverbs_main.c ib_uverbs_event_read
uapi::Answer AskUntilAnswered(const uapi::Request& request);

}  // namespace cm::sim::fake_libibverbs

#endif  // SIM_FAKE_LIBIBVERBS_TURNS_H_
