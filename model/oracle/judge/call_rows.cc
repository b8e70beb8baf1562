#include "model/oracle/judge/call_rows.h"

namespace cm::model {

Possibility CallRows::After(const Possibility& p, uint8_t at, const CallRule& rule,
                            Guard guard) const {
  Possibility after = p;
  after.used |= guards_.Consulted(p.ids[at], call_, guard);
  context_.executor.Apply(&after, at, rule, call_, window_.span());
  return after;
}

// A loopback destination takes the first device that works, immediately.
InlineVector<uint8_t, 2> CallRows::DevicesAfter(const IdState& before, const CallRule& rule) const {
  const auto* resolve = std::get_if<call::ResolveAddr>(&call_);
  const bool unbound = resolve != nullptr && rule.to == State::kAddrQuery &&
                       resolve->destination.AnyOrLoopback() && before.device == kNoDevice &&
                       (before.state != State::kIdle || AddressWantedBy(call_).AnyOrLoopback());
  if (unbound)
    return context_.fault_model.LoopbackDevices(context_.facts.id(before.name).kernel, window_);
  InlineVector<uint8_t, 2> same;
  same.push_back(kNoDevice);
  return same;
}

}  // namespace cm::model
