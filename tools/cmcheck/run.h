// `cmcheck run`: draws sequences, has them carried out, judges them.
#ifndef TOOLS_CMCHECK_RUN_H_
#define TOOLS_CMCHECK_RUN_H_

#include <cstdint>
#include <string>
#include <variant>

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
  int jobs = 0;  // 0: one a processor
  double max_inconclusive = 2.0;
  std::string report = "cmcheck-report";
  std::string journal;
  std::string conversations;  // a file or folder of them, to be carried out instead of drawn ones
  std::string only;           // these numbers rather than a range: "3,5,8"
  bool keep = false;
  bool shrink = true;
};
void AddRunOptions(Verb verb, RunOptions* options);
// Of them those that say what is drawn.
void AddCampaignOptions(Verb verb, RunOptions* options);

// What the options draw, or one line about what is wrong with them.
std::variant<CampaignOptions, std::string> CampaignOf(const RunOptions& options,
                                                      const Profile& profile,
                                                      Capabilities capabilities);
// Empty, or which two of the options that were given cannot both have an effect.
std::string WhyContradictory(const Verb& verb);
// What is in the files that the options name, wherever they lie: conversations, profile,
// topologies, and the library that is asked. Empty when they name none.
std::string DigestOfFiles(const RunOptions& options, const std::string& implementation);
// The text that a journal is kept under: another campaign does not continue it.
std::string CampaignText(const RunOptions& options, const std::string& implementation,
                         const std::string& digest_of_files);
// Of a journal's results those that are asked for, which need not be judged again.
void TakeEarlier(JournalContent* earlier, CampaignOptions* campaign);

// Where nothing was judged nothing is known: kExitInconclusive.
int ExitCodeOf(const Tally& tally, const RunOptions& options, bool interrupted);
// Prints the table and writes results.json, table.txt and the file asked for; empty or a problem.
std::string Publish(const Tally& tally, const CampaignName& name, const Profile& profile,
                    const RunOptions& options, Capabilities capabilities);

int Run(const RunOptions& options);

}  // namespace cm

#endif  // TOOLS_CMCHECK_RUN_H_
