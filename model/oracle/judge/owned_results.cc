#include "model/oracle/judge/owned_results.h"

#include <algorithm>

#include "model/conversation/print.h"
#include "model/oracle/judge/answers.h"
#include "model/oracle/machine/lookups.h"

namespace cm::model {

// Devices that are certainly present, and those that may be.
std::pair<uint32_t, uint32_t> OwnedResults::DevicesOf(uint8_t side, const Window& window) const {
  const Topology& topology = facts_.topology();
  uint32_t certain = 0;
  uint32_t possible = 0;
  for (uint8_t device = 0; device < topology.devices.size(); ++device) {
    if (facts_.KernelOf(device) != topology.KernelOf(side)) continue;
    const Certainty registered = fault_model_.Registered(device, window);
    const uint32_t bit = 1U << topology.FirstPortOf(device);
    if (registered == Certainty::kYes) certain |= bit;
    if (registered != Certainty::kNo) possible |= bit;
  }
  return {certain, possible};
}

// Devices of a list that the topology does not name are ignored.
std::vector<HandedOut> OwnedResults::OutputsOf(const Call& call, uint8_t side, const Window& window,
                                               const std::optional<HandedOut>& seen) const {
  if (const auto* get = std::get_if<call::GetAddrInfo>(&call)) return LookedUp(*get);
  const auto [certain, possible] = DevicesOf(side, window);
  const auto* devices = seen ? std::get_if<DevicesHanded>(&*seen) : nullptr;
  if (devices != nullptr) {
    const bool fits = (devices->known & certain) == certain && (devices->known & ~possible) == 0;
    if (devices->known == 0 ? devices->unknown > 0 : fits) return {*seen};
  }
  return {DevicesHanded{.known = possible}};
}

Verdict OwnedResults::Called(const Record& record, Lane lane, const Call& call,
                             const seen::Answered& answered) const {
  const Window window = WindowOf(record);
  Verdict verdict{.saw = ToString(answered.reply)};
  if (answered.handed) verdict.saw += " " + ToString(*answered.handed, facts_.topology());
  std::vector<Guard> guards{Guard::kFine};
  if (const auto* get = std::get_if<call::GetAddrInfo>(&call)) {
    guards = {LookupGuard(*get)};
  } else if (std::holds_alternative<call::GetDevices>(call)) {
    const auto [certain, possible] = DevicesOf(lane.side, window);
    if (certain == 0) guards.push_back(Guard::kNoDeviceAtAll);
    if (possible == 0) guards = {Guard::kNoDeviceAtAll};
  }
  const bool fits =
      JudgeReply(RowsOn(KindOf(call)), answered.reply, &verdict, [&](const CallRule& rule) {
        return std::ranges::any_of(guards, [&](Guard guard) { return rule.when.Has(guard); });
      });
  if (!fits || !answered.reply.succeeded() || ReturnsVoid(KindOf(call))) return verdict;
  const std::vector<HandedOut> expected = OutputsOf(call, lane.side, window, answered.handed);
  if (answered.handed && std::ranges::find(expected, *answered.handed) != expected.end())
    return verdict;
  verdict.kind = VerdictKind::kRefused;
  verdict.permitted.clear();
  for (const HandedOut& one : expected)
    verdict.permitted.push_back(
        {.what = "0 " + ToString(one, facts_.topology()), .source = "what was asked for"});
  return verdict;
}

}  // namespace cm::model
