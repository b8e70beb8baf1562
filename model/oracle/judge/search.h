// The search for an explanation, breadth first: all possibilities that explain what was seen so far
// are followed at the same time.
#ifndef MODEL_ORACLE_JUDGE_SEARCH_H_
#define MODEL_ORACLE_JUDGE_SEARCH_H_

#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "model/oracle/belief/fault_model.h"
#include "model/oracle/belief/fixed.h"
#include "model/oracle/belief/possibility_set.h"
#include "model/oracle/judge/answers.h"
#include "model/oracle/judge/components.h"
#include "model/oracle/judge/verdict.h"
#include "model/oracle/machine/aim.h"
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

// A step of an id, for possibilities that have it: `step(possibility, place of the id,
// judged_step)`.
template <typename Step>
auto AtId(IdRef id, Step step) {
  return [id, step](Possibility& p, JudgedStep& judged) {
    const uint8_t at = p.Find(id);
    if (at != kNoId) step(p, at, judged);
  };
}

struct SearchPlaces {
  Components& components_;
  const Steps& steps_;
};

class Search : Fixed<SearchPlaces> {
 public:
  using Number = Components::Number;

  // The references outlive it.
  Search(Components& components, const Steps& steps) : Fixed<SearchPlaces>({components, steps}) {}
  Search(const Search&) = delete;
  // Over copies of them: each goes on with its own.
  Search& operator=(const Search&) = default;

  // Follows hidden steps until window.end, as the aim needs it, and drops possibilities with an
  // overdue one. False with a verdict when nothing is left or when there are too many.
  bool Close(Number number, const Window& window, Verdict* verdict, const Aim& aim = {});
  // The same with AimAt(id): in a crowd it follows no more than a call on the id needs.
  bool Close(IdRef id, const Window& window, Verdict* verdict) {
    return Close(components_.NumberOf(id), window, verdict, AimAt(id));
  }
  // Every component; `but_crowds`: where what is in progress may as well happen later.
  void CloseAll(const Window& window, bool but_crowds = false);
  // The same for all that is judged next at this time: until something is, it is done once.
  void Follow(const Window& window);
  // The same without following them: nothing has happened until window.begin.
  bool Stay(Number number, const Window& window, Verdict* verdict, const Aim& aim = {});

  // Replaces each possibility by its successors; `step(possibility, judged_step)` finds them, and
  // may move the possibility. False when nothing is left.
  template <typename Step>
  bool Advance(Number number, Verdict* verdict, Step step) {
    PossibilitySet next;
    next.Reserve(components_.SetOf(number).size());
    JudgedStep judged(verdict, &next);
    for (Possibility& p : components_.SetOf(number).mutable_items()) step(p, judged);
    const bool any = !next.empty();
    components_.Put(number, std::move(next));
    return any;
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
  // The same with a step of one id: `step(possibility, place of the id, judged_step)`.
  template <typename Step>
  bool Keep(IdRef id, Verdict* verdict, Step step) {
    return Keep(components_.NumberOf(id), verdict, AtId(id, step));
  }
  // Closes before.
  template <typename Step>
  bool Judge(Number number, const Window& window, Verdict* verdict, Step step) {
    return Close(number, window, verdict) && Keep(number, verdict, step);
  }
  template <typename Step>
  bool Judge(IdRef id, const Window& window, Verdict* verdict, Step step) {
    return Close(id, window, verdict) && Keep(id, verdict, step);
  }
  // Until the end of the window it is as `holds(possibility)` says, and nothing is overdue then.
  template <typename Holds>
  bool Last(Number number, const Window& window, Verdict* verdict, Holds holds,
            const Aim& aim = {}) {
    const auto step = [&](Possibility& p, JudgedStep& judged) {
      if (holds(p)) judged.Add(std::move(p));
    };
    // In a crowd what has to happen until then is followed, and nothing else.
    const bool lazy = aim.quiet.valid() && IsCrowd(number);
    return Close(number, lazy ? window.AtEnd() : window, verdict, aim) &&
           Keep(number, verdict, step) && Stay(number, window.AtEnd(), verdict, aim);
  }
  // A call that lasts: `begins` when it is made, `waits` in all of `waited`, if there is such a
  // time, and what happened until window.end `ends` it.
  template <typename Begins, typename Waits, typename Ends>
  bool JudgeLasting(IdRef id, const Window& window, const std::optional<Window>& waited,
                    Verdict* verdict, Begins begins, Waits waits, Ends ends) {
    const Number number = components_.NumberOf(id);
    const Aim aim = AimAt(id);
    if (!Close(number, window.AtBegin(), verdict, aim)) return false;
    if (!Advance(number, verdict, begins)) return Keep(number, verdict, ends);
    Verdict lasting{.saw = verdict->saw + (waited ? ", late" : "")};
    if ((waited && !Last(number, *waited, &lasting, waits, aim)) ||
        !Close(number, window, &lasting, aim)) {
      if (lasting.permitted.empty()) lasting.permitted = std::move(verdict->permitted);
      *verdict = std::move(lasting);
      return false;
    }
    verdict->certain |= lasting.certain;
    return Keep(number, verdict, ends);
  }
  // Changes every possibility of every component in place.
  template <typename ChangeOne>
  void ChangeAll(ChangeOne change) {
    for (const Number number : components_.All())
      for (Possibility& p : components_.SetOf(number).mutable_items()) change(&p);
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
  // Rows that every remaining possibility has used are certain; they are counted once.
  void Confirm(Number number, Verdict* verdict);

  // One that is judged apart has repeated what it had to by then, and may have got an MRA.
  void FollowApart(IdRef asker, const Window& window);
  // A call on one that is judged apart may end what it repeats.
  void PrepareApart(IdRef id, const Window& window);
  // What a call on the id depends on: of a listener, everything that asks it as well.
  Aim AimAt(IdRef id) const {
    const bool all =
        components_.facts().id(id).listens && !components_.IsLazy(components_.NumberOf(id));
    return all ? Aim{} : Aim{.id = id};
  }
  bool IsCrowd(Number number) const {
    const PossibilitySet& set = components_.Peek(number);
    const bool many = !set.empty() && set.items().front().ids.size() >= components_.facts().crowd;
    return many || components_.IsLazy(number);
  }

  // Of a crowd whose requests look the same, only the first possibilities are followed: from then
  // on nothing can be refused for certain.
  void Guess(Number number);
  void NoteGuess() { has_guessed_ = true; }
  bool has_guessed() const { return has_guessed_; }
  // What is refused may be explained by something that is not followed: of any component, of one.
  bool IsPartial() const { return has_guessed_ || components_.facts().any_lazy; }
  bool IsPartial(Number number) const { return has_guessed_ || components_.IsLazy(number); }

  // Rows of some explanation so far.
  const RuleBits& reached() const { return reached_; }
  void Reach(const RuleBits& rows) { reached_ |= rows; }

 private:
  // All hidden steps; where that is too much, those that the aim needs, from then on, and of fewer
  // possibilities. False where that is too much as well.
  bool FollowSteps(Number number, const Window& window, const Aim& aim);
  // Those that are judged apart repeat what they have to.
  void RepeatApart(Number number, const Window& window);
  // One of them does, or comes by `otherwise` to something else.
  using Otherwise = std::optional<Possibility> (Steps::Expansion::*)(const Possibility&,
                                                                     IdRef) const;
  void AdvanceApart(IdRef asker, const Window& window, Otherwise otherwise);

  RuleBits reached_;
  bool has_guessed_ = false;
  // Where worlds that differ in times alone count as one: wider times keep more of them.
  bool widens_ = false;
};

}  // namespace cm::model

#endif  // MODEL_ORACLE_JUDGE_SEARCH_H_
