#include "model/oracle/judge/results.h"

#include <algorithm>

#include "model/conversation/print.h"
#include "model/oracle/judge/answers.h"
#include "model/oracle/judge/data_path.h"
#include "model/oracle/machine/lookups.h"

namespace cm::model {
namespace {

std::optional<QpState> StateOf(QpPhase phase) {
  switch (phase) {
    case QpPhase::kInit:
      return QpState::kInit;
    case QpPhase::kRtr:
      return QpState::kRtr;
    case QpPhase::kRts:
      return QpState::kRts;
    case QpPhase::kErr:
      return QpState::kErr;
    case QpPhase::kNone:
    case QpPhase::kSame:
      break;
  }
  return std::nullopt;
}

bool SameAddress(const Address& expected, const Address& seen) {
  if (!expected.SameHost(seen)) return false;
  return SamePort(expected.port, seen.port);
}

bool Same(const Shown& expected, Shown seen) {
  if (SameAddress(expected.source, seen.source)) seen.source = expected.source;
  if (SameAddress(expected.destination, seen.destination)) seen.destination = expected.destination;
  return seen == expected;
}

}  // namespace

Shown Inspections::ExpectedOf(const IdState& id) const {
  Shown expected = facts_.id(id.name).shown;
  if (expected.device_known) {
    expected.device = facts_.CaOf(id.device);
    expected.port_num = id.device == kNoDevice ? 0 : facts_.topology().devices[id.device].port;
  }
  expected.qp = StateOf(id.qp);
  // Soft-iWARP says that of every queue pair. source: linux 6.1 siw_verbs.c siw_query_qp
  if (machine_.over_iwarp() && expected.qp) expected.qp = QpState::kReset;
  return expected;
}

Verdict Inspections::Show(const Record& record, IdRef id, const Shown& shown) {
  Verdict verdict{.saw = ToString(shown, facts_.topology())};
  if (!search_.Close(id, WindowOf(record), &verdict)) return verdict;
  const bool may_have_failed = facts_.work.MayHaveFailed(id, EndsOf(id, facts_, components_));
  search_.Keep(id, &verdict, [&](Possibility& p, uint8_t at, JudgedStep& judged) {
    Shown expected = ExpectedOf(p.ids[at]);
    judged.Permit(ToString(expected, facts_.topology()), "rdma-core 44 cma.c ucma_query_addr");
    const bool failed =
        expected.qp == QpState::kRts && shown.qp == QpState::kErr && may_have_failed;
    if (failed) expected.qp = QpState::kErr;
    if (!Same(expected, shown)) return;
    if (failed) p.ids[at].qp = QpPhase::kErr;
    judged.Add(std::move(p));
  });
  return verdict;
}

std::optional<CmEvent> Inspections::RetainedBy(const IdState& id) const {
  if (!id.retained) return std::nullopt;
  const Pending& retained = *id.retained;
  CmEvent event{.type = retained.type, .status = retained.status};
  if (context_.partial_events) return event;
  const IdRef listener = facts_.id(id.name).holds;
  event.id = id.name;
  if (retained.type == EventType::kConnectRequest) {
    event.listen_id = listener;
    // A listener that has kept one: the new id was not returned.
    if (!listener.valid()) {
      event.id = {};
      event.listen_id = id.name;
    }
  }
  delivery_.Fill(&event, event.listen_id.valid() ? event.listen_id : id.name, retained.type,
                 retained.payload);
  return event;
}

bool Inspections::MayBe(const CmEvent& seen, const IdState& id, CmEvent expected) const {
  const Pending& retained = *id.retained;
  const bool may_have =
      context_.partial_events ||
      delivery_.MayHaveNumber(seen.qp_num, id.name, retained.type, retained.payload);
  if (may_have) expected.qp_num = seen.qp_num;
  return may_have && expected == seen;
}

Verdict Inspections::ShowEvent(const Record& record, IdRef id, const seen::Answered& answered) {
  const auto text = [&](const std::optional<CmEvent>& event) {
    return event ? ToString(*event, conversation_) : std::string("no event");
  };
  Verdict verdict{.saw = text(answered.event)};
  search_.Judge(
      id, WindowOf(record), &verdict, [&](Possibility& p, uint8_t at, JudgedStep& judged) {
        const std::optional<CmEvent> expected = RetainedBy(p.ids[at]);
        judged.Permit(text(expected), "rdma-core 44 cma.c ucma_complete");
        const bool fits = expected && answered.event ? MayBe(*answered.event, p.ids[at], *expected)
                                                     : expected == answered.event;
        if (Unseen(answered.reply) || fits) judged.Add(std::move(p));
      });
  return verdict;
}

Verdict Inspections::EventStr(const call::EventStr& call, const seen::Answered& answered) {
  const auto rule = std::ranges::find(rules::kCalls, CallKind::kEventStr, &CallRule::on);
  // The library itself gives no name to the last two. source: rdma-core 65 cma.c rdma_event_str
  const int names = profile_.capabilities.Has(Capability::kLaterCalls)
                        ? static_cast<int>(EventType::kUser)
                        : kFirstEventTypeCount;
  const bool known = call.type < names;
  const Output expected = TextOutput::Of(known ? ToString(static_cast<EventType>(call.type))
                                               : std::string_view("UNKNOWN EVENT"));
  Verdict verdict{.saw = ToString(answered.reply)};
  if (answered.output) verdict.saw += " " + ToString(*answered.output, facts_.topology());
  Permit(&verdict, *rule, "0 " + ToString(expected, facts_.topology()));
  const bool fits = answered.reply.succeeded() && answered.output == expected;
  if (!fits && !Unseen(answered.reply)) verdict.kind = VerdictKind::kRefused;
  verdict.certain.set(NumberOf(&*rule));
  return verdict;
}

// Devices that are certainly present, and those that may be.
std::pair<DeviceBits, DeviceBits> OwnedResults::DevicesOf(uint8_t side,
                                                          const Window& window) const {
  const Topology& topology = facts_.topology();
  DeviceBits certain = 0;
  DeviceBits possible = 0;
  for (uint8_t device = 0; device < topology.devices.size(); ++device) {
    if (facts_.KernelOf(device) != topology.KernelOf(side)) continue;
    const Certainty registered = fault_model_.Registered(device, window);
    const DeviceBits bit = BitOfDevice(topology.FirstPortOf(device));
    if (registered == Certainty::kYes) certain |= bit;
    if (registered != Certainty::kNo) possible |= bit;
  }
  return {certain, possible};
}

// Devices of a list that the topology does not name are ignored.
std::vector<Output> OwnedResults::OutputsOf(const Call& call, uint8_t side, const Window& window,
                                            const std::optional<Output>& seen) const {
  if (const auto* get = std::get_if<call::GetAddrInfo>(&call)) return LookedUp(*get);
  const auto [certain, possible] = DevicesOf(side, window);
  const auto* devices = seen ? std::get_if<DevicesOutput>(&*seen) : nullptr;
  if (devices != nullptr) {
    const bool fits = (devices->known & certain) == certain && (devices->known & ~possible) == 0;
    if (devices->known == 0 ? devices->unknown > 0 : fits) return {*seen};
  }
  return {DevicesOutput{.known = possible}};
}

Verdict OwnedResults::Called(const Record& record, Lane lane, const Call& call,
                             const seen::Answered& answered) const {
  const Window window = WindowOf(record);
  Verdict verdict{.saw = ToString(answered.reply)};
  if (answered.output) verdict.saw += " " + ToString(*answered.output, facts_.topology());
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
  const std::vector<Output> expected = OutputsOf(call, lane.side, window, answered.output);
  if (answered.output && std::ranges::find(expected, *answered.output) != expected.end())
    return verdict;
  verdict.kind = VerdictKind::kRefused;
  verdict.permitted.clear();
  for (const Output& one : expected)
    verdict.permitted.push_back(
        {.what = "0 " + ToString(one, facts_.topology()), .source = "what was asked for"});
  return verdict;
}

}  // namespace cm::model
