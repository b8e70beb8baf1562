// The rows of a call that hold in a possibility.
#ifndef MODEL_ORACLE_JUDGE_CALL_ROWS_H_
#define MODEL_ORACLE_JUDGE_CALL_ROWS_H_

#include <cstdint>
#include <utility>

#include "model/base/inline_vector.h"
#include "model/oracle/belief/conversation_facts.h"
#include "model/oracle/belief/fault_model.h"
#include "model/oracle/judge/components.h"
#include "model/oracle/judge/judge_context.h"
#include "model/oracle/machine/guard_row.h"
#include "model/oracle/machine/guards.h"
#include "model/rules/need.h"

namespace cm::model {

// Follows the hidden steps of each other owner of the port.
PortClash ClashFor(IdRef id, const Call& call, const Window& window, JudgeContext& context);

class CallRows {
 public:
  // The context and the call outlive it. `window`: the time of the call.
  CallRows(const JudgeContext& context, const Call& call, const Window& window,
           PortClash clash = {})
      : context_(context), call_(call), window_(window), clash_(clash) {}
  CallRows(const CallRows&) = delete;
  CallRows& operator=(const CallRows&) = delete;

  // Calls `visit(rule, guard)` with each row that holds for the id at `at`.
  template <typename Visit>
  void ForEach(const Possibility& p, uint8_t at, Visit visit) const {
    const IdState& id = p.ids[at];
    const State from = id.state;
    const Dialect& dialect = context_.profile.dialect;
    for (const Guard guard : GuardsMet({p, at, id, context_.facts.id(id.name), call_,
                                        context_.facts, context_.fault_model, window_, clash_}))
      for (const CallRule& rule : RowsOn(KindOf(call_)))
        if (rule.from.Has(from) && rule.when.Has(guard) && OfDialect(rule.needs, dialect))
          visit(rule, guard);
  }

  // What the row makes of the possibility.
  Possibility After(const Possibility& p, uint8_t at, const CallRule& rule, Guard guard) const;
  // Calls `use(possibility)` with the same; more than once where it is open on which device the id
  // finds itself.
  template <typename Use>
  void ForEachAfter(const Possibility& p, uint8_t at, const CallRule& rule, Guard guard,
                    Use use) const {
    for (const uint8_t device : DevicesAfter(p.ids[at], rule)) {
      Possibility after = After(p, at, rule, guard);
      if (device != kNoDevice) after.ids[at].device = device;
      use(std::move(after));
    }
  }

 private:
  void NumberSent(const Possibility& before, Possibility* after) const;
  InlineVector<uint8_t, 2> DevicesAfter(const IdState& before, const CallRule& rule) const;

  const JudgeContext& context_;
  const Call& call_;
  const Window window_;
  const PortClash clash_;
};

}  // namespace cm::model

#endif  // MODEL_ORACLE_JUDGE_CALL_ROWS_H_
