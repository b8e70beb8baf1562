// Results of the library that must be released: address infos and lists of devices.
#include <algorithm>
#include <utility>
#include <vector>

#include "model/conversation/print.h"
#include "model/oracle/answers.h"
#include "model/oracle/lookups.h"
#include "model/oracle/oracle.h"

namespace cm::model {
// Devices that are certainly present, and those that may be.
std::pair<uint32_t, uint32_t> Oracle::DevicesOf(uint8_t side, const Window& window) const {
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

// The permitted result; devices of a list that the topology does not name are ignored.
std::vector<HandedOut> Oracle::HandedBy(const Call& call, uint8_t side, const Window& window,
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

Judgement Oracle::ObserveHeld(const Record& record, Lane lane, const Call& call,
                              const seen::Answered& answered) {
  const Window window = WindowOf(record);
  Judgement judgement{.saw = ToString(answered.reply)};
  if (answered.handed) judgement.saw += " " + ToString(*answered.handed, facts_.topology());
  std::vector<Guard> guards{Guard::kFine};
  if (const auto* get = std::get_if<call::GetAddrInfo>(&call)) {
    guards = {LookupGuard(*get)};
  } else if (std::holds_alternative<call::GetDevices>(call)) {
    const auto [certain, possible] = DevicesOf(lane.side, window);
    if (certain == 0) guards.push_back(Guard::kNoDeviceAtAll);
    if (possible == 0) guards = {Guard::kNoDeviceAtAll};
  }
  bool fits = answered.reply.kind == ReplyKind::kUnseen;
  for (const CallRule& rule : RowsOn(KindOf(call))) {
    if (std::ranges::none_of(guards, [&](Guard guard) { return rule.when.Has(guard); })) continue;
    Permit(&judgement.permitted, rule, Text(rule.outcome));
    if (!Fits(rule.outcome, answered.reply)) continue;
    fits = true;
    judgement.certain.set(NumberOf(&rule));
  }
  const bool hands = answered.reply.succeeded() && !ReturnsVoid(KindOf(call));
  if (fits && hands) {
    const std::vector<HandedOut> expected = HandedBy(call, lane.side, window, answered.handed);
    fits = answered.handed && std::ranges::find(expected, *answered.handed) != expected.end();
    if (!fits) judgement.permitted.clear();
    for (const HandedOut& one : expected)
      if (!fits)
        judgement.permitted.push_back(
            {.what = "0 " + ToString(one, facts_.topology()), .source = "what was asked for"});
  }
  if (!fits) judgement.verdict = Verdict::kRefused;
  return judgement;
}

}  // namespace cm::model
