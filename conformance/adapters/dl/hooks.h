/* Optional functions of a librdmacm-shaped object with a simulated kernel, besides those of
 * <rdma/rdma_cma.h>: virtual time, faults, and a list of objects in use. A C header.
 *
 *  1. An object has all of the functions below, or none: one that has cmcheck_start and lacks
 *     another is refused. The suite finds them with dlsym.
 *  2. A library with hooks is called from one thread of one process, for both sides and all their
 *     lanes; cmcheck_enter selects the caller of the following calls. Its world changes only within
 *     a call, cmcheck_step, cmcheck_advance, cmcheck_continue, cmcheck_fault and cmcheck_heal.
 *  3. No function may wait. A call that would block returns immediately, with any value, and
 *     cmcheck_blocked then returns 1. It stays pending on its lane: its arguments are kept, its
 *     output pointers stay valid, and cmcheck_continue polls whether it has returned. A function
 *     that does not return within 20 s of real time hangs, and the conversation is inconclusive.
 *  4. A channel's `fd` is a descriptor of the library's, on which O_NONBLOCK may be set with
 *     fcntl. It need not become readable: the suite calls cmcheck_readable instead.
 *  5. Each conversation has a process of its own, forked before the library is first called. A
 *     process that ends in a function has crashed, which is an outcome of the call.
 *  6. Times are nanoseconds of virtual time, at least 0, and never go back. Strings end with a zero
 *     byte; the library owns those that it returns, which are valid until the next call, and the
 *     suite those that it passes, which are valid until the function returns.
 *  7. Functions report errors by their value alone: errno has a meaning after the functions of
 *     librdmacm and after cmcheck_continue. source: man rdma_cm(7)
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

/* A `fault` line of a conversation. Fields that a kind does not have are 0, but as noted.
 * source: docs/environment.md */
struct cmcheck_fault_line {
  const char* kind;  /* "drop", "link-down", "exit", ...: the first word of the line */
  uint8_t side;      /* 0 active, 1 passive, and so on: index in the topology; of packet faults the
                        sender, 255 for any */
  uint32_t messages; /* of packet faults: bits 0 to 8 are REQ MRA REJ REP RTU DREQ DREP
                        SIDR_REQ SIDR_REP */
  uint32_t first;    /* of packet faults: the first matching message that is hit, from 1 */
  uint32_t last;     /* and the last, at least `first`; 0: all from `first` on. Of "link-flap": how
                        often the link goes down, at least 1 */
  int64_t by_ns;     /* of "delay"; of "link-flap": from each turn to the next */
  int64_t window_ns; /* end, from the installation; INT64_MAX: never */
  uint8_t to;        /* of packet faults: the receiver, 255 for any */
  uint8_t tail;      /* of a range of delays: 1 if most are short and a few very long, 0: uniform */
  int64_t at_most_ns; /* of "delay": the end of the range that begins at by_ns; 0: none */
  int64_t after_ns;   /* begin, from the installation */
};

/* What the library can simulate: words of a conversation's line `capabilities`, separated by
 * spaces, less than 256 bytes; "" for nothing. Always the same. Called in a process in which no
 * other function is called. An object with an unknown word is refused. Capabilities that the
 * profile lacks are ignored; `later-calls` follows from the functions and the profile.
 * source: docs/language.md */
const char* cmcheck_capabilities(void);

/* Creates the world of a conversation, at time 0; called once, before all others. The names are
 * those of `cmcheck list topologies` and `cmcheck list profiles`, or of a profile file. All random
 * choices must follow from `seed`, which is 0 for a conversation that was not drawn. Returns 0, or
 * -1 when the library cannot simulate these: the conversation is then unsupported. */
int cmcheck_start(const char* topology, const char* profile, uint64_t seed);

/* Selects the caller of the following calls: the index of its side in the topology, from 0, and its
 * lane (thread), from 1. Lanes need not be created. */
void cmcheck_enter(uint8_t side, uint8_t lane);

/* Virtual time in ns; 0 at the start. */
int64_t cmcheck_now(void);
/* Time of the next scheduled event, in ns, not before now; -1 when there is none. */
int64_t cmcheck_next(void);
/* Executes that event, and advances the time to it. Called only when there is one. */
void cmcheck_step(void);
/* Executes all events that are due until `until_ns`, in their order, and advances the time to it.
 * `until_ns` is not before now. */
void cmcheck_advance(int64_t until_ns);

/* 1 when the entered lane has a call that has not returned, else 0. Called after each call. */
int cmcheck_blocked(void);
/* Returns 0 while the pending call of the entered lane has not returned. Returns 1 when it has: its
 * outputs are written, `*value` is its return value (0 for void), and errno is set if that is
 * negative. Called only when a call is pending. */
int cmcheck_continue(int* value);
/* 1 when the channel, which exists, has an event, so that rdma_get_cm_event would not block; else
 * 0. */
int cmcheck_readable(struct rdma_event_channel* channel);

/* Injects a fault, from now on. Returns 0, or -1 when it is not supported: the line is then
 * recorded as failed. "exit" ends all pending calls of its side, which do not return. */
int cmcheck_fault(const struct cmcheck_fault_line* fault);
/* Ends all packet faults, and restores links and neighbours; devices that were removed stay away.
 * Returns 0, or -1 on failure: the line is then recorded as failed. */
int cmcheck_heal(void);

/* Objects in use that were not at the start, as text, of which 255 bytes are kept; "" for none. The
 * last function that is called. */
const char* cmcheck_leaks(void);

#ifdef __cplusplus
}
#endif

#endif /* CONFORMANCE_ADAPTERS_DL_HOOKS_H_ */
