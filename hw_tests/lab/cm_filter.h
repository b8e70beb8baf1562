// Drops, duplicates, delays or reorders chosen CM messages inside the guest, with one system call.
//
// 1. A small BPF program at the ingress of both nodes' links counts the CM messages of RoCEv2 over
//    IPv4 and IPv6, by kind and destination node, in a table. The network set-up installs it, so it
//    is part of every snapshot.
// 2. The table also holds rules, in the order in which they were added. Each counts the messages
//    that match it from then on, whatever happens to them: "the third REP from now on" is one call.
//    The first rule that matches, and whose range contains the message, decides about it.
// 3. All rules act on the receiving side. To the rxe driver a drop on the sending side is a failed
//    send, which it repeats for ever (Linux 6.1) or after which it falls silent (6.12).
// 4. A copy made by kDuplicate and a message released after kDelay or kReorder are not judged
//    again.
//
//   Outcome<CmFilter> filter = CmFilter::Open();
//   CmRule two_replies = {Toward::kActive, cm::MadKinds(cm::MadKind::kRep), CmAction::kDrop};
//   two_replies.last = 2;
//   filter.value().Add(two_replies);
#ifndef HW_TESTS_LAB_CM_FILTER_H_
#define HW_TESTS_LAB_CM_FILTER_H_

#include <cstdint>
#include <optional>
#include <vector>

#include "hw_tests/lab/problem.h"
#include "model/vocabulary/mad_kind.h"

namespace lab {

enum class Toward : uint32_t { kActive, kPassive };

enum class CmAction : uint32_t {
  kNone,
  kDrop,
  kDuplicate,
  kDelay,
  kReorder,  // held for 5 ms, so that the next message passes; not while another one is held
};

inline constexpr uint32_t kEveryOne = UINT32_MAX;
inline constexpr uint64_t kForEver = UINT64_MAX;

struct CmRule {
  Toward toward = Toward::kActive;
  cm::MadKinds kinds;  // those without an attribute ID of their own are not filtered
  CmAction action = CmAction::kNone;
  uint32_t first = 1;             // the first message after Add is number 1
  uint32_t last = kEveryOne;      // inclusive
  uint64_t delay_ns = 0;          // of kDelay
  uint64_t window_ns = kForEver;  // how long after Add the rule matches anything

  friend bool operator==(const CmRule&, const CmRule&) = default;
};

struct CmRuleCount {
  CmRule rule;        // with the remaining window
  uint32_t seen = 0;  // messages that matched
  uint32_t hit = 0;   // messages about which it decided
};

class CmFilter {
 public:
  // Creates the table and the programs and pins them under /sys/fs/bpf, replacing older ones.
  // cm_to_active and cm_to_passive belong at the ingress of the two links, as direct actions,
  // before a filter that redirects the remaining packets to an ifb device; cm_delay belongs at the
  // egress of that device, which has a fair queue.
  static Outcome<CmFilter> Install();

  // Opens the table that Install pinned.
  static Outcome<CmFilter> Open();

  CmFilter(CmFilter&& other) noexcept;
  CmFilter& operator=(CmFilter&&) = delete;
  ~CmFilter();

  // At most 32 rules.
  std::optional<Problem> Add(const CmRule& rule);
  // Removes all rules, and resets all counts to 0.
  std::optional<Problem> ClearAll();

  Outcome<std::vector<CmRuleCount>> Rules() const;
  // Messages since the last ClearAll, of a kind with an attribute ID of its own.
  Outcome<uint32_t> Seen(Toward toward, cm::MadKind kind) const;

 private:
  explicit CmFilter(int table) : table_(table) {}

  int table_ = -1;
};

}  // namespace lab

#endif  // HW_TESTS_LAB_CM_FILTER_H_
