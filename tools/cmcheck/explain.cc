#include <fmt/format.h>

#include <memory>
#include <string>
#include <vector>

#include "conformance/recordings/judge.h"
#include "conformance/recordings/recording.h"
#include "conformance/runner/campaign.h"
#include "conformance/runner/misuse.h"
#include "conformance/runner/profile_file.h"
#include "model/base/files.h"
#include "model/catalogue/catalogue.h"
#include "model/conversation/name_scope.h"
#include "model/conversation/print.h"
#include "model/oracle/judge.h"
#include "model/oracle/orders.h"
#include "model/vocabulary/topology.h"
#include "tools/cmcheck/command.h"
#include "tools/cmcheck/conversation_file.h"
#include "tools/cmcheck/verbs.h"

namespace cm {
namespace {

struct ExplainOptions {
  Asked asked;
  std::string path;
  std::string topology = "one-kernel-two-devices";
  bool topology_given = false;
};

// The rows that permit a record, each with its source.
std::string Reasons(const model::Verdict& at_record, const Profile& profile) {
  constexpr size_t kMost = 12;
  std::vector<std::string> rows;
  size_t more = 0;
  for (model::RuleNumber rule = 0; rule < model::RuleCount(); ++rule) {
    if (!at_record.by[rule] || !model::Enabled(rule, profile)) continue;
    const model::RuleInfo& info = model::InfoOf(rule);
    if (rows.size() < kMost)
      rows.push_back(
          fmt::format("    by {}  {}  ({})\n", info.id, info.says, info.evidence.source));
    else
      ++more;
  }
  std::string text = fmt::format("{}", fmt::join(rows, ""));
  if (more > 0) text += fmt::format("    and {} rows more\n", more);
  return text;
}

// One record with the reason why it is, or is not, permitted.
void PrintRecord(const Record& record, const model::Verdict& at_record,
                 const Conversation& conversation, const Profile& profile) {
  switch (at_record.kind) {
    case model::VerdictKind::kPermitted:
      fmt::print("{}", Reasons(at_record, profile));
      break;
    case model::VerdictKind::kRefused:
      fmt::print("    REFUSED\n{}", model::Explain(at_record));
      break;
    case model::VerdictKind::kInconclusive:
      fmt::print("    not decided: not all that could explain it was followed\n");
      break;
    case model::VerdictKind::kOutOfScope:
      fmt::print("    out of scope: {}\n", ToString(conversation.lines[record.line], conversation));
      break;
  }
}

int ExplainRecording(const ExplainOptions& options, const std::string& text,
                     const Profile& profile) {
  if (FindTopology(options.topology) == nullptr)
    return Unusable(fmt::format("there is no topology '{}'; topologies are {}", options.topology,
                                TopologyNames()));
  auto read = ReadRecording(text, options.topology);
  if (const auto* problem = std::get_if<TextProblem>(&read))
    return Unusable(fmt::format("{}:{}: {}", options.path, problem->line, problem->what));
  const Recording& recording = *std::get<std::unique_ptr<Recording>>(read);
  const Conversation& conversation = recording.history.conversation;
  const auto print = [&](size_t i, const model::Verdict& at_record) {
    const Record& record = recording.history.records[i];
    fmt::print("{}:{}: {}\n", options.path, recording.line_of[i], ToString(record, conversation));
    PrintRecord(record, at_record, conversation, profile);
  };
  const RecordingResult verdict = JudgeRecording(recording, profile, print);
  fmt::print("\n{} answers and events permitted, {} lines out of scope\n", verdict.judged,
             verdict.out_of_scope);
  for (const ForeignLine& foreign : recording.foreign)
    fmt::print("out of scope {}:{}: {}\n", options.path, foreign.line, foreign.what);
  if (verdict.refusal) {
    fmt::print("refused {}:{}: {}", options.path, verdict.refusal->line, verdict.refusal->text);
    return kExitFound;
  }
  return verdict.inconclusive ? kExitInconclusive : kExitClean;
}

int ExplainHistory(const History& history, const Profile& profile) {
  const auto print = [&](const Record& record, const model::Verdict& at_record) {
    fmt::print("{:>12}  {}\n", ToString(record.begin), ToString(record, history.conversation));
    PrintRecord(record, at_record, history.conversation, profile);
  };
  const model::HistoryResult verdict = model::JudgeHistory(
      model::HasTogether(history.conversation) ? model::FindOrder(history, profile).history
                                               : history,
      profile, print);
  if (verdict.kind == model::VerdictKind::kInconclusive) return kExitInconclusive;
  const SequenceResult result = Judge(history, {}, profile);
  for (const Finding& finding : result.findings)
    if (finding.id != kRowsId) fmt::print("\n{}", Describe(finding));
  for (const MisuseNote& note : MisusesOf(history)) fmt::print("\n{}", Describe(note, history));
  if (verdict.followed_in_part)
    fmt::print(
        "\nfollowed in part: what is permitted has an explanation, though something that was owed "
        "may have been missed\n");
  fmt::print("\n{}\n", result.findings.empty() ? "permitted" : WhatObjects(result.findings));
  return result.findings.empty() ? kExitClean : kExitFound;
}

// The option that has no effect on a finished history; empty when there is none.
std::string WhyWithoutEffect(const Asked& asked, bool recording) {
  const char* what = nullptr;
  if (!asked.defects.empty()) what = "--defect";
  if (!asked.place.empty()) what = "--place";
  if (recording && !asked.impl.empty()) what = "--impl";
  if (recording && !asked.capabilities.empty()) what = "--capabilities";
  if (what == nullptr) return {};
  return recording ? fmt::format("a recording is judged as it stands: no {}", what)
                   : fmt::format(
                         "the file has the history, which is judged without {}; "
                         "--impl carries it out anew",
                         what);
}

int ExplainConversation(ExplainOptions options) {
  if (options.topology_given)
    return Unusable(
        fmt::format("{}: a conversation says its topology itself: no --topology", options.path));
  auto read = ReadConversationFile(options.path);
  if (auto* problem = std::get_if<std::string>(&read)) return Unusable(*problem);
  const ConversationFile& file = std::get<ConversationFile>(read);
  Asked& asked = options.asked;
  if (file.history && asked.impl.empty()) {
    std::string problem = TakeItsProfile(file.path, file.conversation, file.text, &asked.profile);
    if (problem.empty()) problem = WhyBeyond(asked.capabilities, file.path, file.conversation);
    if (!problem.empty()) return Unusable(problem);
    if (problem = WhyWithoutEffect(asked, false); !problem.empty())
      return Unusable(fmt::format("{}: {}", file.path, problem));
    auto loaded = LoadProfile(ProfileFromUser(asked.profile));
    if (auto* why = std::get_if<std::string>(&loaded)) return Unusable(*why);
    const Profile& profile = std::get<Profile>(loaded);
    History history = *file.history;
    MarkRecords(&history, profile.transport);
    return ExplainHistory(history, profile);
  }
  if (asked.impl.empty()) asked.impl = "sim";
  auto carried = CarryOut(file.path, file.conversation, file.text, asked);
  if (auto* problem = std::get_if<std::string>(&carried)) return Unusable(*problem);
  const auto& [answering, judged] = std::get<CarriedOut>(carried);
  return ExplainHistory(judged.history, answering.implementation->profile());
}

int DoExplain(const ExplainOptions& options) {
  if (!options.path.ends_with(".jsonl")) return ExplainConversation(options);
  if (std::string problem = WhyWithoutEffect(options.asked, true); !problem.empty())
    return Unusable(fmt::format("{}: {}", options.path, problem));
  const std::string path = FromUsersFolder(options.path);
  auto content = ReadFile(path);
  if (!content)
    return Unusable(fmt::format("{} cannot be read: {}", options.path, WhyNotRead(path)));
  auto profile = LoadProfile(
      ProfileFromUser(options.asked.profile.empty() ? "6.1-rxe" : options.asked.profile));
  if (auto* problem = std::get_if<std::string>(&profile)) return Unusable(*problem);
  return ExplainRecording(options, *content, std::get<Profile>(profile));
}

}  // namespace

void AddExplain(Verb cmcheck) {
  Verb verb = cmcheck.Add(
      "explain", "For each line: the rows that permit it, or what would have been permitted", R"(
A conversation with a history is judged as it stands, unless --impl carries it out anew; one without
is carried out by sim. A file that ends in .jsonl is a recording of a real kernel.
The last line says who objects: the rows, or properties. Exit code 0 permitted, 1 refused.
Examples:
  cmcheck explain cmcheck-report/findings/rows-1-rdma_connect.conv
  cmcheck explain conformance/recordings/6.1-rxe/01-connect_disconnect_by_active.jsonl \
      --profile 6.1-rxe)");
  auto options = std::make_shared<ExplainOptions>();
  options->asked.profile.clear();
  options->asked.impl.clear();
  AddAsked(verb, &options->asked);
  verb.Argument("file", &options->path, "A conversation (.conv) or a recording (.jsonl)");
  verb.Text("--topology", &options->topology, "Of a recording; one of " + TopologyNames());
  verb.Does([options, verb] {
    options->topology_given = verb.Given("--topology");
    return DoExplain(*options);
  });
}

}  // namespace cm
