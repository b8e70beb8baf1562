#include "conformance/runner/tally.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "conformance/properties/registry.h"

namespace cm {
namespace {

bool Includes(Capabilities all, Capabilities some) { return (some.bits() & ~all.bits()) == 0; }

}  // namespace

void Tally::Add(const SequenceResult& result) {
  ++sequences_;
  ++verdicts_[static_cast<size_t>(result.verdict)];
  ++walks_[result.walk];
  if (!result.reason.empty()) {
    const auto known = reasons_.try_emplace(result.reason, Reason{.first = result.index}).first;
    ++known->second.sequences;
  }
  calls_ += result.calls;
  events_ += result.events;
  frames_ += result.frames;
  if (result.verdict != Verdict::kInconclusive) conclusive_frames_ += result.frames;
  observations_ += result.observations;
  sharp_ += result.sharp;
  followed_in_part_ += result.followed_in_part ? 1 : 0;
  digest_.U64(result.digest);
  wire_digest_.U64(result.wire_digest);
  reached_ |= result.reached;
  confirmed_ |= result.confirmed;
  if (result.observations > 0) ++largest_sets_[result.largest_set];
  for (size_t i = 0; i < heard_.size(); ++i) heard_[i] += result.heard[i];
  if (arose_.size() < result.arose.size()) {
    arose_.resize(result.arose.size());
    conclusive_.resize(result.arose.size());
  }
  for (size_t i = 0; i < result.arose.size(); ++i) {
    if (result.arose[i] == 0) continue;
    ++arose_[i];
    if (result.verdict != Verdict::kInconclusive) ++conclusive_[i];
  }
  std::set<std::string_view> claims;
  for (const Finding& finding : result.findings) {
    if (claims.insert(finding.id).second) ++against_[finding.id];
    AddFinding(finding);
  }
}

void Tally::AddFinding(const Finding& finding) {
  const auto known =
      std::find_if(findings_.begin(), findings_.end(),
                   [&](const CountedFinding& counted) { return counted.finding.Same(finding); });
  if (known == findings_.end())
    findings_.push_back({.finding = finding, .sequences = 1, .replay = {}});
  else
    ++known->sequences;
}

uint64_t Tally::Against(std::string_view claim) const {
  const auto found = against_.find(claim);
  return found == against_.end() ? 0 : found->second;
}

uint64_t Tally::set_p99() const {
  uint64_t total = 0;
  for (const auto& [size, count] : largest_sets_) total += count;
  uint64_t seen = 0;
  for (const auto& [size, count] : largest_sets_) {
    seen += count;
    if (seen * 100 >= total * 99) return size;
  }
  return 0;
}

void Tally::Conclude(const CampaignScope& scope, const Profile& profile) {
  if (!scope.every_property || !scope.every_walk || sequences_ < kWholeCampaign) return;
  if (scope.every_call) FindNever(scope, profile);
  FindUnexpectedPasses(profile);
}

void Tally::FindNever(const CampaignScope& scope, const Profile& profile) {
  const auto properties = Properties();
  for (size_t i = 0; i < properties.size(); ++i) {
    const Property& property = properties[i];
    if (property.kind != PropertyKind::kSometimes || Arose(i) > 0) continue;
    if (!Includes(scope.capabilities, property.needs) || !Concerns(property, profile)) continue;
    Finding finding{.id = std::string(kNeverId),
                    .about = std::string(property.id),
                    .saw = fmt::format("never in {} sequences", sequences_),
                    .permitted = std::string(property.says),
                    .source = std::string(property.source),
                    .where = "the whole campaign"};
    if (!Declared({.id = std::string(property.id)}, profile)) campaign_failed_ = true;
    ++against_[std::string(property.id)];
    findings_.push_back({.finding = std::move(finding), .sequences = sequences_, .replay = {}});
  }
}

// Whether a violation of the claim would have been found in some sequence.
bool Tally::CouldShow(std::string_view claim) const {
  if (const Property* property = FindProperty(claim)) {
    const auto i = static_cast<size_t>(property - Properties().data());
    return i < conclusive_.size() && conclusive_[i] > 0;
  }
  return judged() > With(Verdict::kInconclusive) && (claim != kWireId || conclusive_frames_ > 0);
}

void Tally::FindUnexpectedPasses(const Profile& profile) {
  for (const Deviation& deviation : profile.deviations) {
    const bool shown = std::ranges::any_of(findings_, [&](const CountedFinding& counted) {
      return counted.finding.id == deviation.id &&
             (deviation.cause.empty() || counted.finding.Cause() == deviation.cause);
    });
    if (!CouldShow(deviation.id) || shown) continue;
    campaign_failed_ = true;
    findings_.push_back(
        {.finding = {.id = std::string(kUnexpectedPassId),
                     .about = deviation.id,
                     .saw = fmt::format("no sequence of {} fails {}", sequences_, deviation.id),
                     .permitted =
                         fmt::format("profile {} declares it: {}", profile.name, deviation.reason),
                     .source = "the profile's deviations",
                     .where = "the whole campaign"},
         .sequences = sequences_,
         .replay = {}});
  }
}

}  // namespace cm
