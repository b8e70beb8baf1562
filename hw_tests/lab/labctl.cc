// The lab on the command line, for its developers. See --help.
#include <CLI/CLI.hpp>
#include <cstdio>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

#include "conformance/process/process.h"
#include "hw_tests/lab/cache.h"
#include "hw_tests/lab/guest.h"
#include "hw_tests/lab/image.h"

namespace {

namespace fs = std::filesystem;

constexpr int kUnusable = 2;

struct Arguments {
  std::string cache;
  std::string suite;
  bool siw = false;
  std::string snapshot = "pair";
  std::string share;
  int64_t limit_s = 60;
  bool times = false;
  std::vector<std::string> command;
};

int Fail(const lab::Problem& problem) {
  fprintf(stderr, "labctl: %s\n", problem.line.c_str());
  return kUnusable;
}

void Print(FILE* stream, std::string_view bytes) {
  fwrite(bytes.data(), 1, bytes.size(), stream);
  fflush(stream);
}

lab::Caller ShowingProgress() {
  lab::Caller caller;
  caller.progress = [](std::string_view line) { Print(stderr, std::string(line) + "\n"); };
  return caller;
}

lab::Outcome<fs::path> CacheOf(const Arguments& arguments) {
  if (arguments.cache.empty()) return lab::DefaultCache();
  return fs::absolute(arguments.cache);
}

lab::Outcome<lab::Image> EnsureImage(const Arguments& arguments) {
  const lab::Outcome<fs::path> cache = CacheOf(arguments);
  if (!cache.ok()) return cache.problem();
  lab::ImageSettings settings;
  settings.cache = cache.value();
  settings.suite = arguments.suite;
  if (arguments.siw) settings.driver = lab::RdmaDriver::kSiw;
  return lab::Image::Ensure(settings, ShowingProgress());
}

int Build(const Arguments& arguments) {
  const lab::Outcome<lab::Image> image = EnsureImage(arguments);
  if (!image.ok()) return Fail(image.problem());
  const lab::Outcome<std::string> emulator = lab::FindEmulator(cm::SearchPath());
  if (!emulator.ok()) return Fail(emulator.problem());
  for (lab::Topology topology : {lab::Topology::kPair, lab::Topology::kBond}) {
    const lab::Outcome<fs::path> snapshot =
        lab::EnsureSnapshot(image.value(), topology, emulator.value(), ShowingProgress());
    if (!snapshot.ok()) return Fail(snapshot.problem());
  }
  printf("%s\nLinux %s (%s), librdmacm %s\n", image.value().folder().c_str(),
         image.value().kernel_release().c_str(), image.value().kernel_version().c_str(),
         image.value().librdmacm_version().c_str());
  return 0;
}

int ShellRun(const Arguments& arguments) {
  const std::optional<lab::Topology> topology = lab::TopologyNamed(arguments.snapshot);
  if (!topology) return Fail({"no snapshot is called " + arguments.snapshot});
  const lab::Outcome<lab::Image> image = EnsureImage(arguments);
  if (!image.ok()) return Fail(image.problem());
  lab::GuestSettings settings;
  settings.topology = *topology;
  settings.share = arguments.share;
  lab::Outcome<lab::Guest> guest = lab::Guest::Start(image.value(), settings, ShowingProgress());
  if (!guest.ok()) return Fail(guest.problem());
  std::string command;
  for (const std::string& word : arguments.command) command += (command.empty() ? "" : " ") + word;
  lab::RunSettings run;
  run.wall_limit = std::chrono::seconds(arguments.limit_s);
  run.output = [](std::string_view bytes) { Print(stdout, bytes); };
  run.error = [](std::string_view bytes) { Print(stderr, bytes); };
  const lab::Outcome<lab::Ended> ended = guest.value().Run(command, run);
  if (!ended.ok()) return Fail(ended.problem());
  if (arguments.times) {
    fprintf(stderr, "%.3f s in the guest, %.3f s on the wall\n",
            static_cast<double>(ended.value().guest_time.count()) / 1e9,
            static_cast<double>(ended.value().wall_time.count()) / 1e3);
  }
  return ended.value().status;
}

// Removes the lab's files from the cache folder and nothing else.
int Clean(const Arguments& arguments) {
  const lab::Outcome<fs::path> cache = CacheOf(arguments);
  if (!cache.ok()) return Fail(cache.problem());
  std::error_code error;
  if (!fs::exists(cache.value(), error)) return 0;
  const auto waiting = [] { fputs("waiting for a build\n", stderr); };
  const lab::Outcome<lab::FolderLock> lock = lab::FolderLock::Take(cache.value(), waiting, nullptr);
  if (!lock.ok()) return Fail(lock.problem());
  for (const fs::directory_entry& entry : fs::directory_iterator(cache.value(), error)) {
    const std::string name = entry.path().filename().string();
    if (name.starts_with("image-") || name.starts_with("known-") || name.starts_with("apt-")) {
      fs::remove_all(entry.path(), error);
    }
    if (error) return Fail({entry.path().string() + ": " + error.message()});
  }
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  Arguments arguments;
  CLI::App app{"A virtual Linux with Soft-RoCE, for the conformance suite."};
  app.require_subcommand(1);
  app.add_option("--cache", arguments.cache,
                 "where images are kept (default: RDMA_CM_LAB_CACHE, or a folder in ~/.cache)");
  app.add_option("--suite", arguments.suite,
                 "the release of Debian that kernel and library are of (default: this machine's)");
  app.add_flag("--siw", arguments.siw, "Soft-iWARP in place of Soft-RoCE");
  CLI::App* build = app.add_subcommand("build", "build the image and both snapshots, if need be");
  CLI::App* run = app.add_subcommand("shell-run", "run a shell command in a fresh guest");
  run->add_option("--snapshot", arguments.snapshot, "the network: pair or bond")
      ->capture_default_str();
  run->add_option("--share", arguments.share, "a folder that the guest sees as /host");
  run->add_option("--limit", arguments.limit_s, "seconds by the host's clock")
      ->capture_default_str()
      ->check(CLI::PositiveNumber);
  run->add_flag("--times", arguments.times, "say how long it took, by both clocks");
  run->add_option("command", arguments.command, "the command, best in one pair of quotes")
      ->required();
  CLI::App* clean = app.add_subcommand("clean", "remove the images and snapshots");
  CLI11_PARSE(app, argc, argv);
  if (build->parsed()) return Build(arguments);
  if (clean->parsed()) return Clean(arguments);
  return ShellRun(arguments);
}
