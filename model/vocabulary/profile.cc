#include "model/vocabulary/profile.h"

#include <algorithm>

#include "model/vocabulary/fault.h"

namespace cm {
namespace {

// Calls that crash the real library, calls that only later libraries have, and a subnet with an
// administrator are for the profiles and adapters that say so.
constexpr Capabilities kUsual = AllCapabilities().Without(Capabilities{
    Capability::kCrashes, Capability::kMisuse, Capability::kLaterCalls, Capability::kSilenceSm});

// Links and neighbours that come and go.
constexpr Capabilities kLinks{Capability::kLink, Capability::kFlap};
constexpr Capabilities kNeighbours{Capability::kNeighbour, Capability::kDuplicateAddress};

// TCP hides what becomes of single packets, and its behaviour over links and to hosts that come and
// go is unobserved. Work that is posted is followed over RoCE alone.
Capabilities WithoutPackets() {
  return kUsual.Without(NeedsOfPacketFaults())
      .Without(kLinks)
      .Without(kNeighbours)
      .Without(Capabilities{Capability::kTester, Capability::kData, Capability::kFailOver,
                            Capability::kHostCrash});
}

std::vector<Profile> MakeProfiles() {
  Profile linux61{.name = "6.1-rxe",
                  .sentence = "librdmacm 44 on Linux 6.1 over Soft-RoCE: the reference.",
                  .capabilities = kUsual};
  Profile linux510 = linux61;
  linux510.name = "5.10-rxe";
  linux510.sentence = "librdmacm 33 on Linux 5.10 over Soft-RoCE.";
  linux510.dialect = {.neighbour_changes_are_told = false,
                      .refused_resolve_clears_destination = true,
                      .route_timeout_may_be_zero = true,
                      .unknown_path_is_fatal = true,
                      .delayed_reply_outlives_dreq = true,
                      .get_request_sets_status = true,
                      .late_sends_are_flushed = false,
                      .refused_posts_are_negative = true};
  linux510.limits.max_address_handles = 100;
  // The first message over a link that is down fails as on 6.1. Later ones are kept until another
  // follows them on a link that is up, and until then no process can end that has sent one.
  // source: linux 5.10 rxe_req.c rxe_requester
  linux510.capabilities = kUsual.Without(kLinks);
  Profile linux612 = linux61;
  linux612.name = "6.12-rxe";
  linux612.sentence = "librdmacm 56 on Linux 6.12 over Soft-RoCE.";
  linux612.timing.packet_lifetime = 16;
  linux612.dialect = {.link_down_fails_sends = false,
                      .link_down_keeps_sends = true,
                      .link_down_mutes = true,
                      .accept_releases_datagram_request = true,
                      .last_receive_is_told = true};
  Profile linux72 = linux612;
  linux72.name = "7.2-rxe";
  linux72.sentence = "librdmacm 65 on Linux 7.2 over Soft-RoCE.";
  linux72.dialect.link_down_keeps_sends = false;
  linux72.limits.max_outstanding = 128;
  linux72.capabilities = linux72.capabilities.With(Capability::kLaterCalls);
  // A frame has room for more, but one byte counts its private data and 4 bytes before it.
  Profile siw = linux61;
  siw.name = "6.1-siw";
  siw.sentence = "librdmacm 44 on Linux 6.1 over Soft-iWARP.";
  siw.transport = Transport::kIwarp;
  siw.limits.request_data = siw.limits.reply_data = siw.limits.reject_data = 251;
  siw.capabilities = WithoutPackets();
  // There is no observation of flapping links and changing neighbours.
  Profile ib = linux61;
  ib.name = "6.1-ib";
  ib.sentence = "librdmacm 44 on Linux 6.1 over InfiniBand, as the sources say.";
  ib.transport = Transport::kInfiniband;
  ib.dialect.long_messages_as_manual = true;  // as adapters do
  ib.dialect.last_receive_is_told = true;
  ib.capabilities = kUsual.Without(kLinks).Without(kNeighbours).With(Capability::kSilenceSm);
  Profile strict = linux61;
  strict.name = "strict";
  strict.sentence = "As 6.1-rxe, and takes no deviations.";
  return {linux61, linux612, linux72, linux510, siw, ib, strict};
}

const std::vector<Profile>& MadeProfiles() {
  static const std::vector<Profile> all = MakeProfiles();
  return all;
}

}  // namespace

Duration Timing::Exponent(int t) {
  return Duration::Milliseconds(int64_t{1} << (std::clamp(t, 8, 31) - 8));
}

int Timing::AckTimeout(int ack_delay, int packet_lifetime) {
  const int there = packet_lifetime + 1;
  const int sum = there >= ack_delay ? there + (ack_delay >= there - 1 ? 1 : 0)
                                     : ack_delay + (there >= ack_delay - 1 ? 1 : 0);
  return std::min(31, sum);
}

// A level has timers of less than 63 times its granularity; the next one is eight times as coarse.
Duration Timing::Granularity(Duration nominal) {
  constexpr Duration kJiffy = Duration::Milliseconds(4);
  constexpr int kLastLevel = 8;
  Duration granularity = kJiffy;
  for (int level = 0; level < kLastLevel && nominal > granularity * 63 - kJiffy; ++level)
    granularity = granularity * 8;
  return granularity;
}

// Ten retries; with a shorter timeout, one each millisecond.
Duration Timing::AskInterval(Duration patience) {
  return std::max(Duration::Milliseconds(1),
                  Duration::Milliseconds(patience.nanoseconds() / 10'000'000));
}

int64_t Timing::AskTimes(Duration patience) {
  return 1 + std::min<int64_t>(10, patience.nanoseconds() / 1'000'000);
}

Duration Timing::RequestInterval() const {
  return Exponent(packet_lifetime) * 2 + Exponent(response_timeout);
}

Duration Timing::ReplyInterval() const { return Exponent(response_timeout); }

Duration Timing::AfterMra() const {
  return Exponent(mra_service_timeout) + Exponent(packet_lifetime + 1);
}

Duration Timing::Timewait() const { return Exponent(AckTimeout(ack_delay, packet_lifetime)); }

std::span<const Profile> Profiles() { return MadeProfiles(); }

const Profile* FindProfile(std::string_view name) {
  for (const Profile& profile : MadeProfiles())
    if (profile.name == name) return &profile;
  return nullptr;
}

}  // namespace cm
