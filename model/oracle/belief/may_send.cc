#include "model/oracle/belief/may_send.h"

#include <algorithm>

namespace cm::model {
namespace {

// linux 6.1 cma.c CMA_MAX_CM_RETRIES
constexpr int64_t kRepetitions = 15;

constexpr MadKinds kRequests = MadKinds(MadKind::kReq) | MadKinds(MadKind::kSidrReq);

uint32_t Copies(const MaySend& may, int64_t until) {
  if (may.when.earliest > until) return 0;
  const int64_t first = may.first ? 1 : 0;
  if (may.interval == 0) return static_cast<uint32_t>(first);
  const int64_t span = std::max<int64_t>(0, std::min(until, may.until) - may.when.earliest);
  return static_cast<uint32_t>(first + std::min(kRepetitions, span / may.interval));
}

}  // namespace

bool MaySends::NoteGroup(uint32_t first_line) {
  if (group_ == first_line) return false;
  group_ = first_line;
  return true;
}

bool MaySends::NoteSent(IdRef id, MadKind kind, int64_t at, int64_t begin) {
  std::erase_if(sent_, [begin](const Sent& one) { return one.at < begin; });
  const auto is_it = [&](const Sent& one) { return one.id == id && one.kind == kind; };
  if (std::ranges::any_of(sent_, is_it)) return false;
  sent_.push_back({.id = id, .kind = kind, .at = at});
  return true;
}

void MaySends::End(IdRef id, int64_t now) {
  // What it hears of may be an attempt before.
  const auto attempts = std::ranges::count_if(all_, [&](const MaySend& may) {
    return may.attempt == id && may.first && may.kinds.Meets(kRequests);
  });
  if (attempts > 1) return;
  for (MaySend& may : all_) {
    if (may.attempt != id) continue;
    may.until = std::min(may.until, now);
    // Each of several requests for a service may still be answered; a single one has been.
    const bool several =
        may.kinds == MadKinds(MadKind::kSidrRep) && now - may.when.earliest >= may.interval;
    if (!several) may.when.latest = std::min(may.when.latest, now);
  }
}

bool MaySends::MayBeRejected(IdRef id) const {
  return std::ranges::any_of(all_, [&](const MaySend& may) {
    return may.attempt == id && may.until == kStill && may.kinds == MadKinds(MadKind::kRej);
  });
}

void MaySends::TakeBack(IdRef id, int64_t then) {
  std::erase_if(all_, [&](const MaySend& may) {
    return may.attempt == id && may.when.earliest == then &&
           (may.kinds == MadKinds(MadKind::kDreq) || may.kinds == MadKinds(MadKind::kDrep));
  });
}

// source: linux 6.1 cm.c cm_dup_req_handler, cm_dup_rep_handler, cm_dreq_handler,
// cm_sidr_req_handler
void MaySends::LoseAnswersTo(MadKinds kinds) {
  constexpr MadKinds kRefused = MadKinds(MadKind::kMra) | MadKinds(MadKind::kRej);
  if (kinds.Has(MadKind::kReq)) Lose(kRefused);
  if (kinds.Has(MadKind::kRep)) Lose(kRefused | MadKinds(MadKind::kRtu));
  if (kinds.Has(MadKind::kDreq)) Lose(MadKinds(MadKind::kDrep));
  if (kinds.Has(MadKind::kSidrReq)) Lose(MadKinds(MadKind::kSidrRep));
}

// Messages of a kind of which none is noted are sent by testers alone, of which nothing is known.
uint32_t MaySends::Most(MadKinds kinds, uint8_t device, int64_t from, int64_t until) const {
  if (lost_.Meets(kinds)) return 0;
  uint32_t most = 0;
  for (const MaySend& may : all_) {
    if (device != kNoDevice && may.from != kNoDevice && may.from != device) continue;
    const int64_t last = may.interval == 0 ? may.when.latest : std::max(may.when.latest, may.until);
    if (last >= from && may.kinds.Meets(kinds)) most += Copies(may, until);
  }
  return most;
}

}  // namespace cm::model
