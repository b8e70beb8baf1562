/* Optional functions of a librdmacm-shaped object with a simulated kernel, besides those of
 * <rdma/rdma_cma.h>: virtual time, faults, and a list of objects in use. A C header.
 *
 *  1. An object has all of the functions below, or none. The suite finds them with dlsym.
 *  2. A library with hooks is called from one thread of one process, for both sides and all their
 *     lanes; cmcheck_enter selects the caller of the following calls. Its world changes only within
 *     a call, cmcheck_step, cmcheck_advance, cmcheck_fault and cmcheck_heal.
 *  3. No call may wait. A call that would block returns immediately, with any value, and
 *     cmcheck_blocked then returns 1. It stays pending on its lane: its arguments are kept, its
 *     output pointers stay valid, and cmcheck_continue polls whether it has returned.
 *  4. A channel's `fd` is a descriptor of the library's, on which O_NONBLOCK may be set with
 *     fcntl. It need not become readable: the suite calls cmcheck_readable instead.
 *  5. Each conversation has a process of its own, forked before the library is first called.
 *  6. Times are nanoseconds of virtual time. Strings are valid until the next call.
 *
 * sample/ is an example.
 */
#ifndef CONFORMANCE_ADAPTERS_DL_HOOKS_H_
#define CONFORMANCE_ADAPTERS_DL_HOOKS_H_

#include <rdma/rdma_cma.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* An environment line of a conversation. */
struct cmcheck_fault_line {
  const char* kind;  /* "drop", "link-down", "exit", ...: see docs/environment.md */
  uint8_t side;      /* 0 active, 1 passive; of packet faults: the sender */
  uint32_t messages; /* of packet faults: bits 0 to 8 are REQ MRA REJ REP RTU DREQ DREP
                        SIDR_REQ SIDR_REP */
  uint32_t first;    /* the first matching message that is hit, from 1 */
  uint32_t last;     /* and the last; 0: all from `first` on */
  int64_t by_ns;     /* of "delay"; of "link-flap": from each turn to the next */
  int64_t window_ns; /* end, from its installation; INT64_MAX: never */
  /* 255 as `side` or `to` of a packet fault: any side. */
  uint8_t to;         /* of packet faults: the receiver */
  uint8_t tail;       /* 1: of a range most delays are short, and a few are very long */
  int64_t at_most_ns; /* of "delay": the end of the range that begins at by_ns; 0: none */
  int64_t after_ns;   /* begin, from its installation */
};

/* Implementation::capabilities: words of a conversation's line `capabilities`, "" for none. Called
 * in a process in which no other function is called; must be constant. Capabilities that the
 * profile lacks are ignored; `later-calls` follows from the functions and the profile. */
const char* cmcheck_capabilities(void);

/* Called first. The names are those of `cmcheck list topologies` and `cmcheck list profiles`; all
 * random choices must follow from `seed`. Returns 0, or -1 when the library cannot simulate these.
 */
int cmcheck_start(const char* topology, const char* profile, uint64_t seed);

/* Selects the caller of the following calls: index of the side, and its lane (thread), from 1. */
void cmcheck_enter(uint8_t side, uint8_t lane);

/* Virtual time in ns; 0 at the start. */
int64_t cmcheck_now(void);
/* Time of the next scheduled event, in ns; -1 when there is none. */
int64_t cmcheck_next(void);
/* Executes that event; advances the time to it. */
void cmcheck_step(void);
/* Executes all events that are due until `until_ns`; advances the time to it. */
void cmcheck_advance(int64_t until_ns);

/* 1 when the entered lane has a call that has not returned. */
int cmcheck_blocked(void);
/* Returns 0 while the pending call of the entered lane has not returned. Returns 1 when it has: its
 * outputs are written, `*value` is its return value (0 for void), and errno is set if that is
 * negative. */
int cmcheck_continue(int* value);
/* 1 when the channel has an event, so that rdma_get_cm_event would not block; else 0. */
int cmcheck_readable(struct rdma_event_channel* channel);

/* Injects a fault. Returns 0, or -1 when it is not supported. */
int cmcheck_fault(const struct cmcheck_fault_line* fault);
/* Ends all packet faults, restores links and neighbours. Returns 0, or -1 on failure. */
int cmcheck_heal(void);

/* Objects in use that were not at the start, as text; "" for none. */
const char* cmcheck_leaks(void);

#ifdef __cplusplus
}
#endif

#endif /* CONFORMANCE_ADAPTERS_DL_HOOKS_H_ */
