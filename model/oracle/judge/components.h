// Groups of ids that can influence one another, with what may be so of each: the search for an
// explanation, breadth first.
#ifndef MODEL_ORACLE_JUDGE_COMPONENTS_H_
#define MODEL_ORACLE_JUDGE_COMPONENTS_H_

#include <algorithm>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "model/oracle/belief/conversation_facts.h"
#include "model/oracle/belief/fault_model.h"
#include "model/oracle/belief/possibility_set.h"
#include "model/oracle/judge/answers.h"
#include "model/oracle/judge/verdict.h"
#include "model/oracle/machine/steps.h"

namespace cm::model {

// What an observation makes of one possibility: its successors, by the rows that permit them, and
// what else would have been permitted. A possibility without a successor is refuted.
class JudgedStep {
 public:
  JudgedStep(Verdict* verdict, PossibilitySet* next) : verdict_(verdict), next_(next) {}

  template <typename Rule>
  void Permit(const Rule& rule, std::string what) {
    model::Permit(verdict_, rule, std::move(what));
  }
  void Permit(std::string what, std::string_view source) {
    model::Permit(verdict_, std::move(what), source);
  }
  // The rows explain what was seen.
  template <typename Rule>
  void By(const Rule& rule) {
    verdict_->by.set(NumberOf(&rule));
  }
  void By(const RuleBits& rows) { verdict_->by |= rows; }
  void Add(Possibility successor) { next_->Add(std::move(successor)); }

 private:
  Verdict* verdict_;
  PossibilitySet* next_;
};

class Components {
 public:
  using Number = uint32_t;

  // The references outlive it.
  Components(ConversationFacts& facts, const Steps& steps) : facts_(facts), steps_(steps) {}

  // Ids. A new id is a component of its own; a request belongs to that of its listener.
  void Add(IdRef id);
  void AddRequest(IdRef listener, IdRef request) { Of(listener).ids.push_back(request); }
  // The id, and all that it can influence, are not judged any more.
  void MarkOutOfScope(IdRef id);
  const std::vector<Possibility>& PossibilitiesOf(IdRef id) { return Of(id).set.items(); }
  const std::vector<Possibility>& PossibilitiesOf(Number number) {
    return components_[number].set.items();
  }
  const std::vector<IdRef>& IdsOf(Number number) { return components_[number].ids; }
  Number NumberOf(IdRef id) const { return facts_.id(id).component; }
  std::vector<Number> All() const;
  bool Has(Number number) const { return components_.contains(number); }
  // Those with an id, or a request that was left, on the channel.
  std::vector<Number> On(ChannelRef channel) const;

  // Joining and parting: the sender of a request with the owners of its port, the owner of a port
  // with those that ask for it, and those that may find one another's queue pair in use.
  void Merge(IdRef a, IdRef b);
  void MergeForRequest(IdRef id);
  void MergeForService(IdRef id, uint16_t port);
  void MergeForQp(IdRef id);
  // Parts the component where nothing couples its ids any more, if its set is the product of its
  // parts.
  void Split(Number number);

  // Follows hidden steps until window.end and drops possibilities with an overdue one. False with
  // a verdict when nothing is left or when there are too many.
  bool Close(Number number, const Window& window, Verdict* verdict);
  void CloseAll(const Window& window);

  // Replaces each possibility by its successors; `step(possibility, judged_step)` finds them, and
  // may move the possibility. False when nothing is left.
  template <typename Step>
  bool Advance(Number number, Verdict* verdict, Step step) {
    Component& component = components_[number];
    PossibilitySet next;
    JudgedStep judged(verdict, &next);
    for (Possibility& p : component.set.mutable_items()) step(p, judged);
    component.set = std::move(next);
    largest_ = std::max(largest_, component.set.size());
    return !component.set.empty();
  }
  // The same as a judgement: refused when nothing is left; else rows that all explanations share
  // are certain.
  template <typename Step>
  bool Keep(Number number, Verdict* verdict, Step step) {
    if (Advance(number, verdict, step))
      Confirm(number, verdict);
    else
      verdict->kind = VerdictKind::kRefused;
    return verdict->IsPermitted();
  }
  // Closes before.
  template <typename Step>
  bool Judge(Number number, const Window& window, Verdict* verdict, Step step) {
    return Close(number, window, verdict) && Keep(number, verdict, step);
  }
  // A call that lasts: `begins` when it is made, and what happened until window.end `ends` it.
  template <typename Begins, typename Ends>
  bool JudgeLasting(Number number, const Window& window, Verdict* verdict, Begins begins,
                    Ends ends) {
    if (!Close(number, window.AtBegin(), verdict)) return false;
    Verdict closing{.saw = verdict->saw};
    if (Advance(number, verdict, begins) && !Close(number, window, &closing)) {
      *verdict = std::move(closing);
      return false;
    }
    return Keep(number, verdict, ends);
  }
  // Changes every possibility of every component in place.
  template <typename Change>
  void ChangeAll(Change change) {
    for (auto& [number, component] : components_)
      for (Possibility& p : component.set.mutable_items()) change(&p);
  }
  // Changes every possibility of the component; those that become alike are stored once.
  template <typename ChangeOne>
  void Change(Number number, ChangeOne change) {
    Verdict ignored;
    Advance(number, &ignored, [&](Possibility& p, JudgedStep& judged) {
      change(&p);
      judged.Add(std::move(p));
    });
  }
  // Puts another set in the place of what may be so, and returns that.
  PossibilitySet Exchange(Number number, PossibilitySet set) {
    largest_ = std::max(largest_, set.size());
    return std::exchange(components_[number].set, std::move(set));
  }
  void Confirm(Number number, Verdict* verdict);

  // Whether it may be so of the id, or of some possibility.
  template <typename Is>
  bool MayBe(IdRef id, Is is) {
    return std::ranges::any_of(PossibilitiesOf(id), [&](const Possibility& p) {
      const uint8_t at = p.Find(id);
      return at != kNoId && is(p.ids[at]);
    });
  }
  template <typename Is>
  bool Any(Number number, Is is) {
    return std::ranges::any_of(PossibilitiesOf(number), is);
  }
  // One id of each component in which it may be so; `is(possibility)`.
  template <typename Is>
  std::vector<IdRef> WhereMayBe(Is is) const {
    std::vector<IdRef> found;
    for (const auto& [number, component] : components_)
      if (!component.ids.empty() && std::ranges::any_of(component.set.items(), is))
        found.push_back(component.ids.front());
    return found;
  }

  size_t largest() const { return largest_; }
  // Rows of some explanation so far.
  const RuleBits& reached() const { return reached_; }
  void Reach(const RuleBits& rows) { reached_ |= rows; }

 private:
  struct Component {
    PossibilitySet set;
    std::vector<IdRef> ids;  // the named ones
  };

  Component& Of(IdRef id) { return components_[NumberOf(id)]; }

  ConversationFacts& facts_;
  const Steps& steps_;
  std::map<Number, Component> components_;
  Number next_ = 0;
  RuleBits reached_;
  size_t largest_ = 0;
};

// A step of an id, for possibilities that have it: `step(possibility, place of the id,
// judged_step)`.
template <typename Step>
auto AtId(IdRef id, Step step) {
  return [id, step](Possibility& p, JudgedStep& judged) {
    const uint8_t at = p.Find(id);
    if (at != kNoId) step(p, at, judged);
  };
}

}  // namespace cm::model

#endif  // MODEL_ORACLE_JUDGE_COMPONENTS_H_
