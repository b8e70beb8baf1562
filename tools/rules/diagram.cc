#include "tools/rules/diagram.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "model/base/errno.h"
#include "model/channel/rules.h"
#include "model/cm_id/rules.h"
#include "model/ib_cm/rules.h"
#include "model/qp/rules.h"
#include "model/rules/rule.h"
#include "model/vocabulary/call.h"

namespace cm::ruledoc {
namespace {

using model::Set;

// With fewer states every edge is drawn.
constexpr int kManyStates = 6;

// Puts rows together into edges, in the order of the rows.
class Sketch {
 public:
  // A row leads from each of its states to one, on the stimulus.
  void Add(std::vector<std::string> from, std::string to, std::string stimulus,
           std::string_view id) {
    std::erase(from, to);
    if (from.empty()) return;
    const auto known = std::ranges::find_if(steps_, [&](const Step& s) {
      return s.to == to && s.stimulus == stimulus && s.from == from;
    });
    if (known != steps_.end()) {
      known->ids.emplace_back(id);
      return;
    }
    steps_.push_back({std::move(from), std::move(to), std::move(stimulus), {std::string(id)}});
  }

  std::vector<Edge> Edges(const std::vector<std::string>& states) {
    if (states.size() >= kManyStates) DrawOnceWhatAllDo(states);
    std::vector<Edge> edges;
    for (const Step& step : steps_) {
      const std::string label = fmt::format("{} ({})", step.stimulus, Abbreviated(step.ids));
      for (const std::string& from : step.from) {
        const auto known = std::ranges::find_if(
            edges, [&](const Edge& e) { return e.from == from && e.to == step.to; });
        if (known == edges.end())
          edges.push_back({from, step.to, {label}});
        else
          known->labels.push_back(label);
      }
    }
    return edges;
  }

 private:
  struct Step {
    std::vector<std::string> from;
    std::string to;
    std::string stimulus;
    std::vector<std::string> ids;
  };

  // Steps of one stimulus to one state that begin in all other states become one step.
  void DrawOnceWhatAllDo(const std::vector<std::string>& states) {
    for (size_t i = 0; i < steps_.size(); ++i) {
      Step all{{std::string(kElsewhere)}, steps_[i].to, steps_[i].stimulus, {}};
      const auto alike = [&](const Step& s) {
        return s.to == all.to && s.stimulus == all.stimulus;
      };
      const auto leads = [&](const std::string& state) {
        return state == all.to || std::ranges::any_of(steps_, [&](const Step& s) {
                 return alike(s) && std::ranges::find(s.from, state) != s.from.end();
               });
      };
      if (!std::ranges::all_of(states, leads)) continue;
      for (const Step& s : steps_)
        if (alike(s)) all.ids.insert(all.ids.end(), s.ids.begin(), s.ids.end());
      std::erase_if(steps_, alike);
      steps_.insert(steps_.begin() + static_cast<ptrdiff_t>(i), std::move(all));
    }
  }

  std::vector<Step> steps_;
};

template <typename E>
std::vector<std::string> Names(Set<E> set, int count) {
  std::vector<std::string> names;
  for (int i = 0; i < count; ++i)
    if (set.Has(static_cast<E>(i))) names.emplace_back(ToString(static_cast<E>(i)));
  return names;
}

// The row that delivers a request to its listener.
std::string_view DeliveryId() {
  const auto row = std::ranges::find(model::rules::kRequests, model::RequestOutcome::kDelivered,
                                     &model::RequestRule::outcome);
  return row->id;
}

// The same for a request for a datagram service.
std::string_view DatagramDeliveryId() {
  return std::ranges::find(model::rules::kSidrRequests, true, &model::SidrRequestRule::delivered)
      ->id;
}

Diagram CmId() {
  Diagram diagram{.name = "cm_id",
                  .title = "cm_id",
                  .says =
                      "The states of an `rdma_cm_id`, as the kernel has them. After "
                      "`rdma_connect` the IB CM tells the rest."};
  diagram.states = Names(Set<model::State>::All(model::kStateCount), model::kStateCount);
  Sketch sketch;
  for (const model::CallRule& r : model::rules::kCalls) {
    const std::vector<std::string> from = Names(r.from, model::kStateCount);
    std::string stimulus(FunctionName(r.on));
    if (r.outcome.error != Errno::kNone) stimulus += " -1 " + cm::ToString(r.outcome.error);
    if (r.on == CallKind::kCreateId && r.outcome == model::Returns())
      sketch.Add({std::string(kBirth)}, std::string(ToString(r.to)), stimulus, r.id);
    else if (std::ranges::find(r.effects, model::Effect::kDestroys) != r.effects.end())
      sketch.Add(from, std::string(kDeath), stimulus, r.id);
    else if (r.to != model::State::kSame)
      sketch.Add(from, std::string(ToString(r.to)), stimulus, r.id);
  }
  // A request creates an id of its own. source: linux 6.1 cma.c cma_ib_req_handler
  sketch.Add({std::string(kBirth)}, std::string(ToString(model::State::kConnect)),
             "a request is delivered", DeliveryId());
  for (const model::BelowRule& r : model::rules::kFromBelow) {
    if (r.to == model::State::kSame) continue;
    sketch.Add(Names(r.from, model::kStateCount), std::string(ToString(r.to)),
               std::string(ToString(r.on)), r.id);
  }
  for (const model::ReportRule& r : model::rules::kReports) {
    if (r.to == model::State::kSame) continue;
    sketch.Add(Names(r.from, model::kStateCount), std::string(ToString(r.to)),
               fmt::format("{} reported", ToString(r.on)), r.id);
  }
  diagram.edges = sketch.Edges(diagram.states);
  return diagram;
}

std::string Stimulus(model::IbStimulus on) {
  using enum model::IbStimulus;
  constexpr auto kMessages =
      std::to_array({kReqAgain, kMra, kRep, kRepStale, kRepKnown, kRepAgain, kRtu, kRej, kRejStale,
                     kRejMoved, kDreq, kDreqOtherQp, kDrep});
  const bool message = std::ranges::find(kMessages, on) != kMessages.end();
  return std::string(ToString(on)) + (message ? " arrives" : "");
}

Diagram IbCm() {
  using model::IbState;
  Diagram diagram{.name = "ib_cm",
                  .title = "ib_cm",
                  .says =
                      "The states of an identifier of the IB CM. `none`: there is none yet, or "
                      "no more."};
  diagram.states = Names(Set<IbState>::All(model::kIbStateCount), model::kIbStateCount);
  Sketch sketch;
  // A delivered request has been answered by MRA, or will be. source: linux 6.1 cma.c
  // cma_ib_req_handler, cm.c ib_send_cm_mra
  sketch.Add({std::string(ToString(IbState::kNone))}, std::string(ToString(IbState::kMraReqSent)),
             "REQ is delivered", DeliveryId());
  sketch.Add({std::string(ToString(IbState::kNone))}, std::string(ToString(IbState::kSidrReqRcvd)),
             "SIDR_REQ is delivered", DatagramDeliveryId());
  for (const model::IbRule& r : model::rules::kIbCm) {
    if (r.to == IbState::kSame) continue;
    sketch.Add(Names(r.from, model::kIbStateCount), std::string(ToString(r.to)), Stimulus(r.on),
               r.id);
  }
  diagram.edges = sketch.Edges(diagram.states);
  return diagram;
}

Diagram Qp() {
  Diagram diagram{.name = "qp",
                  .title = "qp",
                  .says =
                      "The queue pair of an id, between two calls. RESET is passed through, and so "
                      "is RTR where the device can ask as deep as the call says."};
  diagram.states = Names(Set<model::QpPhase>::All(model::kQpPhaseCount), model::kQpPhaseCount);
  Sketch sketch;
  for (const model::QpRule& r : model::rules::kQps) {
    if (r.to == model::QpPhase::kSame) continue;
    sketch.Add(Names(r.from, model::kQpPhaseCount), std::string(ToString(r.to)),
               std::string(ToString(r.on)), r.id);
  }
  diagram.edges = sketch.Edges(diagram.states);
  return diagram;
}

bool Uses(const Diagram& diagram, std::string_view node) {
  return std::ranges::any_of(diagram.edges,
                             [&](const Edge& e) { return e.from == node || e.to == node; });
}

std::string Joined(const std::vector<std::string>& labels, std::string_view between) {
  std::string text;
  for (const std::string& label : labels) {
    if (!text.empty()) text += between;
    text += label;
  }
  return text;
}

}  // namespace

std::vector<Diagram> AllDiagrams() { return {CmId(), IbCm(), Qp()}; }

std::string Abbreviated(const std::vector<std::string>& ids) {
  std::string text;
  std::string_view last_word;
  for (const std::string& id : ids) {
    const size_t dash = id.rfind('-');
    const std::string_view word = std::string_view(id).substr(0, dash);
    if (!text.empty()) text += ", ";
    text += word == last_word ? id.substr(dash + 1) : id;
    last_word = word;
  }
  return text;
}

std::string ToDot(const Diagram& diagram) {
  std::string text = "// Generated by tools/rules from the rows of the model; see ../rules.md.\n";
  text += fmt::format("digraph {} {{\n", diagram.name);
  text += "  node [shape=box, style=rounded, fontname=\"Helvetica\"];\n";
  text += "  edge [fontname=\"Helvetica\", fontsize=10];\n";
  for (const std::string& state : diagram.states) text += fmt::format("  {};\n", state);
  if (Uses(diagram, kBirth)) text += fmt::format("  {} [shape=point];\n", kBirth);
  if (Uses(diagram, kDeath))
    text += fmt::format("  {} [shape=doublecircle, label=\"\"];\n", kDeath);
  if (Uses(diagram, kElsewhere))
    text += fmt::format("  {} [shape=plaintext, label=\"any other state\"];\n", kElsewhere);
  for (const Edge& edge : diagram.edges) {
    text +=
        fmt::format("  {} -> {} [label=\"{}\"];\n", edge.from, edge.to, Joined(edge.labels, "\\n"));
  }
  return text + "}\n";
}

std::string ToMermaid(const Diagram& diagram) {
  const auto node = [](const std::string& state) {
    return state == kBirth || state == kDeath ? std::string("[*]") : state;
  };
  std::string text = "stateDiagram-v2\n";
  if (Uses(diagram, kElsewhere))
    text += fmt::format("  state \"any other state\" as {}\n", kElsewhere);
  for (const Edge& edge : diagram.edges) {
    text += fmt::format("  {} --> {}: {}\n", node(edge.from), node(edge.to),
                        Joined(edge.labels, "<br/>"));
  }
  return text;
}

}  // namespace cm::ruledoc
