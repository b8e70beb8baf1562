// The hooks that the sample offers because it is simulated.
#include "conformance/adapters/dl/hooks.h"

#include <optional>
#include <string>

#include "conformance/adapters/dl/sample/sample.h"
#include "model/vocabulary/fault.h"

using cm::sample::TheSample;

extern "C" {

const char* cmcheck_capabilities(void) {
  static const auto* const words = new std::string(
      cm::ToString(cm::Profiles()
                       .front()
                       .capabilities.Without(cm::Capability::kData)
                       .Without(cm::Capability::kHostCrash)  // the host contains its objects
                       .Without(cm::Capability::kTester)));
  return words->c_str();
}

int cmcheck_start(const char* topology, const char* profile, uint64_t seed) {
  return cm::sample::StartSample(topology, profile, seed) ? 0 : -1;
}

void cmcheck_enter(uint8_t side, uint8_t lane) {
  TheSample().Enter({.side = side, .number = lane});
}

int64_t cmcheck_now(void) { return TheSample().world().Now().nanoseconds(); }

int64_t cmcheck_next(void) {
  const std::optional<cm::Instant> next = TheSample().world().NextAt();
  return next ? next->nanoseconds() : -1;
}

void cmcheck_step(void) { TheSample().world().Step(); }

void cmcheck_advance(int64_t until_ns) {
  TheSample().world().RunUntil(cm::Instant::FromNanoseconds(until_ns));
}

int cmcheck_blocked(void) { return TheSample().Blocked() ? 1 : 0; }

int cmcheck_continue(int* value) { return TheSample().Continue(value) ? 1 : 0; }

int cmcheck_readable(struct rdma_event_channel* channel) {
  return TheSample().Readable(reinterpret_cast<cm::sample::Channel*>(channel)) ? 1 : 0;
}

int cmcheck_fault(const struct cmcheck_fault_line* fault) {
  const std::optional<cm::FaultKind> kind = cm::ParseFaultKind(fault->kind);
  if (!kind) return -1;
  cm::MadKinds messages = cm::MadKinds::All();
  for (const cm::MadKind kind : cm::kMads)
    if (fault->messages == 1u << static_cast<int>(kind)) messages = cm::MadKinds(kind);
  TheSample().Inject({.kind = *kind,
                      .side = fault->side,
                      .to = fault->to,
                      .messages = fault->messages == 0 ? cm::MadKinds() : messages,
                      .first = fault->first,
                      .last = fault->last,
                      .by = cm::Duration::Nanoseconds(fault->by_ns),
                      .at_most = cm::Duration::Nanoseconds(fault->at_most_ns),
                      .shape = fault->tail == 1 ? cm::DelayShape::kTail : cm::DelayShape::kUniform,
                      .after = cm::Duration::Nanoseconds(fault->after_ns),
                      .window = cm::Duration::Nanoseconds(fault->window_ns)});
  return 0;
}

int cmcheck_heal(void) {
  TheSample().world().Heal();
  return 0;
}

const char* cmcheck_leaks(void) {
  static auto* const words = new std::string;
  *words = TheSample().Leaks();
  return words->c_str();
}

}  // extern "C"
