// What the verbs of cmcheck share: how they end, and what they are told about the implementation.
#ifndef TOOLS_CMCHECK_COMMAND_H_
#define TOOLS_CMCHECK_COMMAND_H_

#include <atomic>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "conformance/driver/driver.h"
#include "conformance/walks/conversation_builder.h"
#include "model/vocabulary/fault.h"
#include "model/vocabulary/profile.h"
#include "tools/cmcheck/command_line.h"

namespace cm {

// Exit codes; scripts rely on them. See contracts in docs/results.md.
enum ExitCode : int {
  kExitClean = 0,
  kExitFound = 1,         // findings, or a declared deviation that does not show
  kExitUnusable = 2,      // arguments or environment
  kExitInconclusive = 3,  // more than permitted
  kExitInterrupted = 130,
};

// One line on stderr; the exit code to end with.
int Unusable(const std::string& what);

// Becomes true with the first Ctrl-C, SIGTERM or SIGHUP; the third one ends the process as usual.
const std::atomic<bool>& Interrupted();
void CatchInterrupts();
// As if interrupted: what is under way ends, nothing new begins.
void StopWork();

// Terminal properties of a stream, and no NO_COLOR in the environment.
bool ColoursOn(int descriptor);

// A path given by the user, from the folder he stands in, also under `bazel run`.
std::string FromUsersFolder(const std::string& path);

// The word as a shell takes it: in quotes, where it needs them.
std::string ShellWord(const std::string& word);

std::variant<std::string, std::monostate> ReadFile(const std::string& path);

// Who is asked, as the command line says it.
struct Asked {
  std::string impl = "sim";  // sim, lib, lib:PATH, dl, dl:PATH
  std::string defect;        // of sim
  std::string profile = "6.1-rxe";
  std::string capabilities;  // of the environment, if not its own; empty: its own
  std::string place;         // what dl stands on: "bare", "guest"
};
void AddAsked(Verb verb, Asked* asked);
// Of that, who is asked, and what it stands on.
void AddAnswering(Verb verb, Asked* asked);
void AddSetting(Verb verb, Asked* asked);

struct Answering {
  std::unique_ptr<Implementation> implementation;
  std::string text;     // "sim", "sim+forgets-timewait", "dl:/usr/lib/librdmacm.so.1"
  std::string options;  // that make cmcheck ask it again
  std::string library;
  std::string kernel;
};
// Or why not, in one line.
std::variant<Answering, std::string> Resolve(const Asked& asked);

// Of a defect that shows under some profiles only, one of them; empty when this one can show it.
std::string_view WhoShows(std::string_view defect, const Profile& profile);

// The topologies that conversations are drawn on when none is asked for.
std::vector<TopologyShare> MixedTopologies();

// "a, b, c"
std::string TopologyNames();

// Each adds its verb.
void AddRun(Verb cmcheck);
void AddList(Verb cmcheck);
void AddCompare(Verb cmcheck);
void AddReplay(Verb cmcheck);
void AddShrink(Verb cmcheck);
void AddExplain(Verb cmcheck);
void AddRewrite(Verb cmcheck);
void AddCheckPcap(Verb cmcheck);
void AddLab(Verb cmcheck);
void AddPcap(Verb cmcheck);
void AddApp(Verb cmcheck);
// The main job: `run` with its defaults.
int RunMainJob();

}  // namespace cm

#endif  // TOOLS_CMCHECK_COMMAND_H_
