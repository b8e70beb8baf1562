// Code that the verbs of cmcheck share: exit codes, and the implementation under test.
#ifndef TOOLS_CMCHECK_COMMAND_H_
#define TOOLS_CMCHECK_COMMAND_H_

#include <atomic>
#include <memory>
#include <string>
#include <variant>
#include <vector>

#include "conformance/driver/implementation.h"
#include "model/vocabulary/profile.h"
#include "tools/cmcheck/command_line.h"

namespace cm {

// Exit codes; scripts rely on them. See contracts in docs/results.md.
enum ExitCode : int {
  kExitClean = 0,
  kExitFound = 1,         // findings, or a declared deviation that does not show
  kExitUnusable = 2,      // arguments or environment
  kExitInconclusive = 3,  // more than permitted
  kExitNoDevice = 4,      // a host of a site has no RDMA device
  kExitInterrupted = 130,
};

// Prints one line on stderr, with control characters and bytes that are no UTF-8 as \x1b; returns
// the exit code, after a signal that of an interrupt, which may be the reason.
int Unusable(const std::string& what);

// Becomes true with the first Ctrl-C, SIGTERM or SIGHUP; the third one ends the process as usual.
const std::atomic<bool>& Interrupted();
void CatchInterrupts();
// Acts like an interrupt: running work ends, nothing new begins.
void StopWork();

// True for a terminal, unless NO_COLOR is in the environment.
bool ColoursOn(int descriptor);

// A path given by the user, relative to the user's folder, also under `bazel run`.
std::string FromUsersFolder(const std::string& path);
// What LoadProfile takes for a profile that the user names: a name as it is, and a file likewise.
std::string ProfileFromUser(const std::string& name_or_path);

// The word quoted for a shell, where it needs quotes.
std::string ShellWord(const std::string& word);

// The implementation under test, as given on the command line.
struct Asked {
  std::string impl = "sim";          // as the help of --impl says
  std::vector<std::string> defects;  // of sim
  std::string profile = "6.1-rxe";
  std::string capabilities;  // empty: all of the environment
  std::string place;         // where dl runs: "bare", "guest"
  std::string site;          // the file of nodes
  std::string allow;         // of nodes: what may be done to them
  std::string address;       // of an agent that may do something: that of its side
  std::string control;       // the interface that carries its connection
  std::string records;       // where it writes what is to be undone; empty: the default
  // A conversation of `app`: timers of a simulated kernel come with its ticks, and no time passes
  // with a call that waits for acknowledgements by other threads.
  bool of_programs = false;
};
void AddAsked(Verb verb, Asked* asked);
// The implementation and its environment.
void AddAnswering(Verb verb, Asked* asked);
void AddSetting(Verb verb, Asked* asked);

struct Answering {
  std::unique_ptr<Implementation> implementation;
  std::string text;     // "sim", "sim+forgets-timewait", "dl:/usr/lib/librdmacm.so.1"
  std::string options;  // options of a cmcheck command for the same implementation
  std::string library;
  std::string kernel;
};
// The implementation, or the error in one line.
std::variant<Answering, std::string> Resolve(const Asked& asked);
// Resolves, for Resolve, all but the plain simulator; refused until this is set.
using ResolveOther = std::variant<Answering, std::string> (*)(const Asked& asked,
                                                              const Profile& profile);
void ResolveOthersBy(ResolveOther resolve);

// "a, b, c"
std::string TopologyNames();

}  // namespace cm

#endif  // TOOLS_CMCHECK_COMMAND_H_
