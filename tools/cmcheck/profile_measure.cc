// `cmcheck profile measure`: a profile of an implementation that is not known.
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "conformance/adapters/exec/site.h"
#include "conformance/runner/profile_file.h"
#include "tools/cmcheck/command.h"
#include "tools/cmcheck/lab.h"
#include "tools/cmcheck/one_guest.h"
#include "tools/cmcheck/own_guest.h"
#include "tools/cmcheck/report.h"
#include "tools/cmcheck/verbs.h"
#include "tools/measure/measure.h"

namespace cm {
namespace {

namespace fs = std::filesystem;

struct ProfileOptions {
  std::string file;
  std::string base;      // empty: the profile
  std::string lab;       // profile of a guest
  std::string expected;  // empty: none
  OwnGuest own;          // of the guest
  Asked asked;
};

int NoBase(const std::string& base) {
  return Unusable(fmt::format("--base {} is no name of `cmcheck list profiles`", base));
}

// What the guest decides by itself, and was asked for all the same.
std::string WhyNotInLab(const Verb& verb) {
  for (const char* option :
       {"--impl", "--defect", "--place", "--site", "--allow", "--capabilities"})
    if (verb.Given(option))
      return fmt::format("--lab measures the librdmacm of its guest: no {}", option);
  if (verb.Given("--profile"))
    return "--lab names the guest's profile, and --base the one that is compared with: no "
           "--profile";
  return {};
}

// The profile that what is measured is compared with, if there is one; or why there is none.
std::variant<std::optional<Profile>, std::string> Expected(const std::string& name) {
  if (name.empty()) return std::nullopt;
  auto loaded = LoadProfile(ProfileFromUser(name));
  if (const auto* problem = std::get_if<std::string>(&loaded)) return "--expect " + *problem;
  return std::get<Profile>(std::move(loaded));
}

// In a guest, whose time is virtual: nothing that takes minutes has to be assumed.
int MeasureInLab(const ProfileOptions& options, const fs::path& file) {
  const std::string& base = options.base.empty() ? options.lab : options.base;
  if (!options.base.empty() && FindProfile(base) == nullptr) return NoBase(base);
  if (!options.expected.empty() && FindProfile(options.expected) == nullptr)
    return Unusable(fmt::format("with --lab, --expect {} is no name of `cmcheck list profiles`",
                                options.expected));
  auto started = OneGuest::Start(options.lab, options.own);
  if (const int* exit_code = std::get_if<int>(&started)) return *exit_code;
  OneGuest& one = *std::get<std::unique_ptr<OneGuest>>(started);
  const std::string name = file.filename().string();
  const lab::Outcome<lab::Ended> ended = one.guest().Run(
      fmt::format("cp /host/cmcheck /tmp/ && cd /host && /tmp/cmcheck profile measure {} --impl dl "
                  "--place guest --profile {} --base {}{}",
                  ShellWord(name), ShellWord(options.lab), ShellWord(base),
                  options.expected.empty() ? "" : " --expect " + ShellWord(options.expected)),
      {.wall_limit = std::chrono::minutes(30), .cancelled = [] { return Interrupted().load(); }});
  if (!ended.ok()) return EndsBy(ended.problem());
  const int status = ended.value().status;
  if (status != kExitClean && status != kExitFound)
    return Unusable("in the guest: " + ended.value().error);
  fmt::print("{}", ended.value().output);
  const WrittenProfile written = ReadWritten(one.share() / name);
  const std::string problem =
      written.problem.empty() ? WriteFile(file, written.text) : "in the guest: " + written.problem;
  return problem.empty() ? status : Unusable(fmt::format("{}: {}", options.file, problem));
}

int MeasureAs(ProfileOptions options, const Verb& verb) {
  Asked& asked = options.asked;
  const fs::path file = FromUsersFolder(options.file);
  if (fs::exists(file)) return Unusable(fmt::format("{} exists; remove it first", options.file));
  if (std::string problem = WhyUnwritable(file); !problem.empty()) return Unusable(problem);
  const bool is_own = IsOwn(options.own) || !options.own.kernel_modules.empty();
  if (options.lab.empty() && is_own)
    return Unusable("--module, --kernel and --modules are for a guest: --lab PROFILE");
  if (std::string problem = WhyUnusable(options.own); !problem.empty()) return Unusable(problem);
  if (!options.lab.empty()) {
    const std::string why = WhyNotInLab(verb);
    return why.empty() ? MeasureInLab(options, file) : Unusable(why);
  }
  Topology topology = *FindTopology("two-kernels");
  if (!asked.site.empty()) {
    const auto read = LoadSite(FromUsersFolder(asked.site));
    if (const auto* problem = std::get_if<std::string>(&read)) return Unusable(*problem);
    topology = TopologyOf(std::get<Site>(read));
    asked.impl = "nodes";
  } else if (asked.impl == "dl" || asked.impl.starts_with("dl:")) {
    topology = *FindTopology("one-kernel-two-devices");
  }
  const std::string base_name = options.base.empty() ? asked.profile : options.base;
  const auto base = LoadProfile(ProfileFromUser(base_name));
  if (const auto* problem = std::get_if<std::string>(&base)) return Unusable(*problem);
  const auto& known = std::get<Profile>(base);
  if (FindProfile(known.name) == nullptr) return NoBase(base_name);
  const auto expected = Expected(options.expected);
  if (const auto* problem = std::get_if<std::string>(&expected)) return Unusable(*problem);
  auto resolved = Resolve(asked);
  if (const auto* problem = std::get_if<std::string>(&resolved)) return Unusable(*problem);
  Implementation& implementation = *std::get<Answering>(resolved).implementation;
  const auto fields = MeasureProfile(implementation, topology, known, &Interrupted());
  if (Interrupted()) return kExitInterrupted;
  for (const MeasuredField& field : fields)
    fmt::print("{:<9} {:<22} {:>6}  {}\n", field.assumed ? "assumed" : "measured", field.name,
               field.value, field.assumed ? *field.assumed : field.how);
  if (std::ranges::none_of(fields, [](const MeasuredField& field) { return !field.assumed; }))
    return Unusable("nothing could be measured; `cmcheck site check` says what does not work");
  const std::string text = ProfileText(file.stem().string(), known, implementation.name(), fields);
  if (const auto parsed = ParseProfile(text); std::holds_alternative<std::string>(parsed))
    return Unusable(fmt::format("it would be no profile: {}", std::get<std::string>(parsed)));
  if (std::string problem = WriteFile(file, text); !problem.empty()) return Unusable(problem);
  fmt::print("written: {}\n", options.file);
  const auto& compared = std::get<std::optional<Profile>>(expected);
  if (!compared) return kExitClean;
  const BesideKnown beside = CompareWithKnown(fields, *compared);
  fmt::print("\n{}", beside.lines);
  return beside.differing == 0 ? kExitClean : kExitFound;
}

}  // namespace

void AddProfile(Verb cmcheck) {
  Verb profile = cmcheck.Add("profile", "What is known of an implementation, as a file", R"(
Example:
  cmcheck profile measure mine.json --site rack7.json)");
  profile.RequireVerb();
  Verb verb = profile.Add("measure", "Find limits and timers by asking", R"(
Writes a profile: each field is marked as measured, and by what, or as assumed to be the base's, and
why. Private data, depths and retry counts are found by calls that are refused, timers by waiting for
them: a minute at most on nodes. What needs lost messages is assumed where none can be lost. With
--expect what was measured is compared with a profile, field by field; exit code 1 when one differs.
Examples:
  cmcheck profile measure mine.json --site rack7.json --base 6.1-rxe
  cmcheck profile measure here.json --impl dl
  cmcheck profile measure old.json --lab 6.1-rxe --base 7.2-rxe
  cmcheck profile measure again.json --lab 6.1-rxe --base 7.2-rxe --expect 6.1-rxe
  cmcheck profile measure altered.json --lab 6.1-rxe --module ./rdma_rxe.ko
  cmcheck profile measure theirs.json --impl 'exec:./mydriver')");
  auto options = std::make_shared<ProfileOptions>();
  verb.Argument("file", &options->file, "Where the profile is written; it may not exist");
  verb.Text("--base", &options->base, "A name of `cmcheck list profiles`; default: --profile");
  verb.Text("--lab", &options->lab, "A guest with the kernel of this profile");
  verb.Text("--expect", &options->expected, "A profile that is to be found again");
  AddOwnGuest(verb, &options->own);
  AddAsked(verb, &options->asked);
  verb.Does([options, verb] { return MeasureAs(*options, verb); });
}

}  // namespace cm
