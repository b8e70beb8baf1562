#include "model/cm_id/rules.h"

#include "model/cm_id/proofs.h"

namespace cm::model {

static_assert(EveryCallIsAnswered(rules::kCalls));
static_assert(EveryGuardIsLookedAt(rules::kCalls));

namespace {

constexpr std::array<std::string_view, kBelowCount> kBelowNames = {
    "address found",     "address times out", "address without device", "address of another link",
    "route found",       "device goes",       "kernel id closed",       "address changes",
    "neighbour changes", "group joined",      "group without GID",      "route times out",
    "route refused",     "group times out"};

}  // namespace

std::string_view ToString(Below below) { return kBelowNames[static_cast<size_t>(below)]; }

}  // namespace cm::model
