#include "conformance/explore/explore.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <memory>
#include <set>
#include <thread>
#include <utility>

#include "conformance/explore/branch.h"
#include "conformance/explore/orders.h"
#include "conformance/explore/state_store.h"
#include "conformance/explore/written.h"
#include "conformance/runner/campaign.h"

namespace cm::explore {
namespace {

// Worlds of the next states are kept up to this number; the others are made once more.
constexpr size_t kWorldsKept = 20'000;
// States that one job takes at a time.
constexpr size_t kTaken = 32;

// A state to go on from.
struct Place {
  StateNumber number = kStart;
  std::unique_ptr<Branch> branch;  // or null: its moves lead there
};

// What one transition has come to.
struct Arrival {
  StateNumber from = kStart;
  Move move;
  Judged judged;
  uint64_t key = 0;
  bool is_new = false;  // as far as its finder knows
  Judged at_rest;       // of a quiet world: what is owed there
  bool quiet = false;
  bool waits = false;  // an id waits in a quiet world
  std::unique_ptr<Branch> branch;
};

// Branches that are not needed any more: a copy of another is made in their memory.
class Spares {
 public:
  std::unique_ptr<Branch> CopyOf(const Branch& other) {
    if (spare_.empty()) return std::make_unique<Branch>(other);
    std::unique_ptr<Branch> branch = std::move(spare_.back());
    spare_.pop_back();
    *branch = other;
    return branch;
  }
  void Take(std::unique_ptr<Branch> branch) { spare_.push_back(std::move(branch)); }

 private:
  std::vector<std::unique_ptr<Branch>> spare_;
};

class Search {
 public:
  Search(Implementation& implementation, const Repertoire& repertoire, const Bounds& bounds)
      : implementation_(implementation),
        repertoire_(repertoire),
        bounds_(bounds),
        limits_{.faults = bounds.faults,
                .calls_within = bounds.calls_within,
                .in_order = bounds.symmetry,
                .beliefs = bounds.beliefs},
        spares_(static_cast<size_t>(bounds.jobs)) {}

  Result Run(const OnDepth& on_depth, const std::atomic<bool>& interrupted) {
    ReplayChoice firsts({});
    auto start =
        std::make_unique<Branch>(repertoire_, implementation_, &firsts, Branch::Keep::kNothing);
    store_ = std::make_unique<StateStore>(start->Key(limits_));
    places_.push_back({kStart, std::move(start)});
    while (!places_.empty() && (bounds_.depth == 0 || result_.depth < bounds_.depth) &&
           store_->size() < bounds_.states && !interrupted) {
      GoOn();
      if (!places_.empty()) ++result_.depth;
      Sum();
      if (on_depth) on_depth(result_);
    }
    result_.complete = places_.empty() && result_.inconclusive == 0 && result_.left_out == 0;
    Sum();
    return std::move(result_);
  }

 private:
  // One move from each place, by all jobs; what they found is taken in the order of the places.
  void GoOn() {
    std::vector<std::vector<Arrival>> found((places_.size() + kTaken - 1) / kTaken);
    std::atomic<size_t> next{0};
    std::atomic<size_t> kept{0};
    const auto work = [&](Spares* spares) {
      for (size_t i = next++; i < found.size(); i = next++) {
        const size_t end = std::min((i + 1) * kTaken, places_.size());
        std::set<uint64_t> here;
        for (size_t at = i * kTaken; at < end; ++at)
          Leave(&places_[at], &here, &kept, spares, &found[i]);
      }
    };
    {
      std::vector<std::jthread> others;
      for (size_t i = 1; i < spares_.size(); ++i) others.emplace_back(work, &spares_[i]);
      work(&spares_.front());
    }
    places_.clear();
    for (std::vector<Arrival>& some : found)
      for (Arrival& arrival : some) Take(&arrival);
  }

  std::unique_ptr<Branch> BranchAt(StateNumber number) const {
    ReplayChoice firsts({});
    auto branch =
        std::make_unique<Branch>(repertoire_, implementation_, &firsts, Branch::Keep::kNothing);
    for (const Move& move : store_->WayTo(number)) {
      NumberedChoice order(move.order, nullptr);
      branch->Do(repertoire_.actions[move.action], &order);
    }
    return branch;
  }

  // Tries everything in a state.
  void Leave(Place* place, std::set<uint64_t>* here, std::atomic<size_t>* kept, Spares* spares,
             std::vector<Arrival>* found) const {
    std::unique_ptr<Branch> from =
        place->branch ? std::move(place->branch) : BranchAt(place->number);
    std::vector<size_t> allowed;
    for (size_t i = 0; i < repertoire_.actions.size(); ++i)
      if (from->Allows(repertoire_.actions[i], limits_)) allowed.push_back(i);
    if (allowed.size() > 1) from->Follow();
    for (const size_t i : allowed) {
      const Action& action = repertoire_.actions[i];
      // A call that waits lets time pass as well, in one order.
      const bool all_orders = bounds_.all_orders && action.kind == Action::Kind::kTime;
      ExhaustiveChoice orders;
      ReplayChoice firsts({});
      Choice* choice = &firsts;
      if (all_orders) choice = &orders;
      do {
        NumberingChoice numbering(choice);
        std::unique_ptr<Branch> branch = spares->CopyOf(*from);
        Arrival arrival{.from = place->number, .judged = branch->Do(action, &numbering)};
        arrival.move = {.order = numbering.number(), .action = static_cast<uint16_t>(i)};
        Arrive(&branch, here, kept, &arrival);
        if (branch) spares->Take(std::move(branch));
        found->push_back(std::move(arrival));
      } while (all_orders && orders.Next());
    }
    spares->Take(std::move(from));
  }

  // Takes the branch, if it is to be gone on from.
  void Arrive(std::unique_ptr<Branch>* taken, std::set<uint64_t>* here, std::atomic<size_t>* kept,
              Arrival* arrival) const {
    Branch* const branch = taken->get();
    if (arrival->judged.kind != model::VerdictKind::kPermitted || arrival->judged.left_out) return;
    arrival->key = branch->Key(limits_);
    arrival->is_new = !store_->Has(arrival->key) && here->insert(arrival->key).second;
    if (!arrival->is_new) return;
    arrival->quiet = branch->IsQuiet();
    if (arrival->quiet) {
      arrival->at_rest = branch->JudgeQuiet();
      arrival->waits = branch->AnyIdWaits();
    }
    if ((*kept)++ < kWorldsKept) arrival->branch = std::move(*taken);
  }

  void Take(Arrival* arrival) {
    ++result_.transitions;
    result_.rows |= arrival->judged.rows;
    if (arrival->judged.kind == model::VerdictKind::kInconclusive) ++result_.inconclusive;
    if (arrival->judged.left_out) ++result_.left_out;
    if (arrival->judged.kind == model::VerdictKind::kRefused)
      return Refuse(*arrival, arrival->judged, Ending::kAtOnce);
    if (!arrival->is_new || !store_->Add(arrival->key, arrival->from, arrival->move)) return;
    const auto number = static_cast<StateNumber>(store_->size() - 1);
    result_.rows |= arrival->at_rest.rows;
    if (arrival->at_rest.kind == model::VerdictKind::kRefused)
      return Refuse(*arrival, arrival->at_rest, Ending::kQuiet);
    if (arrival->quiet) ++result_.quiet;
    if (arrival->waits && ++result_.waiting == 1)
      result_.waits_for_ever.push_back(
          WrittenDown(repertoire_, implementation_, store_->WayTo(number), Ending::kQuiet));
    places_.push_back({number, std::move(arrival->branch)});
  }

  std::vector<Move> WayOf(const Arrival& arrival) const {
    std::vector<Move> moves = store_->WayTo(arrival.from);
    moves.push_back(arrival.move);
    return moves;
  }

  // A refusal that looks new is carried out by itself: what that shows is the finding.
  void Refuse(const Arrival& arrival, const Judged& judged, Ending ending) {
    const auto known = refused_.find({judged.line, judged.saw});
    if (known != refused_.end()) {
      if (known->second != kNoFinding)
        ++result_.findings[known->second].transitions;
      else
        ++result_.unexplained;
      return;
    }
    const Conversation written = WrittenDown(repertoire_, implementation_, WayOf(arrival), ending);
    const SequenceRun run = RunOne(implementation_, written, {});
    size_t number = kNoFinding;
    for (const Finding& finding : run.result.findings) {
      const auto same = std::ranges::find_if(
          result_.findings, [&](const ShortestFinding& f) { return f.finding.Same(finding); });
      const bool is_rows = finding.id == kRowsId;
      if (is_rows) number = static_cast<size_t>(same - result_.findings.begin());
      if (same != result_.findings.end()) continue;
      result_.findings.push_back({finding, written, 0});
      result_.findings.back().finding.calls = CallCount(written);
    }
    if (number == kNoFinding)
      ++result_.unexplained;
    else
      ++result_.findings[number].transitions;
    refused_.emplace(std::pair(judged.line, judged.saw), number);
  }

  void Sum() {
    result_.states = store_->size();
    result_.bytes = store_->bytes();
  }

  static constexpr size_t kNoFinding = SIZE_MAX;

  Implementation& implementation_;
  const Repertoire& repertoire_;
  const Bounds& bounds_;
  const Limits limits_;
  std::unique_ptr<StateStore> store_;
  std::vector<Place> places_;
  std::vector<Spares> spares_;                                  // by job
  std::map<std::pair<uint32_t, std::string>, size_t> refused_;  // to the finding, by its number
  Result result_;
};

}  // namespace

Result Explore(Implementation& implementation, const Repertoire& repertoire, const Bounds& bounds,
               const OnDepth& on_depth, const std::atomic<bool>& interrupted) {
  return Search(implementation, repertoire, bounds).Run(on_depth, interrupted);
}

}  // namespace cm::explore
