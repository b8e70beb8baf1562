#include "model/oracle/belief/may_send.h"

#include <algorithm>

namespace cm::model {
namespace {

// linux 6.1 cma.c CMA_MAX_CM_RETRIES
constexpr int64_t kRepetitions = 15;

// Messages of other kinds are sent by calls and kernels of which nothing is noted here.
bool OfConnections(MadKinds kinds) {
  return std::ranges::all_of(
      kMads, [&](MadKind kind) { return !kinds.Has(kind) || IsOfConnection(kind); });
}

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

void MaySends::End(IdRef id, int64_t now) {
  // What it hears of may be an attempt before.
  const auto attempts = std::ranges::count_if(all_, [&](const MaySend& may) {
    return may.attempt == id && may.first && may.kinds.Meets(MadKinds(MadKind::kReq));
  });
  if (attempts > 1) return;
  for (MaySend& may : all_) {
    if (may.attempt != id) continue;
    may.until = std::min(may.until, now);
    may.when.latest = std::min(may.when.latest, now);
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

// source: linux 6.1 cm.c cm_dup_req_handler, cm_dup_rep_handler, cm_dreq_handler
void MaySends::LoseAnswersTo(MadKinds kinds) {
  constexpr MadKinds kRefused = MadKinds(MadKind::kMra) | MadKinds(MadKind::kRej);
  if (kinds.Has(MadKind::kReq)) Lose(kRefused);
  if (kinds.Has(MadKind::kRep)) Lose(kRefused | MadKinds(MadKind::kRtu));
  if (kinds.Has(MadKind::kDreq)) Lose(MadKinds(MadKind::kDrep));
}

uint32_t MaySends::Most(MadKinds kinds, int64_t from, int64_t until) const {
  if (lost_.Meets(kinds) || !OfConnections(kinds)) return 0;
  uint32_t most = 0;
  for (const MaySend& may : all_) {
    const int64_t last = may.interval == 0 ? may.when.latest : std::max(may.when.latest, may.until);
    if (last >= from && may.kinds.Meets(kinds)) most += Copies(may, until);
  }
  return most;
}

}  // namespace cm::model
