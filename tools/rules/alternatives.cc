#include "tools/rules/alternatives.h"

#include <algorithm>
#include <map>
#include <string_view>
#include <tuple>

#include "model/base/errno.h"
#include "model/channel/rules.h"
#include "model/cm_id/rules.h"
#include "model/ib_cm/rules.h"
#include "model/iw_cm/rules.h"
#include "model/qp/rules.h"
#include "model/rules/rule.h"
#include "model/vocabulary/protocol.h"
#include "model/work_completion/rules.h"
#include "tools/rules/table.h"

namespace cm::ruledoc {
namespace {

// Collects the rows of one table by situation. Numbers determine the order, names are printed.
class Situations {
 public:
  struct Part {
    int number = 0;
    std::string_view name;
  };

  void Add(Part stimulus, Part guard, Part state, model::RuleNumber row) {
    Alternatives& found = found_[{stimulus.number, guard.number, state.number}];
    found.states = state.name;
    found.stimulus = stimulus.name;
    found.guard = guard.name;
    found.rows.push_back(row);
  }

  // Appends situations with more than one row; merges states with the same rows.
  void AppendTo(std::vector<Alternatives>* all) const {
    const size_t first = all->size();
    for (const auto& entry : found_) {
      const Alternatives& a = entry.second;
      if (a.rows.size() < 2) continue;
      const auto known = std::find_if(
          all->begin() + static_cast<ptrdiff_t>(first), all->end(), [&](const Alternatives& other) {
            return other.stimulus == a.stimulus && other.guard == a.guard && other.rows == a.rows;
          });
      if (known == all->end())
        all->push_back(a);
      else
        known->states += ", " + a.states;
    }
  }

 private:
  std::map<std::tuple<int, int, int>, Alternatives> found_;
};

template <typename E>
Situations::Part Named(E value) {
  return {static_cast<int>(value), ToString(value)};
}

// Calls `visit` with every member of the set as a part of a situation.
template <typename E, typename Visit>
void ForEach(model::Set<E> set, int count, Visit visit) {
  for (int i = 0; i < count; ++i)
    if (set.Has(static_cast<E>(i))) visit(Named(static_cast<E>(i)));
}

template <typename Rules, typename AddRow>
void Collect(const Rules& rules, std::vector<Alternatives>* all, AddRow add_row) {
  Situations situations;
  for (const auto& rule : rules) add_row(rule, &situations);
  situations.AppendTo(all);
}

void CollectCmId(std::vector<Alternatives>* all) {
  using Part = Situations::Part;
  Collect(model::rules::kCalls, all, [](const model::CallRule& r, Situations* to) {
    const Part on{static_cast<int>(r.on), FunctionName(r.on)};
    ForEach(r.when, model::kGuardCount, [&](Part guard) {
      ForEach(r.from, model::kStateCount,
              [&](Part state) { to->Add(on, guard, state, model::NumberOf(&r)); });
    });
  });
  Collect(model::rules::kFromBelow, all, [](const model::BelowRule& r, Situations* to) {
    ForEach(r.from, model::kStateCount,
            [&](Part state) { to->Add(Named(r.on), {}, state, model::NumberOf(&r)); });
  });
}

void CollectIbCm(std::vector<Alternatives>* all) {
  using Part = Situations::Part;
  Collect(model::rules::kIbCm, all, [](const model::IbRule& r, Situations* to) {
    ForEach(r.from, model::kIbStateCount,
            [&](Part state) { to->Add(Named(r.on), {}, state, model::NumberOf(&r)); });
  });
  Collect(model::rules::kRequests, all, [](const model::RequestRule& r, Situations* to) {
    to->Add({0, "REQ"}, Named(r.when), {}, model::NumberOf(&r));
  });
  Collect(model::rules::kSidrRequests, all, [](const model::SidrRequestRule& r, Situations* to) {
    to->Add({0, "SIDR_REQ"}, Named(r.when), {}, model::NumberOf(&r));
  });
  Collect(model::rules::kMads, all, [](const model::MadRule& r, Situations* to) {
    to->Add({0, "message"}, Named(r.when), {}, model::NumberOf(&r));
  });
  Collect(model::rules::kIwCm, all, [](const model::IwRule& r, Situations* to) {
    ForEach(r.from, model::kIwStateCount,
            [&](Part state) { to->Add(Named(r.on), {}, state, model::NumberOf(&r)); });
  });
  Collect(model::rules::kIwRequests, all, [](const model::IwRequestRule& r, Situations* to) {
    to->Add({0, "MPA request"}, Named(r.when), {}, model::NumberOf(&r));
  });
}

void CollectChannel(std::vector<Alternatives>* all) {
  using Part = Situations::Part;
  Collect(model::rules::kChannels, all, [](const model::ChannelRule& r, Situations* to) {
    const Part on{static_cast<int>(r.on), FunctionName(r.on)};
    ForEach(r.when, 3, [&](Part guard) {
      for (const auto& state : {Part{0, "empty"}, Part{1, "pending"}}) {
        if (r.from.Has(static_cast<model::ChannelState>(state.number)))
          to->Add(on, guard, state, model::NumberOf(&r));
      }
    });
  });
  Collect(model::rules::kReports, all, [](const model::ReportRule& r, Situations* to) {
    const Part guard{r.accepted ? 0 : 1, r.accepted ? "" : "not accepted yet"};
    ForEach(r.from, model::kStateCount,
            [&](Part state) { to->Add(Named(r.on), guard, state, model::NumberOf(&r)); });
  });
  Collect(model::rules::kFetches, all, [](const model::FetchRule& r, Situations* to) {
    const Part on{static_cast<int>(r.queued), ShortName(r.queued)};
    ForEach(r.when, model::kFetchGuardCount,
            [&](Part guard) { to->Add(on, guard, {}, model::NumberOf(&r)); });
  });
  Collect(model::rules::kCompletions, all, [](const model::CompletionRule& r, Situations* to) {
    for (int call = 0; call < kCallKindCount; ++call) {
      const auto kind = static_cast<CallKind>(call);
      if (!r.on.Has(kind)) continue;
      ForEach(r.when, model::kFoundCount, [&](Part found) {
        to->Add({call, FunctionName(kind)}, found, {}, model::NumberOf(&r));
      });
    }
  });
}

void CollectEndpoints(std::vector<Alternatives>* all) {
  using Part = Situations::Part;
  Collect(model::rules::kEndpoints, all, [](const model::EndpointRule& r, Situations* to) {
    const Part on{static_cast<int>(CallKind::kCreateEp), FunctionName(CallKind::kCreateEp)};
    ForEach(r.at, model::kEpStepCount,
            [&](Part step) { to->Add(on, Named(r.when), step, model::NumberOf(&r)); });
  });
}

void CollectWork(std::vector<Alternatives>* all) {
  using Part = Situations::Part;
  Collect(model::rules::kWork, all, [](const model::WorkRule& r, Situations* to) {
    ForEach(r.on, model::kWorkKindCount,
            [&](Part kind) { to->Add(kind, Named(r.when), {}, model::NumberOf(&r)); });
  });
}

// Without the -1 that each errno has.
std::string Short(const model::Outcome& outcome) {
  const bool refuses =
      outcome.kind == model::OutcomeKind::kReturns && outcome.error != Errno::kNone;
  return refuses ? cm::ToString(outcome.error) : ToText(outcome);
}

}  // namespace

std::vector<Alternatives> AllAlternatives() {
  std::vector<Alternatives> all;
  CollectCmId(&all);
  CollectIbCm(&all);
  CollectChannel(&all);
  CollectEndpoints(&all);
  CollectWork(&all);
  Collect(model::rules::kQps, &all, [](const model::QpRule& r, Situations* to) {
    ForEach(r.from, model::kQpPhaseCount,
            [&](Situations::Part state) { to->Add(Named(r.on), {}, state, model::NumberOf(&r)); });
  });
  return all;
}

std::string Answers(model::State state, CallKind call) {
  std::vector<model::Outcome> outcomes;
  size_t fine = 0;  // number of those without a guard
  for (const bool free : {true, false}) {
    for (const model::CallRule& rule : model::rules::kCalls) {
      if (rule.on != call || !rule.from.Has(state)) continue;
      if (rule.when.Has(model::Guard::kFine) != free) continue;
      if (std::ranges::find(outcomes, rule.outcome) == outcomes.end())
        outcomes.push_back(rule.outcome);
    }
    if (free) fine = outcomes.size();
  }
  std::string text;
  for (size_t i = 0; i < outcomes.size(); ++i) {
    if (i > 0) text += ", ";
    const std::string_view bold = i < fine ? "**" : "";
    text.append(bold).append(Short(outcomes[i])).append(bold);
  }
  return text;
}

}  // namespace cm::ruledoc
