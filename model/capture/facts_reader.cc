#include "model/capture/facts_reader.h"

#include <fmt/format.h>

#include <cstdint>
#include <map>
#include <string>
#include <tuple>
#include <variant>
#include <vector>

#include "model/mad/text.h"

namespace cm::wire {
namespace {

// The longest period of a retransmission timer in the captures, without an MRA and with one: 6.144
// s and 67.584 s, late by at most the granularity of the kernel's timer wheel. source: observed
// 6.1-rxe
constexpr int64_t kLatest = 7'000'000'000;
constexpr int64_t kLatestAfterMra = 75'000'000'000;
// 6.144 s between two messages of the active side, 4.096 s between two of the passive one.
constexpr int64_t kEarliestActive = 6'000'000'000;
constexpr int64_t kEarliestPassive = 4'000'000'000;
constexpr uint64_t kTransmissions = 16;

// A message with its sender and receiver. Ids identify connections: in each of these captures no id
// is reused.
struct Line {
  int64_t at = 0;
  MadKind what;
  uint32_t local = 0;
  uint32_t remote = 0;
  const mad::Mad* mad = nullptr;
};

class Reader {
 public:
  std::string Read(const Line& line) {
    std::string why = Why(line);
    ++said_[{line.what, line.local, line.remote}];
    last_[{line.what, line.local, line.remote}] = line.at;
    return why;
  }

 private:
  uint64_t Said(MadKind what, uint32_t local, uint32_t remote) const {
    const auto found = said_.find({what, local, remote});
    return found == said_.end() ? 0 : found->second;
  }

  std::string Why(const Line& line) {
    if (std::string why = Repeats(line); !why.empty()) return why;
    if (line.local != 0 && line.what != MadKind::kDrep &&
        Said(MadKind::kRej, line.local, line.remote) > 0)
      return "who has rejected is idle (L6 to L8)";
    switch (line.what) {
      case MadKind::kReq:
      case MadKind::kSidrReq:
        return "";
      case MadKind::kSidrRep:
        return Said(MadKind::kSidrReq, line.remote, 0) > answered_[line.remote]++
                   ? ""
                   : "a SIDR_REP answers a SIDR_REQ (R36 to R38, L15)";
      case MadKind::kRep:
        return FromPassive(line);
      case MadKind::kMra:
        // N2b: one MRA for each REQ that arrives again, after the one that created the id.
        if (std::string why = FromPassive(line); !why.empty()) return why;
        if (Said(MadKind::kRep, line.local, line.remote) > 0)
          return "who has said REP drops a repeated REQ (N2d)";
        return ++answered_[line.remote] <= Said(MadKind::kReq, line.remote, 0)
                   ? ""
                   : "an MRA answers a repeated REQ (N2)";
      case MadKind::kRej:
        return Rejects(line);
      case MadKind::kRtu:
        if (Said(MadKind::kDreq, line.local, line.remote) > 0)
          return "who has said DREQ answers no REP (R29)";
        return Said(MadKind::kRtu, line.local, line.remote) <
                       Said(MadKind::kRep, line.remote, line.local)
                   ? ""
                   : "an RTU answers a REP (L3, R15)";
      case MadKind::kDreq:
        return Disconnects(line);
      case MadKind::kDrep:
        // R29: an active side that has sent no RTU does not accept a DREQ; without a REJ it exists.
        if (Said(MadKind::kRep, line.remote, line.local) > 0 &&
            Said(MadKind::kRtu, line.local, line.remote) == 0)
          return "it has said no RTU (R29, L3)";
        return Said(MadKind::kDrep, line.local, line.remote) <
                       Said(MadKind::kDreq, line.remote, line.local)
                   ? ""
                   : "a DREP answers a DREQ (L11, R24, R26)";
      case MadKind::kLap:
      case MadKind::kApr:
      case MadKind::kOther:
      case MadKind::kMpaRequest:
      case MadKind::kMpaReply:
      case MadKind::kMpaReject:
      case MadKind::kFin:
        break;
    }
    return "";
  }

  // M1, M3, M5 and section 3.4: neither early nor late.
  std::string Repeats(const Line& line) {
    if (line.what != MadKind::kReq && line.what != MadKind::kRep && line.what != MadKind::kDreq)
      return "";
    const auto last = last_.find({line.what, line.local, line.remote});
    if (line.what != MadKind::kReq && Said(line.what, line.local, line.remote) == 0) return "";
    if (last == last_.end()) return "";
    const int64_t gap = line.at - last->second;
    const bool active = Said(MadKind::kReq, line.local, 0) > 0;
    if (gap < (active ? kEarliestActive : kEarliestPassive))
      return "a message is not repeated so soon (M1, M3, M5)";
    if (gap > (receipts_ > 0 ? kLatestAfterMra : kLatest))
      return "a message is repeated sooner (3.4)";
    return "";
  }

  // 1.3: REQs create the ids of the passive side; a REQ is accepted as new only when the earlier id
  // is over (N2), which it is when it has sent its REP 16 times (M4).
  std::string FromPassive(const Line& line) {
    if (line.what == MadKind::kMra) ++receipts_;
    if (Said(MadKind::kReq, line.remote, 0) == 0) return "no REQ was sent (1.3)";
    std::vector<uint32_t>& ids = passive_[line.remote];
    for (const uint32_t id : ids)
      if (id == line.local) return "";
    const bool over = ids.empty() || Said(MadKind::kRep, ids.back(), line.remote) == kTransmissions;
    ids.push_back(line.local);
    if (!over) return "the id before it lives (N2, M4)";
    return ++answered_[line.remote] <= Said(MadKind::kReq, line.remote, 0)
               ? ""
               : "no REQ is left that it came of (1.3)";
  }

  std::string Rejects(const Line& line) {
    const auto* rej = std::get_if<mad::Rej>(&line.mad->message);
    if (line.local != 0) return FromPassive(line);
    if (++answered_[line.remote] > Said(MadKind::kReq, line.remote, 0))
      return "no REQ was sent (1.3)";
    if (rej->reason == RejReason::kStaleConn && passive_.empty())
      return "no other connection has the queue pair (N3)";
    return "";
  }

  // L10: only from ESTABLISHED. The active side is in it when it has sent an RTU (L3); the passive
  // one when it has received it or COMM_EST was reported (R9, L12), for which it must have sent a
  // REP.
  std::string Disconnects(const Line& line) {
    const bool active = Said(MadKind::kRep, line.remote, line.local) > 0;
    if (active)
      return Said(MadKind::kRtu, line.local, line.remote) > 0 ? "" : "it has said no RTU (L10, L3)";
    return Said(MadKind::kRep, line.local, line.remote) > 0 ? ""
                                                            : "there was no REP (L10, R9, L12)";
  }

  std::map<std::tuple<MadKind, uint32_t, uint32_t>, uint64_t> said_;
  std::map<std::tuple<MadKind, uint32_t, uint32_t>, int64_t> last_;
  std::map<uint32_t, std::vector<uint32_t>> passive_;  // ids, by active id
  std::map<uint32_t, uint64_t> answered_;              // REQs answered
  uint64_t receipts_ = 0;
};

}  // namespace

std::string WhyImpossible(const Capture& capture) {
  Reader reader;
  for (size_t i = 0; i < capture.frames.size(); ++i) {
    const Captured& captured = capture.frames[i];
    const Cids cids = CidsOf(captured.frame.mad.message);
    const std::string why = reader.Read({captured.nanoseconds, captured.frame.mad.header.kind(),
                                         cids.local, cids.remote, &captured.frame.mad});
    if (!why.empty()) return fmt::format("frame {}: {}", i + 1, why);
  }
  return "";
}

}  // namespace cm::wire
