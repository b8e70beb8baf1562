// The verb `app`: unmodified programs on simulated hosts.
#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <variant>
#include <vector>

#include "conformance/runner/profile_file.h"
#include "model/base/duration.h"
#include "model/base/files.h"
#include "model/conversation/fault_text.h"
#include "model/vocabulary/profile.h"
#include "model/vocabulary/topology.h"
#include "model/vocabulary/topology_ref.h"
#include "tools/app/broker.h"
#include "tools/app/drawn_faults.h"
#include "tools/app/each_fault.h"
#include "tools/app/explore.h"
#include "tools/app/instructions.h"
#include "tools/app/order.h"
#include "tools/app/program.h"
#include "tools/app/rate.h"
#include "tools/app/script.h"
#include "tools/cmcheck/app_capture.h"
#include "tools/cmcheck/app_conversation.h"
#include "tools/cmcheck/app_programs.h"
#include "tools/cmcheck/command.h"
#include "tools/cmcheck/conversation_file.h"
#include "tools/cmcheck/progress.h"
#include "tools/cmcheck/report.h"
#include "tools/cmcheck/verbs.h"

namespace cm {
namespace {

struct AppOptions {
  std::string topology = "two-kernels";
  std::string profile = "6.1-rxe";
  uint64_t seed = 0;
  std::string faults;
  std::vector<std::string> fault_lines;
  std::string order;
  uint64_t explore = 0;
  int jobs = 0;
  std::string trace;
  std::string pcap;
  std::string conversation;
  std::vector<std::string> stays;
  bool own_tmp = false;
  std::string limit = "600s";
  std::string bandwidth;
  std::string instructions;
  std::vector<std::string> words;
};

// --faults
constexpr std::string_view kDrawn = "drawn";
constexpr std::string_view kEach = "each";

std::variant<TopologyRef, std::string> TopologyOf(const std::string& name) {
  if (const Topology* built_in = FindTopology(name)) return TopologyRef(built_in);
  if (!std::filesystem::exists(FromUsersFolder(name)))
    return fmt::format("there is no topology '{}', nor a file; topologies are {}", name,
                       TopologyNames());
  auto read = ReadConversationFile(name);
  if (auto* problem = std::get_if<std::string>(&read)) return std::move(*problem);
  return std::get<ConversationFile>(read).conversation.topology;
}

// Empty, or the faults that cannot be used.
std::string ReadFaults(const AppOptions& options, app::Setting* setting) {
  std::string text;
  if (options.faults == kEach && options.explore > 0)
    return "--faults each: runs as many times as there are faults, without --explore";
  if ((options.faults == kEach || options.faults == kDrawn) && !options.fault_lines.empty())
    return fmt::format("--faults {}: chooses the faults, without --fault", options.faults);
  if (!options.faults.empty() && options.faults != kDrawn && options.faults != kEach) {
    const std::string path = FromUsersFolder(options.faults);
    const auto read = ReadFile(path);
    if (!read)
      return fmt::format("--faults {}: cannot be read: {}", options.faults, WhyNotRead(path));
    if (read->find('\0') != std::string::npos)
      return fmt::format("--faults {}: the file is no text", options.faults);
    text = *read + "\n";
  }
  for (const std::string& line : options.fault_lines) text += line + "\n";
  auto script = app::ReadScript(text, setting->topology, &setting->profile);
  if (auto* problem = std::get_if<std::string>(&script))
    return fmt::format("{}: {}", options.fault_lines.empty() ? options.faults : "--fault",
                       *problem);
  setting->script = std::get<std::vector<app::Happening>>(std::move(script));
  return {};
}

void DrawWhatIsDrawn(const AppOptions& options, app::Setting* setting) {
  if (options.faults == kDrawn)
    setting->script = app::DrawFaults(setting->seed, setting->topology, setting->profile);
}

// Empty, or why instructions cannot be counted.
std::string ReadInstructions(const AppOptions& options, app::Setting* setting) {
  const std::optional<uint64_t> rate = app::ParseRate(options.instructions);
  if (!rate)
    return fmt::format("--instructions {}: accepted are instructions a second like 500M, 3G",
                       options.instructions);
  setting->costs.instructions = *rate;
  if (*rate == 0) return {};
  const std::string why = app::WhyNotCounted();
  return why.empty() ? "" : fmt::format("--instructions {}: {}", options.instructions, why);
}

// Empty, or the setting that cannot be used.
std::string Read(const AppOptions& options, app::Setting* setting) {
  auto topology = TopologyOf(options.topology);
  if (auto* problem = std::get_if<std::string>(&topology)) return std::move(*problem);
  setting->topology = std::get<TopologyRef>(topology);
  auto profile = LoadProfile(ProfileFromUser(options.profile));
  if (auto* problem = std::get_if<std::string>(&profile)) return std::move(*problem);
  setting->profile = std::get<Profile>(std::move(profile));
  setting->seed = options.seed;
  const std::optional<Duration> limit = ParseDuration(options.limit);
  if (!limit)
    return fmt::format("--limit {}: accepted are durations like 90s, 500ms", options.limit);
  setting->limit = *limit;
  const std::optional<uint64_t> bandwidth = app::ParseRate(options.bandwidth);
  if (!bandwidth)
    return fmt::format("--bandwidth {}: accepted are bits a second like 800k, 100M, 25G",
                       options.bandwidth);
  setting->bandwidth = *bandwidth;
  setting->own_tmp = options.own_tmp;
  if (std::string problem = ReadInstructions(options, setting); !problem.empty()) return problem;
  auto programs = ProgramsOf(options.words, *setting->topology);
  if (auto* problem = std::get_if<std::string>(&programs)) return std::move(*problem);
  setting->programs = std::get<std::vector<app::ProgramToRun>>(std::move(programs));
  for (const std::string& name : options.stays) {
    const std::optional<uint8_t> side = setting->topology->SideNamed(name);
    if (!side)
      return fmt::format("--stays {}: topology {} has the sides {}", name, setting->topology->name,
                         SideNames(*setting->topology));
    setting->staying_sides.push_back(*side);
  }
  if (!options.order.empty()) {
    if (options.explore > 0)
      return fmt::format("--order {}: is that of one run, without --explore", options.order);
    setting->order = app::ParseDeviations(options.order);
    if (!setting->order)
      return fmt::format("--order {}: accepted are `usual`, and text such as 0.1@12:1,0.2@40:2",
                         options.order);
  }
  return ReadFaults(options, setting);
}

std::string WhyItEnds(const app::Report& report, const std::string& limit) {
  if (report.interrupted) return "interrupted";
  if (!report.at_limit) return "nothing can happen any more";
  std::string text = fmt::format("the limit of virtual time, --limit {}, is reached", limit);
  if (report.after_limit) text += "; it would go on at " + ToString(*report.after_limit);
  if (report.kernel_after_limit) text += " with a message or a timer of a kernel";
  return text;
}

void Print(const app::Report& report, const std::string& limit) {
  if (!report.clean() && !report.interrupted) {
    fmt::print("the last lines of the conversation:\n");
    for (const std::string& line : report.last) fmt::print("{}\n", line);
  }
  for (const std::string& what : report.misbehaviour) fmt::print("misbehaviour: {}\n", what);
  if (!report.waiting.empty()) fmt::print("{}:\n", WhyItEnds(report, limit));
  for (const std::string& who : report.waiting) fmt::print("  {}\n", who);
  for (const std::string& line : report.left_open) fmt::print("{}\n", line);
  for (const std::string& line : report.idle) fmt::print("{}\n", line);
  for (const app::EndOfProgram& program : report.programs)
    fmt::print("{}: {}\n", program.name,
               program.crashed ? "ended with its host"
               : program.ended ? app::HowItEnded(program.status)
                               : "ended by cmcheck");
  // Such as rstream, which leaves its listener.
  const bool succeeded = std::ranges::all_of(report.programs, [](const app::EndOfProgram& program) {
    return program.ended && program.status == 0;
  });
  if (succeeded && !report.misbehaviour.empty())
    fmt::print("all programs have ended with 0; the misbehaviour makes the exit code 1\n");
  fmt::print("{} of virtual time, digest {:016x}{}{}\n", ToString(report.ended), report.digest,
             report.in_real_time ? "; programs waited in the system's time, too" : "",
             report.socket_was_full ? "; a socket was full, and how much it holds may differ" : "");
}

void Hear(std::string_view who, std::string_view line) {
  if (std::ferror(stdout) != 0) return;
  fmt::print("{}| {}\n", who, line);
  // The reader of our output has closed it: the verb ends like all others do then.
  if (std::fflush(stdout) != 0) StopWork();
}

// The command that does a run again, and writes its conversation.
std::string CommandFor(const AppOptions& options, const app::Setting& setting,
                       const std::string& conversation = {}) {
  std::string command = fmt::format("cmcheck app --seed {}", setting.seed);
  const AppOptions usual;
  const auto add = [&command](std::string_view option, const std::string& value) {
    command += fmt::format(" {} {}", option, ShellWord(value));
  };
  if (setting.order) add("--order", ToString(*setting.order));
  for (const std::string& line : app::LinesOf(setting.script)) add("--fault", line);
  if (options.topology != usual.topology) add("--topology", options.topology);
  if (options.profile != usual.profile) add("--profile", options.profile);
  if (options.limit != usual.limit) add("--limit", options.limit);
  if (!options.bandwidth.empty()) add("--bandwidth", options.bandwidth);
  if (!options.instructions.empty()) add("--instructions", options.instructions);
  for (const std::string& side : options.stays) add("--stays", side);
  if (options.own_tmp) command += " --own-tmp";
  if (!conversation.empty()) add("--conversation", conversation);
  command += " --";
  for (const std::string& word : options.words) command += " " + ShellWord(word);
  return command;
}

// Empty, or the file that cannot be written. Looked at before programs run: with --explore, the
// first run that is written comes last.
std::string WhyUnwritten(const AppOptions& options, const app::Setting& setting) {
  const auto why = [](std::string_view option, const std::string& path) -> std::string {
    const std::string problem = path.empty() ? "" : WhyUnwritable(FromUsersFolder(path));
    return problem.empty() ? "" : fmt::format("{} {}", option, problem);
  };
  if (std::string problem = why("--trace", options.trace); !problem.empty()) return problem;
  if (std::string problem = why("--conversation", options.conversation); !problem.empty())
    return problem;
  return options.pcap.empty() ? "" : AppCapture(options.pcap, setting).Prepare();
}

// Runs the programs, and prints what came of it.
int RunOnce(const AppOptions& options, app::Setting setting) {
  std::unique_ptr<std::FILE, int (*)(std::FILE*)> trace(nullptr, &std::fclose);
  if (!options.trace.empty()) {
    trace.reset(std::fopen(FromUsersFolder(options.trace).c_str(), "w"));
    if (trace == nullptr) return Unusable(fmt::format("--trace {}: cannot write", options.trace));
    // An error stays until the end. fmt::print would throw in the middle of the run.
    setting.traces = [&trace](std::string_view line) {
      static_cast<void>(std::fputs(fmt::format("{}\n", line).c_str(), trace.get()));
    };
  }
  std::optional<AppCapture> capture;
  if (!options.pcap.empty()) {
    capture.emplace(options.pcap, setting);
    capture->Watch(&setting);
  }
  std::optional<AppConversation> conversation;
  if (!options.conversation.empty()) {
    const bool named = FindProfile(options.profile) != nullptr;
    conversation.emplace(options.conversation, CommandFor(options, setting),
                         named ? options.profile : "");
    setting.recorder = conversation->recorder();
  }
  setting.hears = &Hear;
  const auto ran = app::Run(setting);
  if (const auto* problem = std::get_if<std::string>(&ran)) return Unusable(*problem);
  const auto& report = std::get<app::Report>(ran);
  if (!report.latencies.empty()) fmt::print("seed {}: {}\n", setting.seed, report.latencies);
  Print(report, options.limit);
  if (trace && (std::fflush(trace.get()) != 0 || std::ferror(trace.get()) != 0))
    return Unusable(fmt::format("--trace {} cannot be written whole", options.trace));
  if (capture)
    if (std::string problem = capture->Write(); !problem.empty()) return Unusable(problem);
  if (conversation)
    if (std::string problem = conversation->Write(setting, report); !problem.empty())
      return Unusable(problem);
  if (report.interrupted) return kExitInterrupted;
  return report.clean() ? kExitClean : kExitFound;
}

// The exit code of a run that has failed, from that of one more run, which may happen to be clean.
int CodeOfFailure(int once_more) { return once_more == kExitClean ? kExitFound : once_more; }

// Runs from `first` on, shrinks the first that fails, and prints what came of it.
int ExploreRuns(const AppOptions& options, uint64_t first, uint64_t count, std::string_view what,
                const std::function<app::Setting(uint64_t)>& setting_of) {
  Progress progress("runs", count);
  const unsigned processors = std::max(1U, std::thread::hardware_concurrency());
  const auto explored =
      app::Explore({.setting = [&](uint64_t nth) { return setting_of(first + nth - 1); },
                    .seeds = count,
                    .jobs = options.jobs > 0 ? static_cast<size_t>(options.jobs) : processors,
                    .interrupted = &Interrupted(),
                    .progress = [&progress](uint64_t done) { progress.At(done); }});
  progress.Clear();
  if (const auto* problem = std::get_if<std::string>(&explored))
    return Interrupted() ? kExitInterrupted : Unusable(*problem);
  const auto& failure = std::get<app::Failure>(explored);
  if (failure.kind.empty()) {
    if (Interrupted()) return kExitInterrupted;
    fmt::print("{}s {} to {}: no run has failed\n", what, first, first + count - 1);
    return kExitClean;
  }
  const app::Setting& setting = failure.setting;
  const uint64_t number = first + failure.seed - 1;
  if (Interrupted()) {
    fmt::print("{} {} fails; interrupted while it was shrunk\nagain: {}\n", what, number,
               CommandFor(options, setting));
    return kExitInterrupted;
  }
  fmt::print("{} {} fails; of its {} unusual decisions {}, and of its {} faults {} are needed:\n",
             what, number, failure.decisions, setting.order->size(), failure.faults,
             setting.script.size());
  const int code = RunOnce(options, setting);
  fmt::print("the {}: {}\n", what, CommandFor(options, setting_of(number)));
  fmt::print("again: {}\n", CommandFor(options, setting));
  if (options.conversation.empty())
    fmt::print("for `cmcheck explain` and `cmcheck replay`: {}\n",
               CommandFor(options, setting, fmt::format("failed-{}.conv", number)));
  return CodeOfFailure(code);
}

int ExploreSeeds(const AppOptions& options, const app::Setting& base) {
  const uint64_t first = std::max<uint64_t>(1, options.seed);
  return ExploreRuns(options, first, options.explore, "seed", [&](uint64_t seed) {
    app::Setting setting = base;
    setting.seed = seed;
    DrawWhatIsDrawn(options, &setting);
    return setting;
  });
}

// One run without faults, and then one with each fault at each of its steps.
int ExploreFaults(const AppOptions& options, const app::Setting& base) {
  app::Steps steps;
  app::Setting watched = base;
  steps.Watch(&watched);
  const auto ran = app::Run(watched);
  if (const auto* problem = std::get_if<std::string>(&ran)) return Unusable(*problem);
  const auto& report = std::get<app::Report>(ran);
  if (report.interrupted) return kExitInterrupted;
  if (!report.clean()) {
    fmt::print("the run fails without a fault:\n");
    return CodeOfFailure(RunOnce(options, base));
  }
  const std::vector<std::vector<app::Happening>> scripts = steps.Faults(base);
  if (scripts.empty()) return Unusable("--faults each: the run has no step that a fault could hit");
  return ExploreRuns(options, 1, scripts.size(), "fault", [&](uint64_t nth) {
    app::Setting setting = base;
    setting.script = scripts[nth - 1];
    return setting;
  });
}

int RunPrograms(const AppOptions& options) {
  app::Setting setting;
  if (const std::string problem = Read(options, &setting); !problem.empty())
    return Unusable(problem);
  if (const std::string problem = WhyUnwritten(options, setting); !problem.empty())
    return Unusable(problem);
  setting.interrupted = &Interrupted();
  if (options.faults == kEach) return ExploreFaults(options, setting);
  if (options.explore > 0) return ExploreSeeds(options, setting);
  DrawWhatIsDrawn(options, &setting);
  return RunOnce(options, std::move(setting));
}

}  // namespace

void AddApp(Verb cmcheck) {
  Verb verb = cmcheck.Add("app", "Run unmodified programs on simulated hosts, in virtual time", R"(
Programs are linked to the installed librdmacm; the kernel and the devices under it are simulated.
They follow `--`, separated by a lone ':'. @SIDE before a program names the host it runs on;
by default the first is passive, the second active. {SIDE} becomes the address of a side, also
{SIDE.v6} and {SIDE/2}; all other braces are the program's own.
Exit code: 0 every program ended with 0; 1 a program did not, left objects in use, or waited for what
cannot happen any more; 2 unusable arguments; 130 interrupted.
A file of faults has the lines `fault`, `heal` and `pass` of conversations, and comments after a
'#'. The report names those without effect:
  pass 5ms
  fault drop REQ from=active nth=1
--explore N runs seeds 1 to N, or N from --seed on, and shrinks the first run that fails: exit code
1, and the command that does it again; 0 if none fails. With faults, programs may exit with any code.
--conversation writes the run, or the one that fails, as a conversation: what programs asked of
librdmacm, and what came of it. `cmcheck explain FILE` says why each line is permitted, or that it
is not, and `cmcheck replay FILE` carries it out on the simulator. Its comment names what it lacks.
--faults each does so with one fault a run: each message lost, each device removed and each link
down at each instant at which something happens in the run without faults.
--instructions 3G lets time pass with what programs compute: a second for 3 000 000 000 instructions
outside of the kernel, about what a processor of 3 GHz does. It takes a processor whose counters
programs may read, and is refused elsewhere; two runs are then nearly, not always exactly, the same.
Examples:
  cmcheck app -- rping -s -a {passive} -C 3 : rping -c -a {passive} -C 3
  cmcheck app --faults loss.txt --trace run.txt -- @passive ./server : @active ./client {passive}
  cmcheck app --profile 6.1-siw -- ucmatose : ucmatose -s {passive}
  cmcheck app --pcap captures/ --fault 'fault drop REP from=passive nth=1' -- ./server : ./client
  cmcheck app --conversation run.conv -- udaddy : udaddy -s {passive}
  cmcheck app --instructions 3G -- ./server : ./client {passive}
  cmcheck app --explore 1000 -- ./server : ./client {passive}
  cmcheck app --explore 1000 --faults drawn -- ./server : ./client {passive}
  cmcheck app --faults each -- ./server : ./client {passive})");
  auto options = std::make_shared<AppOptions>();
  verb.Text("--topology", &options->topology,
            "One of: " + TopologyNames() + ", or a file with one as text");
  verb.Text("--profile", &options->profile, "A name of `cmcheck list profiles`, or a file");
  verb.Number("--seed", &options->seed,
              "Draws latencies, and the order in which threads go on; 0: the usual ones");
  verb.Text("--faults", &options->faults,
            "A file with faults and their times; or `drawn`: by the seed; or `each`, one a run");
  verb.Texts("--fault", &options->fault_lines, "A line of such a file; may be repeated");
  verb.Text("--order", &options->order, "The order of a run that --explore has shrunk");
  verb.Number("--explore", &options->explore,
              "Run this many seeds, and shrink the first run that fails");
  verb.Number("-j,--jobs", &options->jobs, 0, 64, "Runs at once; 0: one for each processor");
  verb.Text("--trace", &options->trace,
            "A file for all requests of programs to their kernels, a line each");
  verb.Text("--pcap", &options->pcap,
            "A capture for Wireshark: messages of the CM and data in RoCEv2, TCP and UDP; or a "
            "folder, as `captures/`, for one file a host, of what the host sends and receives");
  verb.Text("--conversation", &options->conversation,
            "A file for the run as a conversation, which `explain` and `replay` take");
  verb.Text("--limit", &options->limit, "Limit of virtual time: 90s, 500ms");
  verb.Text("--bandwidth", &options->bandwidth,
            "Bits a second that each device sends: 800k, 100M, 25G; without it, 100G between queue "
            "pairs, and 10G over TCP and UDP");
  verb.Flag("--own-tmp", &options->own_tmp, "Each host has a /tmp of its own, which is empty");
  verb.Text("--instructions", &options->instructions,
            "Instructions of programs that take a second of virtual time, as the processor counts "
            "them: 500M, 3G; without it computation costs nothing");
  verb.Texts("--stays", &options->stays,
             "A side whose programs serve for ever: they are killed when all others have ended");
  verb.Words("programs", &options->words, "PROGRAM ARGUMENT... : PROGRAM ARGUMENT...");
  verb.Does([options] { return RunPrograms(*options); });
}

}  // namespace cm
