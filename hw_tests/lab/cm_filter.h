// Loses, repeats or delays chosen CM messages inside the guest, for the price of a system call.
//
// 1. A small program stands at the ingress of both nodes' links. It knows the CM messages of
//    RoCEv2 over IPv4 and IPv6 and counts them, by kind and by the node they go to, in a table.
//    The set-up of the network installs it, so it is part of every snapshot.
// 2. A fault is an entry of the table. Setting one starts its count anew: "the third REP from now
//    on" is one call. A kind and direction has one fault at a time.
// 3. Everything happens on the receiving side. To the rxe driver a drop on the sending side is a
//    failed send, which it repeats for ever (Linux 6.1) or after which it falls silent (6.12).
// 4. A copy made by kDuplicate and a message let go after kDelay are not counted again.
//
//   Outcome<CmFilter> filter = CmFilter::Open();
//   filter.value().Set({Toward::kActive, CmKind::kRep}, {CmAction::kDrop, 1, 2});  // two REPs
#ifndef HW_TESTS_LAB_CM_FILTER_H_
#define HW_TESTS_LAB_CM_FILTER_H_

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "hw_tests/lab/problem.h"

namespace lab {

enum class Toward : uint32_t { kActive, kPassive };

// The value is the message's attribute ID less that of the REQ.
enum class CmKind : uint32_t {
  kReq,
  kMra,
  kRej,
  kRep,
  kRtu,
  kDreq,
  kDrep,
  kSidrReq,
  kSidrRep,
  kLap,
  kApr,
};
inline constexpr uint32_t kCmKinds = 11;

enum class CmAction : uint32_t { kNone, kDrop, kDuplicate, kDelay };

struct CmStream {
  Toward toward = Toward::kActive;
  CmKind kind = CmKind::kReq;
};

inline constexpr uint32_t kEveryOne = UINT32_MAX;

struct CmFault {
  CmAction action = CmAction::kNone;
  uint32_t first = 1;         // the first message after Set is number 1
  uint32_t last = kEveryOne;  // inclusive
  uint64_t delay_ns = 0;      // of kDelay

  friend bool operator==(const CmFault&, const CmFault&) = default;
};

struct CmCount {
  CmFault fault;
  uint32_t seen = 0;  // messages since the fault was set, or cleared
  uint32_t hit = 0;   // messages that the fault befell
};

// Names as the specification writes them, with an underscore for the space: REQ, SIDR_REP.
std::string_view NameOf(CmKind kind);
std::optional<CmKind> CmKindNamed(std::string_view name);

class CmFilter {
 public:
  // Makes the table and the programs and pins them under /sys/fs/bpf, in place of older ones.
  // cm_to_active and cm_to_passive belong at the ingress of the two links, as direct actions,
  // before a filter that redirects what they leave to it to an ifb device; cm_delay belongs at the
  // egress of that device, which has a fair queue.
  static Outcome<CmFilter> Install();

  // Takes the table that Install pinned.
  static Outcome<CmFilter> Open();

  CmFilter(CmFilter&& other) noexcept;
  CmFilter& operator=(CmFilter&& other) noexcept;
  ~CmFilter();

  std::optional<Problem> Set(CmStream stream, const CmFault& fault);
  std::optional<Problem> ClearAll();
  Outcome<CmCount> Get(CmStream stream) const;

 private:
  explicit CmFilter(int table) : table_(table) {}

  int table_ = -1;
};

}  // namespace lab

#endif  // HW_TESTS_LAB_CM_FILTER_H_
