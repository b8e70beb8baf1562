// Sums of a campaign over its sequences, in their order.
#ifndef CONFORMANCE_RUNNER_TALLY_H_
#define CONFORMANCE_RUNNER_TALLY_H_

#include <array>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "conformance/runner/verdict.h"
#include "model/base/digest.h"
#include "model/catalogue/catalogue.h"
#include "model/vocabulary/fault.h"
#include "model/vocabulary/profile.h"

namespace cm {

// A finding, and the number of sequences with the same one.
struct CountedFinding {
  Finding finding;  // of the first of them
  uint64_t sequences = 0;
  std::string replay;  // the command that replays it; empty if unknown
};

// Properties of the campaign that decide whether campaign-wide properties are judged.
struct CampaignScope {
  Capabilities capabilities;
  bool every_walk = true;      // not restricted to a walk or a topology
  bool every_property = true;  // not restricted to a property
  bool every_call = true;      // the implementation leaves no calls out
};

// Reasons of unsupported or inconclusive sequences.
struct Reason {
  uint64_t sequences = 0;
  uint64_t first = 0;  // the number of the first of them
  friend bool operator==(const Reason&, const Reason&) = default;
};

class Tally {
 public:
  // In the order of the sequences' numbers.
  void Add(const SequenceResult& result);
  // After the last one: judges the campaign-wide properties.
  void Conclude(const CampaignScope& scope, const Profile& profile);

  uint64_t sequences() const { return sequences_; }
  // Sequences that were carried out.
  uint64_t judged() const { return sequences_ - With(Verdict::kUnsupported); }
  uint64_t With(Verdict verdict) const { return verdicts_[static_cast<size_t>(verdict)]; }
  uint64_t calls() const { return calls_; }
  uint64_t events() const { return events_; }
  uint64_t frames() const { return frames_; }
  uint64_t Heard(EventType type) const { return heard_[static_cast<size_t>(type)]; }
  uint64_t digest() const { return digest_.Value(); }
  uint64_t wire_digest() const { return wire_digest_.Value(); }
  const model::RuleBits& reached() const { return reached_; }
  const model::RuleBits& confirmed() const { return confirmed_; }
  uint64_t largest_set() const { return largest_sets_.empty() ? 0 : largest_sets_.rbegin()->first; }
  // The 99th percentile of the sequences' largest sets.
  uint64_t set_p99() const;
  // Sequences of which not all possibilities were followed.
  uint64_t followed_in_part() const { return followed_in_part_; }
  // In per cent, rounded down to hundredths, as a number of hundredths.
  uint64_t sharpness_basis_points() const {
    return observations_ == 0 ? 10000 : sharp_ * 10000 / observations_;
  }
  // The sequences in which the premise of a property arose, by index in Properties().
  uint64_t Arose(size_t property) const { return property < arose_.size() ? arose_[property] : 0; }
  // The number of sequences that violate the property.
  uint64_t Against(std::string_view claim) const;
  const std::vector<CountedFinding>& findings() const { return findings_; }
  std::vector<CountedFinding>& findings() { return findings_; }
  const std::map<std::string, uint64_t>& walks() const { return walks_; }
  const std::map<std::string, Reason>& reasons() const { return reasons_; }

  // True when the exit code must report findings.
  bool failed() const { return With(Verdict::kFailed) > 0 || campaign_failed_; }
  // True when more sequences than this share (in hundredths of a per cent) are inconclusive.
  bool TooInconclusive(uint64_t basis_points) const {
    return With(Verdict::kInconclusive) * 10000 > sequences_ * basis_points;
  }

 private:
  void AddFinding(const Finding& finding);
  void FindNever(const CampaignScope& scope, const Profile& profile);
  void FindUnexpectedPasses(const Profile& profile);
  bool CouldShow(std::string_view claim) const;

  uint64_t sequences_ = 0;
  std::array<uint64_t, 5> verdicts_{};
  uint64_t calls_ = 0;
  uint64_t events_ = 0;
  uint64_t frames_ = 0;
  uint64_t conclusive_frames_ = 0;  // without those of inconclusive sequences
  std::array<uint64_t, kEventTypeCount> heard_{};
  uint64_t observations_ = 0;
  uint64_t sharp_ = 0;
  uint64_t followed_in_part_ = 0;
  Digest digest_;
  Digest wire_digest_;
  model::RuleBits reached_;
  model::RuleBits confirmed_;
  std::map<uint64_t, uint64_t> largest_sets_;  // size to number of sequences
  std::vector<uint64_t> arose_;
  std::vector<uint64_t> conclusive_;  // the same, without inconclusive sequences
  std::map<std::string, uint64_t, std::less<>> against_;
  std::map<std::string, uint64_t> walks_;
  std::map<std::string, Reason> reasons_;
  std::vector<CountedFinding> findings_;
  bool campaign_failed_ = false;
};

// A shorter campaign need not have seen everything that must happen sometimes.
inline constexpr uint64_t kWholeCampaign = 1000;

}  // namespace cm

#endif  // CONFORMANCE_RUNNER_TALLY_H_
