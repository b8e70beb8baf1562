// Fidelity of the simulator to a real kernel: many comparisons as shares, causes and examples.
#ifndef CONFORMANCE_FIDELITY_FIDELITY_H_
#define CONFORMANCE_FIDELITY_FIDELITY_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "conformance/fidelity/causes.h"
#include "conformance/fidelity/lab_report.h"
#include "model/catalogue/catalogue.h"
#include "model/conversation/history.h"
#include "model/vocabulary/profile.h"

namespace cm {

struct Difference {
  std::string track;  // lane or channel
  std::string kernel;
  std::string simulator;
  Explanation explanation;
};

// The comparison of one sequence.
struct Comparison {
  uint64_t number = 0;
  std::string walk;
  std::string options;   // options of its drawing
  bool faulted = false;  // a line of it is a fault
  // The verdict of the current tables about the kernel's history.
  bool refused = false;
  model::RuleBits confirmed;
  std::optional<Difference> difference;
};

// Both histories are of the same drawn conversation.
Comparison Compare(const History& kernel, const History& simulator, const Profile& profile);

struct Share {
  uint64_t equal = 0;
  uint64_t all = 0;
  // In hundredths of a per cent, rounded down; 100 % of none.
  uint64_t BasisPoints() const { return all == 0 ? 10000 : equal * 10000 / all; }
};

class Fidelity {
 public:
  void Add(Comparison comparison);

  const Share& fault_free() const { return fault_free_; }
  const Share& faulted() const { return faulted_; }
  // The sequences that differ, in the order in which they were added.
  const std::vector<Comparison>& differences() const { return differences_; }
  uint64_t With(Cause cause) const;
  uint64_t refused() const { return refused_; }
  // Rows without which a sequence of the kernel cannot be explained.
  const model::RuleBits& confirmed() const { return confirmed_; }
  // "calls=20"; of the first sequence added.
  const std::string& options() const { return options_; }

 private:
  Share fault_free_;
  Share faulted_;
  uint64_t refused_ = 0;
  model::RuleBits confirmed_;
  std::string options_;
  std::vector<Comparison> differences_;
};

// docs/fidelity.md: without a date, so that the same runs give the same file.
std::string ToMarkdown(const Fidelity& fidelity, const LabReport& report, const Profile& profile);
std::string ToJson(const Fidelity& fidelity, const LabReport& report, const Profile& profile);

}  // namespace cm

#endif  // CONFORMANCE_FIDELITY_FIDELITY_H_
