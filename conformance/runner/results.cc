#include "conformance/runner/results.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <string_view>
#include <vector>

#include "conformance/properties/registry.h"
#include "model/base/json.h"
#include "model/catalogue/catalogue.h"

namespace cm {
namespace {

using Json = nlohmann::ordered_json;

constexpr int kSchema = 1;

std::string Hex(uint64_t digest) { return fmt::format("0x{:016x}", digest); }

std::string Percent(uint64_t basis_points) {
  return fmt::format("{}.{:02} %", basis_points / 100, basis_points % 100);
}

// Ends of connections that a campaign should contain.
constexpr EventType kTold[] = {EventType::kConnectRequest, EventType::kEstablished,
                               EventType::kRejected,       EventType::kUnreachable,
                               EventType::kDisconnected,   EventType::kTimewaitExit,
                               EventType::kDeviceRemoval,  EventType::kAddrChange};

Json FindingsOf(const Tally& tally) {
  Json findings = Json::array();
  for (const CountedFinding& counted : tally.findings()) {
    const Finding& finding = counted.finding;
    findings.push_back({{"id", finding.id},
                        {"about", finding.about},
                        {"cause", finding.Cause()},
                        {"saw", finding.saw},
                        {"permitted", finding.permitted},
                        {"source", finding.source},
                        {"replay", counted.replay},
                        {"index", finding.index},
                        {"where", finding.where},
                        {"sequences", counted.sequences}});
  }
  return findings;
}

// How often the one property that was judged arose; empty when all were.
std::string SingleProperty(const Tally& tally, std::string_view id) {
  const auto properties = Properties();
  const auto found = std::ranges::find(properties, id, &Property::id);
  if (found == properties.end()) return {};
  return fmt::format("property    {} arose in {} of {} sequences\n", id,
                     tally.Arose(static_cast<size_t>(found - properties.begin())),
                     tally.sequences());
}

// Colours, or none.
class Paint {
 public:
  explicit Paint(bool on) : on_(on) {}
  std::string Good(std::string_view text) const { return With("32", text); }
  std::string Bad(std::string_view text) const { return With("31", text); }
  std::string Dim(std::string_view text) const { return With("2", text); }

 private:
  std::string With(std::string_view code, std::string_view text) const {
    return on_ ? fmt::format("\x1b[{}m{}\x1b[0m", code, text) : std::string(text);
  }
  bool on_;
};

std::string VerdictOf(uint64_t failed, bool arose, const Paint& paint) {
  if (failed > 0) return paint.Bad(fmt::format("failed in {}", failed));
  return arose ? paint.Good("passed") : paint.Dim("did not arise");
}

std::string ClaimsRow(std::string_view family, int arose, int claims) {
  return fmt::format("{:<18} {:>2} of {:>2}  ", family, arose, claims);
}

std::string FindingText(const CountedFinding& counted, const Paint& paint) {
  const Finding& finding = counted.finding;
  std::string text = fmt::format("\n{} in {} sequence{}, first in {}: {}\n", paint.Bad(finding.id),
                                 counted.sequences, counted.sequences == 1 ? "" : "s",
                                 finding.index, finding.where);
  text += fmt::format("  saw        {}\n  permitted  {}\n", finding.saw, finding.permitted);
  if (!finding.source.empty()) text += fmt::format("  source     {}\n", finding.source);
  if (!counted.replay.empty()) text += fmt::format("  replay     {}\n", counted.replay);
  return text;
}

}  // namespace

std::vector<FamilyRow> FamiliesOf(const Tally& tally, const TableOptions& options) {
  std::vector<FamilyRow> rows;
  const auto add_of_the_runner = [&](std::string_view family, std::string_view id) {
    const bool judged = options.property.empty() || options.property == id;
    rows.push_back({.family = family,
                    .claims = 1,
                    .judged = judged ? 1 : 0,
                    .arose = judged && tally.calls() > 0 ? 1 : 0,
                    .failed = tally.Against(id)});
  };
  add_of_the_runner("rows", kRowsId);
  add_of_the_runner("leaks", kLeakId);
  add_of_the_runner("wire", kWireId);
  if (tally.frames() == 0) {
    rows.back().arose = 0;
    rows.back().unsupported = 1;
  }
  const auto properties = Properties();
  for (size_t i = 0; i < properties.size(); ++i) {
    const Property& property = properties[i];
    if (rows.back().family != property.family) rows.push_back({.family = property.family});
    FamilyRow& row = rows.back();
    ++row.claims;
    if (!options.property.empty() && options.property != property.id) continue;
    ++row.judged;
    if (tally.Arose(i) > 0)
      ++row.arose;
    else if ((property.needs.bits() & ~options.capabilities.bits()) != 0)
      ++row.unsupported;
    row.failed += tally.Against(property.id);
  }
  return rows;
}

std::string ToJson(const Tally& tally, const CampaignName& name, const Profile& profile) {
  const model::RuleBits reachable = model::Reachable(profile);
  Json json = {{"schema", kSchema},
               {"implementation", name.implementation},
               {"profile", profile.name},
               {"topology", name.topology},
               {"library", name.library},
               {"kernel", name.kernel},
               {"seed", name.seed},
               {"first", name.first},
               {"sequences", tally.sequences()},
               {"calls", tally.calls()},
               {"events", tally.events()},
               {"frames", tally.frames()},
               {"passed", tally.With(Verdict::kPassed)},
               {"failed", tally.With(Verdict::kFailed)},
               {"inconclusive", tally.With(Verdict::kInconclusive)},
               {"unsupported", tally.With(Verdict::kUnsupported)},
               {"known_deviations", tally.With(Verdict::kKnownDeviation)},
               {"digest", Hex(tally.digest())},
               {"wire_digest", Hex(tally.wire_digest())},
               {"rules_total", reachable.count()},
               {"rules_reached", (tally.reached() & reachable).count()},
               {"rules_confirmed", (tally.confirmed() & reachable).count()},
               {"state_set_max", tally.largest_set()},
               {"state_set_p99", tally.set_p99()},
               {"followed_in_part", tally.followed_in_part()},
               {"sharpness", static_cast<double>(tally.sharpness_basis_points()) / 10000.0},
               {"interrupted", name.interrupted},
               {"findings", FindingsOf(tally)}};
  for (const EventType type : kTold) json["heard"][std::string(ToString(type))] = tally.Heard(type);
  for (model::RuleNumber rule = 0; rule < model::RuleCount(); ++rule)
    if (reachable[rule] && !tally.reached()[rule])
      json["rules_missed"].push_back(model::InfoOf(rule).id);
  for (model::RuleNumber rule = 0; rule < model::RuleCount(); ++rule)
    if (tally.confirmed()[rule]) json["confirmed"].push_back(model::InfoOf(rule).id);
  for (const auto& [reason, of] : tally.reasons()) {
    json["reasons"][reason] = of.sequences;
    json["first_with_reason"][reason] = of.first;
  }
  return JsonText(json, 2) + "\n";
}

std::string ToTable(const Tally& tally, const CampaignName& name, const Profile& profile,
                    const TableOptions& options) {
  const Paint paint(options.colours);
  const std::string numbers =
      name.only.empty() ? fmt::format("{} to {}", name.first, name.first + tally.sequences())
                        : name.only;
  std::string text =
      fmt::format("{} under profile {}, topology {}, seed {}, sequences {}\n\n",
                  name.implementation, profile.name, name.topology, name.seed, numbers);
  text += fmt::format("{:<18} {:<8}  {}\n", "claims", "arose", "verdict");
  for (const FamilyRow& row : FamiliesOf(tally, options)) {
    const bool judged = row.judged > 0;
    text += ClaimsRow(row.family, row.arose, judged ? row.judged : row.claims);
    text += judged ? VerdictOf(row.failed, row.arose > 0, paint) : paint.Dim("not judged");
    if (judged && row.unsupported > 0)
      text += paint.Dim(fmt::format(", {} unsupported by this environment", row.unsupported));
    text += "\n";
  }
  const model::RuleBits reachable = model::Reachable(profile);
  const size_t reached = (tally.reached() & reachable).count();
  text += fmt::format(
      "\nsequences   {} passed, {} failed, {} inconclusive, {} unsupported, {} known "
      "deviations\n",
      tally.With(Verdict::kPassed), tally.With(Verdict::kFailed),
      tally.With(Verdict::kInconclusive), tally.With(Verdict::kUnsupported),
      tally.With(Verdict::kKnownDeviation));
  for (const auto& [reason, of] : tally.reasons())
    text +=
        fmt::format("            {} x {}, first in sequence {}\n", of.sequences, reason, of.first);
  text += SingleProperty(tally, options.property);
  text += fmt::format("calls       {}; events {}; frames {}\n", tally.calls(), tally.events(),
                      tally.frames());
  text += fmt::format("rules       {} of {} reached ({} %), {} confirmed\n", reached,
                      reachable.count(), reached * 100 / std::max<size_t>(reachable.count(), 1),
                      (tally.confirmed() & reachable).count());
  text +=
      fmt::format("oracle      {} of the answers sharp; largest set {}, 99 % at most {}",
                  Percent(tally.sharpness_basis_points()), tally.largest_set(), tally.set_p99());
  if (tally.followed_in_part() > 0)
    text += fmt::format("; {} followed in part", tally.followed_in_part());
  text += "\n";
  text += fmt::format("digest      {}, wire {}\n", Hex(tally.digest()), Hex(tally.wire_digest()));
  for (const CountedFinding& counted : tally.findings()) text += FindingText(counted, paint);
  if (name.interrupted)
    text += "\ninterrupted: the sequences above are whole, others were not run\n";
  return text;
}

}  // namespace cm
