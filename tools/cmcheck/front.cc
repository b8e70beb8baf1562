#include "tools/cmcheck/front.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <span>
#include <string>
#include <system_error>
#include <variant>
#include <vector>

#include "conformance/runner/memory.h"
#include "tools/cmcheck/command.h"
#include "tools/cmcheck/verbs.h"

namespace cm {
namespace {

constexpr const char* kFooter = R"(
Examples:
  cmcheck                                            the main job: judge the simulator
  cmcheck run --impl sim --seed 7 --sequences 2000   the same, with another seed
  cmcheck run --impl sim --defect forgets-timewait   see a defect found
  cmcheck run --impl dl:./libmine.so                 judge your own library
  cmcheck run --impl lib                             judge the real library, simulated kernel
  cmcheck lab run -- --sequences 100                 judge the real library on a real kernel
  cmcheck app -- rping -s -a {passive} : rping -c -a {passive} -C 3
                                                     programs on the simulated kernel
  cmcheck explain scenario.conv                      the rule behind each line
  cmcheck pcap scenario.conv                         its messages, for Wireshark
  cmcheck check-pcap roce.pcap                       judge a capture
Exit codes: 0 nothing found, 1 findings, 2 unusable arguments or environment, 3 too much
inconclusive or nothing judged, 4 a host of a site has no RDMA device, 130 interrupted.)";

CommandLine Verbs(std::span<const AddVerb> verbs) {
  CommandLine line("cmcheck", "Tests a connection manager, and reports whether it conforms.",
                   kFooter);
  const Verb cmcheck = line.command();
  for (const AddVerb add : verbs) add(cmcheck);
  return line;
}

int Main(const std::vector<std::string>& arguments, std::span<const AddVerb> adding) {
  CatchInterrupts();
  if (arguments.empty()) return RunMainJob();
  CommandLine line = Verbs(adding);
  const std::string& first = arguments.front();
  const bool is_option = first.starts_with("-");
  std::string verb = is_option ? "" : first + " ";  // as its help is asked for
  // CLI11 calls it an unexpected argument; an unknown verb deserves a better message.
  const std::vector<std::string> verbs = line.verbs();
  if (!is_option && std::find(verbs.begin(), verbs.end(), first) == verbs.end())
    return Unusable(
        fmt::format("there is no verb '{}'; verbs are {}", first, fmt::join(verbs, ", ")));
  if (!is_option && arguments.size() > 1) {
    const std::vector<std::string> below = line.verbs(first);
    const std::string& second = arguments[1];
    const bool is_verb = !below.empty() && !second.starts_with("-");
    if (is_verb && std::find(below.begin(), below.end(), second) == below.end())
      return Unusable(fmt::format("there is no verb '{} {}'; verbs of {} are {}", first, second,
                                  first, fmt::join(below, ", ")));
    if (is_verb) verb += second + " ";
  }
  const auto done = line.Parse(arguments);
  if (const auto* problem = std::get_if<std::string>(&done))
    return Unusable(fmt::format("{} (`cmcheck {}--help` says what is accepted)", *problem, verb));
  return std::get<int>(done);
}

int Unprinted() { return Unusable("standard output cannot be written: it is full or closed"); }

// Output that could not be printed is an error.
int Finished(int exit_code) {
  return std::fflush(stdout) == 0 && std::ferror(stdout) == 0 ? exit_code : Unprinted();
}

// Those that are closed would be given to files and sockets, and to programs that are started. What
// cannot be written stays an error.
void OccupyStandardDescriptors() {
  for (const int descriptor : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO})
    if (fcntl(descriptor, F_GETFD) < 0)
      static_cast<void>(open("/dev/null", descriptor == STDERR_FILENO ? O_WRONLY : O_RDONLY));
}

}  // namespace

int RunCommand(int argc, char** argv, std::span<const AddVerb> verbs) {
  OccupyStandardDescriptors();
  KeepMemory();
  try {
    return Finished(Main({argv + 1, argv + argc}, verbs));
  } catch (const std::system_error& problem) {
    return std::ferror(stdout) != 0 ? Unprinted() : Unusable(problem.what());
  }
}

}  // namespace cm
