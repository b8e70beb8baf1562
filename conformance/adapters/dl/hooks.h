/* What a librdmacm-shaped object may offer besides the functions of <rdma/rdma_cma.h> when what is
 * under it is simulated: virtual time, faults, and an account of what is in use. A C header.
 *
 *  1. All of the functions below are there, or none. The suite finds them with dlsym.
 *  2. A library with hooks is called from one thread of one process, for both sides and all their
 *     lanes; cmcheck_enter says who makes the calls that follow. Nothing happens in it but within
 *     a call, cmcheck_step, cmcheck_advance, cmcheck_fault and cmcheck_heal.
 *  3. No call may wait. One that would block returns at once, with any value, and cmcheck_blocked
 *     then says 1. It stays pending on its lane: its arguments are kept, the places that its
 *     pointers point to stay valid, and cmcheck_continue asks whether it has returned.
 *  4. A channel's `fd` is a descriptor of the library's, on which O_NONBLOCK may be set with
 *     fcntl. It need not become readable: cmcheck_readable is asked instead.
 *  5. Each conversation has a process of its own, forked before the library is first called.
 *
 * sample/ is an example of all this.
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
  const char* kind;  /* "drop", "link-down", "exit", ...: docs of the conversation format */
  uint8_t side;      /* 0 active, 1 passive; of packet faults: who sends */
  uint32_t messages; /* of packet faults: bits 0 to 8 are REQ MRA REJ REP RTU DREQ DREP
                        SIDR_REQ SIDR_REP */
  uint32_t first;    /* the first matching occurrence that is hit, from 1 */
  uint32_t last;     /* and the last; 0: all from `first` on */
  int64_t by_ns;     /* of "delay"; of "link-flap": from each turn to the next */
  int64_t window_ns; /* how long after its installation it acts; INT64_MAX: for ever */
  /* 255 as `side` or `to` of a packet fault: whoever it is. */
  uint8_t to;         /* of packet faults: who is sent to */
  uint8_t tail;       /* 1: of a range most delays are short, and a few are very long */
  int64_t at_most_ns; /* of "delay": the end of the range that begins at by_ns; 0: none */
  int64_t after_ns;   /* how long after its installation it begins to act */
};

/* What can be done here: words as in a conversation's line `capabilities`, "" for nothing. Asked
 * in a process in which nothing else is called; the same every time. What the profile
 * lacks does not count; of `later-calls` the functions and the profile tell. */
const char* cmcheck_capabilities(void);

/* Comes first. The names are those of `cmcheck list topologies` and `cmcheck list profiles`; all
 * coins are drawn from `seed`. 0, or -1 when the library cannot stand in for this. */
int cmcheck_start(const char* topology, const char* profile, uint64_t seed);

/* Whose calls follow: index of the side, and number of its lane (thread), from 1. */
void cmcheck_enter(uint8_t side, uint8_t lane);

/* Virtual time in ns; 0 at the start. */
int64_t cmcheck_now(void);
/* When the next thing happens by itself; -1 when nothing will. */
int64_t cmcheck_next(void);
/* Lets that one thing happen; time moves there. */
void cmcheck_step(void);
/* Lets everything happen that is due until then; time moves to `until_ns`. */
void cmcheck_advance(int64_t until_ns);

/* 1 when the entered lane has a call that has not returned. */
int cmcheck_blocked(void);
/* 0 when the call of the entered lane still has not returned. 1 when it has: its products are
 * written, `*value` is what it returns (0 for void), and errno is set if that is negative. */
int cmcheck_continue(int* value);
/* 1 when rdma_get_cm_event would find the channel's descriptor readable. */
int cmcheck_readable(struct rdma_event_channel* channel);

/* 0, or -1 when it cannot be done. */
int cmcheck_fault(const struct cmcheck_fault_line* fault);
/* All packet faults end, links and neighbours are as they were. */
int cmcheck_heal(void);

/* What is in use now and was not at the start, in words; "" for nothing. */
const char* cmcheck_leaks(void);

#ifdef __cplusplus
}
#endif

#endif /* CONFORMANCE_ADAPTERS_DL_HOOKS_H_ */
