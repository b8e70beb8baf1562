#include "tools/cmcheck/lab.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "conformance/process/process.h"
#include "conformance/runner/journal.h"
#include "conformance/runner/profile_file.h"
#include "hw_tests/lab/cache.h"
#include "hw_tests/lab/linux_place.h"
#include "hw_tests/lab/suite_run.h"
#include "model/base/digest.h"
#include "model/base/files.h"
#include "model/vocabulary/topology.h"
#include "tools/cmcheck/command.h"
#include "tools/cmcheck/own_guest.h"
#include "tools/cmcheck/progress.h"
#include "tools/cmcheck/report.h"
#include "tools/cmcheck/run.h"
#include "tools/cmcheck/verbs.h"

namespace cm {
namespace {

namespace fs = std::filesystem;

constexpr const char* kLabTopologies = "one-kernel-two-devices:4,bond:1";

// Images of guests with the kernels of profiles.
struct GuestMake {
  std::string_view profile;
  std::string_view suite;
};
constexpr GuestMake kGuestMakes[] = {
    {"5.10-rxe", "bullseye"}, {"6.12-rxe", "trixie"}, {"7.2-rxe", "sid"}};

}  // namespace

lab::Caller ShowingProgress() {
  return {.progress = [](std::string_view line) { fmt::print(stderr, "{}\n", line); },
          .cancelled = [] { return Interrupted().load(); }};
}

int EndsBy(const lab::Problem& problem) {
  return problem.kind == lab::ProblemKind::kCancelled ? kExitInterrupted : Unusable(problem.line);
}

lab::Outcome<lab::Image> EnsureImage(const Profile& profile) {
  const lab::Outcome<std::string> emulator = lab::FindEmulator(cm::SearchPath());
  if (!emulator.ok()) return emulator.problem();
  const lab::Outcome<fs::path> cache = lab::DefaultCache();
  if (!cache.ok()) return cache.problem();
  lab::ImageSettings settings;
  settings.cache = cache.value();
  for (const GuestMake& make : kGuestMakes)
    if (make.profile == profile.name) settings.suite = make.suite;
  if (profile.transport == Transport::kIwarp) settings.driver = lab::RdmaDriver::kSiw;
  return lab::Image::Ensure(settings, ShowingProgress());
}

namespace {

// All capabilities of guests, whatever their link.
Capabilities EveryCapability(Transport transport) {
  return lab::GuestCapabilities(true, transport).With(Capability::kExit).With(Capability::kLanes);
}

// One run in guests, from its options to its report.
class LabRun {
 public:
  LabRun(const LabOptions& options, lab::Image image, CampaignOptions campaign, Profile profile)
      : options_(options),
        image_(std::move(image)),
        campaign_(std::move(campaign)),
        profile_(std::move(profile)),
        report_(FromUsersFolder(options.run.report)) {}

  int Go() {
    if (!options_.run.json.empty())
      if (std::string problem = WhyUnwritable(FromUsersFolder(options_.run.json)); !problem.empty())
        return Unusable(problem);
    const bool goes_on = GoesOn(options_.run);
    std::string problem = report_.Create();
    const std::string campaign =
        "lab " + CampaignText(options_.run, image_.kernel_version() + DigestOfModules(),
                              DigestOfFiles(options_.run, LibraryHere()));
    if (problem.empty())
      problem = OpenJournal(options_.run.journal, campaign, &campaign_, &earlier_, &journal_);
    if (!problem.empty()) {
      report_.Discard();
      return Unusable(problem);
    }
    report_.ForgetEarlier(goes_on, GivenOf(options_.run));
    lab::SuiteSettings settings{
        .program = "/proc/self/exe",
        .arguments = GuestArguments(),
        .given = GivenOf(options_.run),
        .library =
            options_.library.empty() ? fs::path() : fs::path(FromUsersFolder(options_.library)),
        .campaign = CampaignText(GuestOptions(), LibraryThere(),
                                 DigestOfFiles(options_.run, LibraryHere())),
        .parts = Parts(),
        .folder = report_.folder(),
        .guests = options_.guests,
        .batch = static_cast<size_t>(options_.batch)};
    Progress progress("sequences", campaign_.sequences);
    uint64_t done = earlier_.size();
    const auto on_result = [&](const SequenceResult& result) {
      if (journal_ != nullptr && problem_.empty()) problem_ = journal_->Add(result);
      if (!problem_.empty()) StopWork();
      // One that fails is run again alone, and reported twice.
      progress.At(std::min(++done, campaign_.sequences));
    };
    const lab::Outcome<lab::SuiteEnd> end =
        lab::RunSuite(image_, settings, on_result, ShowingProgress());
    progress.Clear();
    if (!end.ok()) return EndsBy(end.problem());
    const int code = Finish(end.value());
    return problem_.empty() ? code
                            : Unusable(fmt::format("{}: {}", options_.run.journal, problem_));
  }

 private:
  // The library under test as an implementation of this machine, and of a guest.
  std::string LibraryHere() const {
    return options_.library.empty() ? "" : "dl:" + FromUsersFolder(options_.library);
  }
  std::string LibraryThere() const {
    return options_.library.empty() ? "dl:librdmacm.so.1" : "dl:/host/librdmacm.so";
  }
  // Of a journal: with other modules it is another run.
  std::string DigestOfModules() const {
    Digest digest;
    for (const std::string& module : options_.own.modules)
      digest.Text(ReadFile(FromUsersFolder(module)).value_or(""));
    return options_.own.modules.empty() ? "" : fmt::format("+{:016x}", digest.Value());
  }

  RunOptions GuestOptions() const {
    RunOptions guest = options_.run;
    guest.asked.capabilities = ToString(campaign_.draw.capabilities);
    if (!guest.conversations.empty()) guest.conversations = "/host/given";
    return guest;
  }

  // Arguments of `run` in the guest, for its shell.
  std::string GuestArguments() const {
    const RunOptions guest = GuestOptions();
    std::string text =
        fmt::format("--impl {} --place guest --profile {} --capabilities '{}' --topology {}",
                    options_.library.empty() ? "dl" : LibraryThere(), guest.asked.profile,
                    guest.asked.capabilities, guest.topology);
    if (guest.conversations.empty())
      text += fmt::format(" --seed {} --calls {}", guest.seed, guest.calls);
    else
      text += " --conversations " + guest.conversations;
    if (!guest.walk.empty()) text += " --walk " + guest.walk;
    if (!guest.property.empty()) text += " --property " + guest.property;
    return text;
  }

  // Sequences by network; the topology of a sequence is drawn with it.
  std::vector<lab::Part> Parts() const {
    lab::Part pair{.topology = lab::Topology::kPair, .numbers = {}};
    lab::Part bond{.topology = lab::Topology::kBond, .numbers = {}};
    for (uint64_t i = campaign_.first; i < campaign_.first + campaign_.sequences; ++i) {
      if (campaign_.done.contains(i)) continue;
      const bool bonded = ConversationOf(campaign_, i).topology->name == "bond";
      (bonded ? bond : pair).numbers.push_back(i);
    }
    for (lab::Part* part : {&pair, &bond})
      if (const size_t count = part->numbers.size(); count > 0) {
        const auto first = static_cast<std::ptrdiff_t>(options_.begin_with % count);
        std::rotate(part->numbers.begin(), part->numbers.begin() + first, part->numbers.end());
      }
    return {pair, bond};
  }

  std::string ReplayOf(uint64_t index) const {
    RunOptions run = options_.run;
    if (run.topology == kLabTopologies) run.topology.clear();
    std::string command = "cmcheck lab run";
    if (!options_.library.empty()) command += " --librdmacm " + ShellWord(options_.library);
    return fmt::format("{}{} -- {}", command, ArgumentsOf(options_.own),
                       ArgumentsOfSequence(run, index));
  }

  std::string Library() const {
    return options_.library.empty() ? image_.librdmacm_version() : options_.library;
  }
  std::string Modules() const {
    const std::vector<std::string>& modules = options_.own.modules;
    return modules.empty() ? "" : fmt::format(" with {}", fmt::join(modules, ", "));
  }

  int Finish(const lab::SuiteEnd& end) {
    std::map<uint64_t, SequenceResult> results = end.results;
    results.insert(earlier_.begin(), earlier_.end());
    Tally tally;
    for (const auto& [index, result] : results) tally.Add(result);
    tally.Conclude(
        {.capabilities = campaign_.draw.capabilities,
         .every_walk = options_.run.walk.empty() && options_.run.topology == kLabTopologies,
         .every_property = options_.run.property.empty()},
        profile_);
    for (CountedFinding& counted : tally.findings())
      counted.replay = ReplayOf(counted.finding.index);
    const CampaignName name{
        .implementation = fmt::format("librdmacm {} on Linux {}{}", Library(),
                                      image_.kernel_release(), Modules()),
        .library = Library(),
        .kernel = fmt::format("{} ({})", image_.kernel_release(), image_.kernel_version()),
        .topology = options_.run.topology,
        .seed = options_.run.seed,
        .first = campaign_.first,
        .only = options_.run.only,
        .interrupted = end.cancelled};
    if (std::string problem =
            Publish(tally, name, profile_, options_.run, campaign_.draw.capabilities);
        !problem.empty())
      return Unusable(problem);
    fmt::print("guests      {} restored in the middle of a batch\n", end.restored);
    return ExitCodeOf(tally, options_.run, end.cancelled);
  }

  const LabOptions& options_;
  lab::Image image_;
  CampaignOptions campaign_;
  Profile profile_;
  Report report_;
  JournalContent earlier_;
  std::unique_ptr<Journal> journal_;
  std::string problem_;
};

}  // namespace

int RunLab(LabOptions options) {
  if (options.run.topology.empty()) options.run.topology = kLabTopologies;
  if (options.run.asked.impl != "sim" && options.run.asked.impl != "dl")
    return Unusable(
        "in the lab the implementation is the distribution's librdmacm, or that of --librdmacm: no "
        "--impl");
  if (!options.library.empty() && !fs::is_regular_file(FromUsersFolder(options.library)))
    return Unusable(fmt::format("--librdmacm {}: no such file", options.library));
  if (const std::string why = WhyUnusable(options.own); !why.empty()) return Unusable(why);
  if (!options.run.asked.defects.empty())
    return Unusable("in the lab the implementation is the distribution's librdmacm: no --defect");
  if (!options.run.asked.place.empty())
    return Unusable("in the lab the implementation stands in a guest: no --place");
  if (!IsProfileName(options.run.asked.profile))
    return Unusable(
        fmt::format("--profile {}: guests have the profiles of `cmcheck list profiles` alone",
                    options.run.asked.profile));
  auto profile = LoadProfile(ProfileFromUser(options.run.asked.profile));
  if (auto* problem = std::get_if<std::string>(&profile)) return Unusable(*problem);
  const Profile known = std::get<Profile>(profile);
  if (known.transport == Transport::kInfiniband)
    return Unusable(fmt::format(
        "the devices of a guest are Soft-RoCE or Soft-iWARP, and profile {} is of another link: "
        "5.10-rxe, 6.1-rxe, 6.12-rxe, 7.2-rxe, 6.1-siw",
        known.name));
  // A fault that a profile leaves out has effects that the profile does not describe: none is
  // drawn. What is given is carried out.
  Capabilities possible = EveryCapability(known.transport);
  if (options.run.conversations.empty()) possible = Common(possible, known.capabilities);
  auto campaign = CampaignOf(options.run, known, possible);
  if (auto* problem = std::get_if<std::string>(&campaign)) return Unusable(*problem);
  for (const TopologyShare& share : std::get<CampaignOptions>(campaign).draw.topologies)
    if (share.topology->name != "one-kernel-two-devices" && share.topology->name != "bond")
      return Unusable("a guest has one kernel: topologies are one-kernel-two-devices, bond");
  lab::Outcome<lab::Image> image = EnsureImage(known);
  if (!image.ok()) return EndsBy(image.problem());
  const OwnFolder own(IsOwn(options.own) ? (fs::temp_directory_path() / "lab").string() : "");
  image = OwnImage(options.own, image.value(), own.path());
  if (!image.ok()) return EndsBy(image.problem());
  return LabRun(options, std::move(image.value()), std::get<CampaignOptions>(std::move(campaign)),
                known)
      .Go();
}

namespace {

// The arguments after `--`, as `run` parses them.
int ParseAndRun(LabOptions options, std::vector<std::string> arguments) {
  return ParseBehindDashes("lab run", "Arguments of `run` in the guests", std::move(arguments),
                           &options.run, [&options] { return RunLab(std::move(options)); });
}

}  // namespace

void AddLabRun(Verb lab) {
  Verb verb = lab.Add("run", "Judge the real librdmacm on a real kernel", R"(
Arguments after -- are for `run` in the guests; see `cmcheck run --help`. All conversations are
kept, as with --keep, and none is shrunk; --jobs has no effect: see --guests. The first run builds
the image of the profile's kernel, which is kept: 6.1-rxe of this machine's packages, 5.10-rxe,
6.12-rxe and 7.2-rxe of Debian bullseye's, trixie's and sid's, 6.1-siw with a driver that is built
from the kernel's source.
Examples:
  cmcheck lab run -- --sequences 100
  cmcheck lab run -- --conversations conformance/scenarios/users
  cmcheck lab run -- --profile 7.2-rxe --sequences 100
  cmcheck lab run --guests 1 -- --walk removal --sequences 50 --journal removal.journal
  cmcheck lab run --module ./rdma_cm.ko -- --sequences 100 --report now
  cmcheck lab run --kernel arch/x86/boot/bzImage --modules /tmp/installed -- --sequences 100
  cmcheck lab run --kernel ./linux-image-6.12-mine.deb -- --profile 6.12-rxe --sequences 100
  cmcheck compare before now)");
  auto options = std::make_shared<LabOptions>();
  options->run.sequences = 1000;
  verb.Number("--guests", &options->guests, 1, 16, "Concurrent guests");
  verb.Text(
      "--librdmacm", &options->library,
      "A shared object in place of the guest's librdmacm; it needs no more than the guest has");
  AddOwnGuest(verb, &options->own);
  verb.Number("--batch", &options->batch, 1, 10000, "Sequences between two fresh starts");
  auto arguments = std::make_shared<std::vector<std::string>>();
  verb.Behind("arguments", arguments.get(), "After --: arguments of `run`");
  verb.Does([options, arguments] { return ParseAndRun(*options, *arguments); });
}

}  // namespace cm
