// `cmcheck wire --lab`: in a guest, one kernel with a virtual cable. The tester has one end of it,
// the other one is the interface under the peer's device. In virtual time no load of this machine
// is seen, and a pause costs nothing.
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <system_error>
#include <variant>

#include "hw_tests/lab/guest.h"
#include "model/base/files.h"
#include "model/base/json.h"
#include "tools/cmcheck/command.h"
#include "tools/cmcheck/lab.h"
#include "tools/cmcheck/one_guest.h"
#include "tools/cmcheck/wire.h"

namespace cm {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::json;

// Conversations between two fresh starts of the guest.
constexpr uint64_t kBatch = 100;
constexpr auto kBatchLimit = std::chrono::minutes(30);
// In the subnets of the other end, which is how the kernel finds them.
constexpr const char* kAddresses =
    "--address 10.0.0.77 --peer 10.0.1.1 --address6 fd00::77 --peer6 fd00:1::1";

class InLab {
 public:
  InLab(const WireOptions& options, OneGuest& one)
      : options_(options),
        guest_(one.guest()),
        share_(one.share()),
        report_(FromUsersFolder(options.report)) {}

  int Go() {
    if (std::string problem = Share(); !problem.empty()) return Unusable(problem);
    ForgetFindings(options_);
    const int code = RunAllBatches();
    if (code != kExitClean && code != kExitInterrupted) return code;
    const int concluded = Conclude(counts_, report_);
    return Interrupted() ? kExitInterrupted : concluded;
  }

 private:
  // The exit code where they do not come to an end.
  int RunAllBatches() {
    const uint64_t drawn = SequencesOf(options_);
    uint64_t done = 0;
    for (bool first = true; first || done < drawn; first = false) {
      const uint64_t count = std::min(kBatch, drawn - done);
      const std::string given = first ? Given() : std::string();
      if (given.empty() && count == 0) break;
      if (!first)
        if (const auto problem = guest_.Restore()) return EndsBy(*problem);
      if (Interrupted()) return kExitInterrupted;
      if (const int code = RunBatch(given, options_.first + done, count); code != kExitClean)
        return code;
      done += count;
    }
    return kExitClean;
  }

  std::string Share() {
    std::error_code error;
    fs::create_directories(report_, error);
    for (size_t i = 0; !error && i < options_.conversations.size(); ++i) {
      const fs::path from = FromUsersFolder(options_.conversations[i]);
      const fs::path to = share_ / fmt::format("given-{}", i);
      fs::create_directory(to, error);
      // A file keeps its name, by which it is reported.
      if (!error)
        fs::copy(from, fs::is_directory(from) ? to : to / from.filename(),
                 fs::copy_options::recursive, error);
    }
    return error ? fmt::format("{}: {}", share_.string(), error.message()) : std::string();
  }

  std::string Given() const {
    std::string given;
    for (size_t i = 0; i < options_.conversations.size(); ++i)
      given += fmt::format(" --conversations /host/given-{}", i);
    return given;
  }

  // The exit code where there is no going on.
  int RunBatch(const std::string& given, uint64_t first, uint64_t count) {
    const std::string command = fmt::format(
        "cp /host/cmcheck /tmp/ && cd /tmp && ./cmcheck wire --interface veth0 {} --profile {} "
        "--listener 'exec:/tmp/cmcheck agent --profile {}'{} "
        "--sequences {} --first {} --seed {} --service {} --pause {} --longest {} --late {}{}{} "
        "--report /host/report",
        kAddresses, ShellWord(options_.lab), ShellWord(options_.lab), given, count, first,
        options_.seed, options_.service, options_.pause, options_.longest, options_.late,
        options_.every_manner ? " --every-manner" : "", options_.shrink ? "" : " --no-shrink");
    std::error_code error;
    fs::remove_all(share_ / "report", error);
    const lab::Outcome<lab::Ended> ended = guest_.Run(
        command, {.wall_limit = kBatchLimit, .cancelled = [] { return Interrupted().load(); }});
    if (!ended.ok())
      return EndsBy(
          {.line = fmt::format("{}; these began with --first {}", ended.problem().line, first),
           .kind = ended.problem().kind});
    fs::copy(share_ / "report", report_,
             fs::copy_options::recursive | fs::copy_options::overwrite_existing, error);
    if (error) return Unusable(fmt::format("{}: {}", report_.string(), error.message()));
    const auto results = ParseJson(ReadFile(share_ / "report" / "results.json").value_or(""));
    if (!results.is_object()) return Unusable("in the guest: " + ended.value().error);
    counts_.conversations += results.value("conversations", uint64_t{0});
    counts_.found += results.value("found", uint64_t{0});
    counts_.left_out += results.value("left_out", uint64_t{0});
    counts_.frames += results.value("frames", uint64_t{0});
    PrintBut(ended.value().output);
    return kExitClean;
  }

  // With the paths of this machine; the last line counts what is counted here again.
  void PrintBut(std::string text) const {
    Replace("/host/report", options_.report, &text);
    for (size_t i = 0; i < options_.conversations.size(); ++i) {
      const fs::path given = options_.conversations[i];
      const bool is_folder = fs::is_directory(FromUsersFolder(given));
      Replace(fmt::format("/host/given-{}/", i), (is_folder ? given : given.parent_path()) / "",
              &text);
    }
    if (text.ends_with('\n')) text.pop_back();
    const size_t last = text.rfind('\n');
    if (last != std::string::npos) fmt::print("{}\n", text.substr(0, last));
    std::fflush(stdout);
  }
  static void Replace(const std::string& what, const std::string& by, std::string* text) {
    for (size_t at = 0; (at = text->find(what, at)) != std::string::npos; at += by.size())
      text->replace(at, what.size(), by);
  }

  const WireOptions& options_;
  lab::Guest& guest_;
  const fs::path& share_;
  fs::path report_;
  WireCounts counts_;
};

}  // namespace

int WireInLab(const WireOptions& options) {
  auto started = OneGuest::Start(options.lab, options.own);
  if (const int* exit_code = std::get_if<int>(&started)) return *exit_code;
  return InLab(options, *std::get<std::unique_ptr<OneGuest>>(started)).Go();
}

}  // namespace cm
