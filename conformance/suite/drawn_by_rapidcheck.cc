#include "conformance/suite/drawn_by_rapidcheck.h"

#include <fmt/format.h>
#include <rapidcheck.h>

#include <cstdint>
#include <string_view>
#include <utility>
#include <vector>

#include "conformance/runner/campaign.h"
#include "conformance/walks/walk.h"
#include "model/base/choice.h"
#include "model/conversation/print.h"

namespace cm {
namespace {

// Numbers drawn by rapidcheck, as decisions. Past their end each decision is the first choice.
class GivenChoice : public Choice {
 public:
  explicit GivenChoice(std::vector<uint64_t> numbers) : numbers_(std::move(numbers)) {}
  uint64_t Below(uint64_t bound, std::string_view /*what*/) override {
    return next_ < numbers_.size() ? numbers_[next_++] % bound : 0;
  }

 private:
  std::vector<uint64_t> numbers_;
  size_t next_ = 0;
};

// Any number with the same chance, whatever rapidcheck's size: a small size would otherwise draw
// only the first few calls of a list.
rc::Gen<uint64_t> AnyNumber() {
  return [](const rc::Random& random, int /*size*/) {
    rc::Random copy = random;
    return rc::shrinkable::shrinkRecur(
        copy.next(), [](uint64_t number) { return rc::shrink::towards(number, uint64_t{0}); });
  };
}

}  // namespace

std::string CheckWithRapidcheck(Implementation& implementation, const DrawOptions& draw) {
  constexpr size_t kDecisions = 200;
  const auto any = rc::gen::container<std::vector<uint64_t>>(kDecisions, AnyNumber());
  // Thousands of attempts, which take seconds each where time is not virtual.
  const auto drawn = implementation.concurrent() ? any : rc::gen::noShrink(any);
  std::string objection;
  DrawOptions options = draw;
  const bool passed = rc::check("conversations conform", [&] {
    const auto numbers = *drawn.as("decisions");
    GivenChoice choice(numbers);
    ++options.index;  // ports of its own: those before may be in use for minutes
    const SequenceRun judged = RunOne(implementation, DrawFrom(options, choice), {});
    if (judged.result.findings.empty()) return;
    const Finding& finding = judged.result.findings.front();
    objection = fmt::format("{} at {}: saw {}, permitted {}\n{}", finding.id, finding.where,
                            finding.saw, finding.permitted, ToText(judged.history));
    RC_FAIL(objection);
  });
  return passed ? std::string() : objection;
}

}  // namespace cm
