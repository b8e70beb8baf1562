// A profile: permitted differences between implementations.
#ifndef MODEL_VOCABULARY_PROFILE_H_
#define MODEL_VOCABULARY_PROFILE_H_

#include <algorithm>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "model/base/duration.h"
#include "model/vocabulary/capability.h"

namespace cm {

// When a timer expires: exactly, or when the timer wheel of an idle Linux kernel reaches it.
enum class TimerClock : uint8_t { kExact, kWheel };

// Timers of the communication manager, as the exponents that the protocol carries.
// source: facts of linux 6.1 cm.c cm_convert_to_ms, cm_ack_timeout, cma.c CMA_IBOE_PACKET_LIFETIME
struct Timing {
  int packet_lifetime = 18;      // of a RoCE path; 16 from linux 6.12 on; of opensm's paths
  int ack_delay = 15;            // of the local device
  int response_timeout = 20;     // CMA_CM_RESPONSE_TIMEOUT
  int max_retries = 15;          // CMA_MAX_CM_RETRIES: one more transmission than this
  int mra_service_timeout = 24;  // CMA_CM_MRA_SETTING
  Duration prompt = Duration::Milliseconds(200);  // limit of reactions that wait for no long timer
  Duration quiet = Duration::Milliseconds(20);    // `settle` ends after this time without an event
  Duration mpa_reply = Duration::Seconds(10);     // timeout of an MPA reply
  Duration group_reply = Duration::Seconds(3);    // timeout of a join's SA query
  // A kernel timer may be late by this much of its nominal length, or by the granularity of the
  // timer wheel where that is more,
  int late_percent = 8;
  Duration late = Duration::Milliseconds(300);  // and by this much more
  TimerClock clock = TimerClock::kExact;        // of the simulator

  // 2^(t-8) ms, at least 1 ms; exponents have 5 bits, and a greater one counts as 31.
  static Duration Exponent(int t);
  // The lifetime of a message, as an exponent. source: linux 6.1 cm.c cm_ack_timeout
  static int AckTimeout(int ack_delay, int packet_lifetime);
  // The granularity of the wheel's level for timers of that length, with 250 jiffies a second.
  // source: linux 6.1 kernel/time/timer.c LVL_START, LVL_GRAN; observed 6.1-rxe
  static Duration Granularity(Duration nominal);
  Duration RequestInterval() const;  // between two REQ, or two DREQ of the active side
  Duration ReplyInterval() const;    // between two REP, or two DREQ of the passive side
  Duration AfterMra() const;         // between two transmissions after an MRA
  Duration Timewait() const;
  // The retry interval, and the number of transmissions, of an SA query with a timeout of
  // `patience`. source: linux 6.1 sa_query.c send_mad
  static Duration AskInterval(Duration patience);
  static int64_t AskTimes(Duration patience);
  static Duration AskPatience(Duration patience) {
    return AskInterval(patience) * AskTimes(patience);
  }
  // From the first transmission until the sender gives up.
  Duration GiveUp(Duration interval) const { return interval * (max_retries + 1); }
  // The latest end of so many timers of that length, one after the other: each may be late by a
  // step of the wheel.
  Duration LatestOf(Duration interval, int64_t times) const {
    const Duration all = interval * times;
    return all + std::max(all * late_percent / 100, Granularity(interval) * times) + late;
  }
  Duration LatestGiveUp(Duration interval) const { return LatestOf(interval, max_retries + 1); }
  // The latest moment of a timer whose nominal length is `nominal`.
  Duration Latest(Duration nominal) const { return LatestOf(nominal, 1); }
  // No call stays blocked longer than this unless nothing can ever answer it.
  Duration Longest() const {
    return std::max(
        Latest(RequestInterval() + AfterMra() * max_retries),
        RequestInterval() + Granularity(RequestInterval()) + LatestOf(AfterMra(), max_retries));
  }

  friend bool operator==(const Timing&, const Timing&) = default;
};

// Limits of arguments.
struct Limits {
  uint8_t request_data = 56;  // private data of rdma_connect over IP: 92 minus the CMA header
  uint8_t reply_data = 196;   // of rdma_accept
  uint8_t reject_data = 148;  // of rdma_reject
  uint8_t datagram_request_data = 180;  // of rdma_connect for datagrams: 216 minus that header
  uint8_t datagram_reply_data = 136;    // of rdma_accept and rdma_reject for datagrams
  uint8_t max_depth = 128;              // responder resources and initiator depth of the device
  uint8_t max_retry_count = 7;
  uint32_t max_backlog = 1024;
  // Maximum outstanding REQ, DREQ and SIDR_REQ of a port; 0: no limit. source: linux 7.2 mad.c
  // get_sol_fc_max_outstanding
  uint32_t max_outstanding = 0;
  // Messages of a device that are under way or wait for an answer; one more is refused. 0: no
  // limit. source: linux 5.10 rxe_param.h RXE_MAX_AH
  uint32_t max_address_handles = 0;
  friend bool operator==(const Limits&, const Limits&) = default;
};

// The transport of connections: InfiniBand's protocol in RoCE packets, TCP and MPA, or InfiniBand's
// protocol over its own links.
enum class Transport : uint8_t { kRoce, kIwarp, kInfiniband };

// Choices between permitted behaviours.
struct Dialect {
  // A message sent over a link that is down: fails immediately; else is kept and silently never
  // sent; else is lost, and retransmitted. source: observed 6.1-rxe, 6.12-rxe, 7.2-rxe
  // 73-link_down_when_resolving
  bool link_down_fails_sends = true;
  bool link_down_keeps_sends = false;
  // After a message that was sent over a link that was down the device gets nothing out any more,
  // and hears nothing, not even of itself: its queue pair 1 is in error.
  // source: observed lab 6.12-rxe and 7.2-rxe, seeds 61 and 3002, linux 6.12 rxe_req.c
  // rxe_requester
  bool link_down_mutes = false;
  // A message longer than its receive completes as the manual says; else as on Soft-RoCE, with an
  // operation error at both ends. source: man ibv_poll_cq(3); observed lab 6.1-rxe data, seed 1
  bool long_messages_as_manual = false;
  // Accepting a datagram request on a synchronous id acknowledges it; else it is kept, and
  // destroying the listener waits for the id. source: rdma-core 56 and 44 cma.c rdma_accept
  bool accept_releases_datagram_request = false;
  // A failing queue pair with a shared receive queue reports QP_LAST_WQE_REACHED; else it does not.
  // source: linux 6.12 rxe_resp.c flush_recv_queue; linux 6.1 has none
  bool last_receive_is_told = false;
  // A neighbour with another hardware address is reported to the ids whose route leads to it; else
  // no event is. source: linux 6.1 cma.c cma_netevent_callback; linux 5.10 has none
  bool neighbour_changes_are_told = true;
  // A refused rdma_resolve_addr takes the kernel's destination away; else it changes nothing, or
  // leaves its own. source: linux 5.10 and 6.1 cma.c resolve_prepare_src
  bool refused_resolve_clears_destination = false;
  // rdma_resolve_route accepts a timeout of 0. source: linux 5.10 cma.c rdma_resolve_route
  bool route_timeout_may_be_zero = false;
  // A path that migrates to an alternate one, where there is none, ends the kernel with the next
  // message: it is not drawn. Else the id sends no more. source: linux 5.10 and 6.1 cm.c
  // cm_migrate, cm_alloc_msg
  bool unknown_path_is_fatal = false;
  // A REP that an MRA has delayed stays outstanding after a DREQ; else the DREQ cancels it.
  // source: linux 5.10 and 6.1 cm.c cm_dreq_handler
  bool delayed_reply_outlives_dreq = false;
  // rdma_get_request sets errno to the status of the event as it is; else to ECONNREFUSED for a
  // rejection, and to the status without its sign. source: rdma-core 33 and 44 cma.c
  // rdma_get_request
  bool get_request_sets_status = false;
  // A send that is posted to a queue pair in ERR is flushed; else it never completes.
  // source: linux 6.1 and 5.10 rxe_req.c rxe_requester
  bool late_sends_are_flushed = true;
  // A queue pair of Soft-RoCE refuses a post with a negative errno. source: rdma-core 33 rxe.c
  // rxe_post_one_recv, validate_send_wr
  bool refused_posts_are_negative = false;
  friend bool operator==(const Dialect&, const Dialect&) = default;
};

// Behaviour known to be wrong: run anyway, expected to fail.
struct Deviation {
  std::string id;      // of the claim: "TW-4", "ROWS-1"
  std::string reason;  // never empty
  std::string cause;   // of the findings that are expected, as reports name it; empty: any
  friend bool operator==(const Deviation&, const Deviation&) = default;
};

struct Profile {
  std::string name;
  std::string sentence;
  Transport transport = Transport::kRoce;
  Timing timing;
  Limits limits;
  Dialect dialect;
  Capabilities capabilities;  // of its usual environment
  std::vector<Deviation> deviations;
  friend bool operator==(const Profile&, const Profile&) = default;
};

// 6.1-rxe, 6.12-rxe, 7.2-rxe, 5.10-rxe, 6.1-siw, 6.1-ib, strict.
std::span<const Profile> Profiles();
const Profile* FindProfile(std::string_view name);

}  // namespace cm

#endif  // MODEL_VOCABULARY_PROFILE_H_
