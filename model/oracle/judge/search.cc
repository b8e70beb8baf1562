#include "model/oracle/judge/search.h"

#include <algorithm>
#include <vector>

#include "model/oracle/machine/expansion.h"

namespace cm::model {
namespace {

// Possibilities of a component that are followed: where there are more, in part.
constexpr size_t kMostPossibilities = 65536;
// And of which so many are followed on where that is too much as well.
constexpr size_t kMostInPart = 4096;
// And of a crowd that has shown a request, of which many look the same; more where those that look
// alike are exchanged.
constexpr size_t kMostFollowed = 256;
constexpr size_t kMostFollowedOfAlike = 2048;
// And the ids in all of them: fewer possibilities of a crowd.
constexpr size_t kMostIds = 8 * kMostPossibilities;

// Follows all hidden steps. False when there are too many possibilities. `guesses`
// is set where not all of its requests that look the same are followed.
// What is overdue gives way to what it becomes, or, with `widens`, makes its times wider.
bool Expand(const Steps& steps, const Window& window, const Aim& aim,
            const ConversationFacts& facts, bool widens, bool* guesses, PossibilitySet* set) {
  std::vector<size_t> open(set->size());
  for (size_t i = 0; i < open.size(); ++i) open[i] = i;
  std::vector<bool> queued(set->size(), true);
  std::vector<IdRef> only(set->size());  // the sender that a possibility is followed for
  std::vector<std::pair<size_t, IdRef>> reached;
  std::vector<bool> stays;
  std::vector<bool> overdue;
  size_t from = 0;
  Steps::Remains remains = Steps::Remains::kMayStay;
  const Steps::Take take = [&](Possibility successor, IdRef sender) {
    // It is so until one of them takes the place of what they come from.
    if (reached.empty()) overdue[from] = remains == Steps::Remains::kIsOverdue;
    const auto [added, at] = set->Add(std::move(successor), widens ? nullptr : &overdue);
    if (added != PossibilitySet::Added::kKnown) reached.emplace_back(at, sender);
  };
  for (size_t next = 0; next < open.size(); ++next) {
    const size_t ids = set->size() * set->items().front().ids.size();
    if (set->size() > kMostPossibilities || ids > kMostIds) return false;
    from = open[next];
    queued[from] = false;
    const Possibility p = set->items()[from];  // a copy: the set grows
    Aim own = aim;
    own.only = only[from];
    own.guesses = *guesses;
    reached.clear();
    overdue.resize(set->size());
    Steps::Expansion expansion(steps, window, own);
    expansion.Expand(p, take, &remains);
    *guesses |= expansion.cuts();
    stays.resize(set->size(), true);
    stays[from] = remains != Steps::Remains::kIsStoodFor;
    only.resize(set->size());
    for (const auto& [at, sender] : reached) {
      // In a crowd, one request that the listener may show is enough.
      const bool shown = aim.request != nullptr && set->items()[at].ids.size() > p.ids.size();
      if (shown && p.ids.size() >= facts.crowd && IsCrowd(facts, p)) continue;
      // Those that look alike are not what they are called.
      if (!set->items()[at].HasAlike()) only[at] = own.only.valid() ? own.only : sender;
      if (at >= queued.size()) queued.resize(at + 1, false);
      if (!queued[at]) open.push_back(at);
      queued[at] = true;
    }
  }
  stays.resize(set->size(), true);
  if (std::ranges::find(stays, false) != stays.end())
    set->Keep([&stays](size_t i) { return stays[i]; });
  return true;
}

// Drops what is overdue, and returns its names.
std::vector<std::string> DropOverdue(const Steps& steps, const Window& window, const Aim& aim,
                                     PossibilitySet* set) {
  std::vector<std::string> overdue;
  std::vector<bool> stays;
  stays.reserve(set->size());
  for (const Possibility& p : set->items()) {
    std::string what = Steps::Expansion(steps, window, aim).Overdue(p);
    stays.push_back(what.empty());
    if (!what.empty() && std::ranges::find(overdue, what) == overdue.end())
      overdue.push_back(std::move(what));
  }
  if (!set->may_have_doubles() && std::ranges::find(stays, false) == stays.end()) return overdue;
  set->Keep([&stays](size_t i) { return stays[i]; });
  return overdue;
}

}  // namespace

void Search::RepeatApart(Number number, const Window& window) {
  const ConversationFacts& facts = components_.facts();
  if (!facts.any_apart) return;
  const auto apart = [&](IdRef id) { return facts.id(id).apart_from.valid(); };
  if (std::ranges::none_of(components_.IdsOf(number), apart)) return;
  for (Possibility& p : components_.SetOf(number).mutable_items())
    Steps::Expansion(steps_, window, Aim{}).RepeatApart(&p);
}

bool Search::Close(Number number, const Window& window, Verdict* verdict, const Aim& aim) {
  const bool again = window.begin == window.end && components_.IsFollowed(number, window.end);
  if (!components_.CountHitsElsewhere(number)) {
    verdict->kind = VerdictKind::kRefused;
    verdict->permitted.push_back(
        {.what = "no more messages than a fault may hit", .source = "docs/owed.md"});
    return false;
  }
  RepeatApart(number, window);
  if (again || FollowSteps(number, window, aim)) return Stay(number, window, verdict, aim);
  components_.NoteSize(number);
  verdict->kind = VerdictKind::kInconclusive;
  return false;
}

bool Search::FollowSteps(Number number, const Window& window, const Aim& aim) {
  PossibilitySet& set = components_.SetOf(number);
  const size_t before = set.size();
  const auto follow = [&] {
    return Expand(steps_, window, aim, components_.facts(), widens_, &has_guessed_, &set);
  };
  if (follow()) return true;
  components_.NoteSize(number);
  const auto first = [before](size_t i) { return i < before; };
  if (components_.MakeLazy(number)) {
    set.Keep(first);
    if (follow()) return true;
  }
  set.Keep(first);
  set.Thin(kMostInPart);
  return follow();
}

bool Search::Stay(Number number, const Window& window, Verdict* verdict, const Aim& aim) {
  RepeatApart(number, window);
  PossibilitySet& set = components_.SetOf(number);
  const std::vector<std::string> overdue = DropOverdue(steps_, window, aim, &set);
  components_.NoteSize(number);
  if (!set.empty()) return true;
  verdict->kind = VerdictKind::kRefused;
  for (const std::string& what : overdue)
    verdict->permitted.push_back(
        {.what = what + " is overdue, and nothing shows it", .source = "docs/owed.md"});
  return false;
}

void Search::AdvanceApart(IdRef asker, const Window& window, Otherwise otherwise) {
  Verdict ignored;
  const Aim everything;
  Advance(components_.NumberOf(asker), &ignored, [&](Possibility& p, JudgedStep& judged) {
    Steps::Expansion expansion(steps_, window, everything);
    expansion.RepeatApart(&p);
    if (std::optional<Possibility> other = (expansion.*otherwise)(p, asker))
      judged.Add(*std::move(other));
    judged.Add(std::move(p));
  });
}

void Search::FollowApart(IdRef asker, const Window& window) {
  AdvanceApart(asker, window, &Steps::Expansion::WithMra);
}

void Search::PrepareApart(IdRef id, const Window& window) {
  if (components_.facts().id(id).apart_from.valid())
    AdvanceApart(id, window, &Steps::Expansion::WithRepetition);
}

void Search::Guess(Number number) {
  PossibilitySet& set = components_.SetOf(number);
  if (!IsCrowd(number) || set.empty()) return;
  const size_t most = set.items().front().HasAlike() ? kMostFollowedOfAlike : kMostFollowed;
  if (set.size() <= most) return;
  has_guessed_ = true;
  PossibilitySet first = std::move(set);
  first.Keep([most](size_t i) { return i < most; });
  components_.Put(number, std::move(first));
}

void Search::CloseAll(const Window& window, bool but_crowds) {
  for (const Number number : components_.All()) {
    Verdict ignored;
    if (but_crowds && IsCrowd(number)) continue;
    Close(number, window, &ignored);
  }
}

void Search::Follow(const Window& window) {
  widens_ = true;
  components_.ForgetFollowed();
  for (const Number number : components_.All()) {
    Verdict ignored;
    if (!Close(number, window, &ignored)) continue;
    // In a crowd it depends on what is judged which steps are followed.
    if (!components_.facts().any_apart && !IsCrowd(number))
      components_.NoteFollowed(number, window.end);
  }
}

void Search::Confirm(Number number, Verdict* verdict) {
  PossibilitySet& set = components_.SetOf(number);
  if (set.empty()) return;
  const RuleBits certain = set.TakeCertain(&reached_);
  if (!IsPartial(number)) verdict->certain |= certain;
}

}  // namespace cm::model
