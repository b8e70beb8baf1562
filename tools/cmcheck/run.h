// `cmcheck run`: draws sequences, carries them out, judges them.
#ifndef TOOLS_CMCHECK_RUN_H_
#define TOOLS_CMCHECK_RUN_H_

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "conformance/runner/campaign.h"
#include "conformance/runner/journal.h"
#include "conformance/runner/results.h"
#include "tools/cmcheck/command.h"

namespace cm {

struct RunOptions {
  Asked asked;
  std::string topology;  // "NAME" or "NAME:WEIGHT,..."; empty: a mix of all
  uint64_t seed = 1;
  uint64_t first = 0;
  uint64_t sequences = 10000;
  int calls = 20;
  std::string walk;
  std::string property;
  std::string json;
  int jobs = 0;  // 0: one per processor
  double max_inconclusive = 2.0;
  std::string report = "cmcheck-report";
  std::string journal;
  std::string conversations;  // a file or folder, instead of drawn ones
  std::string only;           // these numbers rather than a range: "3,5,8"
  bool keep = false;
  bool shrink = true;
};
// Per cent of the sequences between two hosts that may be inconclusive: a kernel holds a process
// back for minutes in some of them, which are not waited for.
inline constexpr double kInconclusiveOnNodes = 15;

void AddRunOptions(Verb verb, RunOptions* options);
// The options that determine what is drawn.
void AddCampaignOptions(Verb verb, RunOptions* options);

// Reads what stands behind the `--` of another verb, "lab run", as arguments of `run`, and goes on.
// `about`: what they are for. The exit code.
int ParseBehindDashes(std::string_view verb, std::string_view about,
                      std::vector<std::string> arguments, RunOptions* options,
                      const std::function<int()>& go_on);

// The path of the conversations that are given; empty when they are drawn.
std::filesystem::path GivenOf(const RunOptions& options);
// The campaign of the options, or one line with their error.
std::variant<CampaignOptions, std::string> CampaignOf(const RunOptions& options,
                                                      const Profile& profile,
                                                      Capabilities capabilities);
// Empty, or two given options that contradict each other.
std::string WhyContradictory(const Verb& verb);
// Hash of the files that the options name: conversations, profile, topologies, and the library
// under test. Empty when they name none.
std::string DigestOfFiles(const RunOptions& options, const std::string& implementation);
// Identity of the campaign in a journal: another campaign does not continue it.
std::string CampaignText(const RunOptions& options, const std::string& implementation,
                         const std::string& digest_of_files);
// Arguments of `run` that draw this one sequence of the campaign again, or take its file.
std::string ArgumentsOfSequence(const RunOptions& options, uint64_t index);
// Whether the journal that the option names is there: what was kept with it stays. Asked before it
// is opened.
bool GoesOn(const RunOptions& options);
// Opens the journal that the option names, if it is not empty. `earlier` are its results that the
// campaign asks for, which then need not be judged again. `text` is that of CampaignText. Empty, or
// the error: the file cannot be used, or is the journal of another campaign.
std::string OpenJournal(const std::string& option, const std::string& text,
                        CampaignOptions* campaign, JournalContent* earlier,
                        std::unique_ptr<Journal>* journal);

// Without judged sequences: kExitInconclusive.
int ExitCodeOf(const Tally& tally, const RunOptions& options, bool interrupted);
// Prints the table and writes results.json, table.txt and the given file; returns the error, or
// empty.
std::string Publish(const Tally& tally, const CampaignName& name, const Profile& profile,
                    const RunOptions& options, Capabilities capabilities);

// Returns the exit code.
int Run(RunOptions options);
// The same, where the implementation is there already. `replay`: a command that carries out the
// file behind it.
int RunWith(const RunOptions& options, Answering answering,
            const std::string& replay = "cmcheck replay");

}  // namespace cm

#endif  // TOOLS_CMCHECK_RUN_H_
