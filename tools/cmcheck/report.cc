#include "tools/cmcheck/report.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cerrno>
#include <fstream>
#include <string_view>
#include <system_error>

#include "model/conversation/print.h"

namespace cm {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kFindings = "findings";
constexpr auto kFolders =
    std::to_array<std::string_view>({kFindings, "conversations", "not-alone", "kernel"});
constexpr auto kFiles = std::to_array<std::string_view>({"results.json", "table.txt"});
constexpr size_t kExamplesOfEach = 6;
constexpr size_t kFindingsWithExamples = 32;

// A device or a pipe, which must not be replaced by a file.
bool IsSpecial(const fs::path& path) {
  std::error_code ignored;
  const fs::file_status status = fs::status(path, ignored);
  return fs::exists(status) && !fs::is_regular_file(status) && !fs::is_directory(status);
}

// The temporary file that is renamed to the final name.
fs::path HalfOf(fs::path path) { return path += ".part"; }

// Whether a run may have written the file into a folder of its report: a finding, or a file whose
// name begins with the number of a sequence; or the half of one, before it was killed.
bool IsOfARun(const fs::path& file) {
  constexpr size_t kDigits = 6;  // of a number, at least
  const fs::path name = file.extension() == ".part" ? file.stem() : file.filename();
  const std::string kind = name.extension().string();
  if (file.parent_path().filename() == kFindings)
    return kind == ".conv" || kind == ".pcapng" || kind == ".history";
  if (kind != ".conv" && kind != ".log" && kind != ".host") return false;
  const std::string stem = name.stem().string();
  const size_t digits = std::min(stem.find_first_not_of("0123456789"), stem.size());
  return digits >= kDigits && (digits == stem.size() || stem.substr(digits) == "-alone");
}

// Empty when there is no error.
std::string ProblemOf(const fs::path& path, const std::error_code& error) {
  return error ? fmt::format("{} cannot be written: {}", path.string(), error.message())
               : std::string();
}

// Without an extension. Several causes may have one.
std::string NameOf(const Finding& finding) {
  std::string name = finding.id;
  if (finding.id == kRowsId) name += "-" + finding.about;
  for (char& c : name) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return name;
}

}  // namespace

std::string WriteFile(const fs::path& path, const std::string& text) {
  const bool special = IsSpecial(path);
  const fs::path half = special ? path : HalfOf(path);
  std::ofstream out(half, std::ios::binary | std::ios::trunc);
  out << text;
  out.close();
  std::error_code error;
  if (!out) error = std::make_error_code(std::errc(errno));
  if (special) return ProblemOf(path, error);
  if (!error) fs::rename(half, path, error);
  std::error_code ignored;
  if (error) fs::remove(half, ignored);
  return ProblemOf(path, error);
}

std::string WhyUnwritable(const fs::path& path) {
  std::error_code error;
  if (path.filename() == "-") return "'-' is no file: give one, or /dev/stdout";
  if (fs::is_directory(path, error))
    return ProblemOf(path, std::make_error_code(std::errc::is_a_directory));
  const bool special = IsSpecial(path);
  const fs::path half = special ? path : HalfOf(path);
  const bool open = static_cast<bool>(std::ofstream(half, std::ios::binary | std::ios::app));
  if (!open) return ProblemOf(path, std::make_error_code(std::errc(errno)));
  if (!special) fs::remove(half, error);
  return {};
}

bool Overlap(const fs::path& one, const fs::path& other) {
  std::error_code ignored;
  const fs::path first = fs::weakly_canonical(one, ignored);
  const fs::path second = fs::weakly_canonical(other, ignored);
  const auto [in_first, in_second] =
      std::mismatch(first.begin(), first.end(), second.begin(), second.end());
  return in_first == first.end() || in_second == second.end();
}

void Forget(const fs::path& folder) {
  std::error_code ignored;
  for (const auto& entry : fs::directory_iterator(folder, ignored))
    if (IsOfARun(entry.path())) fs::remove(entry.path(), ignored);
  // Neither a file of this name, nor a link to a folder; and only when it is empty.
  if (fs::is_directory(fs::symlink_status(folder, ignored))) fs::remove(folder, ignored);
}

std::string Report::Create() {
  std::error_code error;
  for (fs::path folder = fs::absolute(folder_, error);
       !folder.empty() && !fs::exists(folder, error); folder = folder.parent_path())
    made_ = folder;
  fs::create_directories(folder_, error);
  if (error) return fmt::format("{}: {}", folder_.string(), error.message());
  lock_ = Descriptor(open(folder_.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  // A file system without locks is taken for free.
  if (flock(lock_.get(), LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK)
    return fmt::format("{} is the report of a run that goes on: give another one with --report",
                       folder_.string());
  return WhyUnwritable(folder_ / "results.json");
}

void Report::Discard() {
  std::error_code ignored;
  if (!made_.empty()) fs::remove_all(made_, ignored);
}

void Report::ForgetEarlier(bool goes_on, const fs::path& given) {
  std::error_code ignored;
  // A folder without results is no report: what it has is the user's own.
  const bool all = !goes_on && fs::exists(folder_ / "results.json", ignored);
  const auto stays = [&](std::string_view name) {
    return !given.empty() && Overlap(folder_ / name, given);
  };
  for (const std::string_view name : kFolders)
    if ((all || name == kFindings) && !stays(name)) Forget(folder_ / name);
  for (const std::string_view name : kFiles)
    if (all && !stays(name)) fs::remove(folder_ / name, ignored);
}

std::string Report::WriteFinding(const Finding& finding, const History& history, fs::path* path) {
  std::error_code error;
  fs::create_directories(folder_ / kFindings, error);
  if (error) return fmt::format("{}: {}", (folder_ / kFindings).string(), error.message());
  const std::string name = NameOf(finding);
  const int number = ++named_[name];
  *path = folder_ / kFindings /
          (number == 1 ? name + ".conv" : fmt::format("{}-{}.conv", name, number));
  return WriteFile(*path, ToText(history));
}

std::string Report::WriteConversation(uint64_t index, const History& history) {
  std::error_code error;
  fs::create_directories(folder_ / "conversations", error);
  if (error) return fmt::format("{}: {}", (folder_ / "conversations").string(), error.message());
  return WriteFile(folder_ / "conversations" / fmt::format("{:06}.conv", index), ToText(history));
}

void Examples::Add(const SequenceRun& judged) {
  for (const Finding& finding : judged.result.findings) {
    const std::string cause = finding.Cause();
    if (examples_.size() >= kFindingsWithExamples && !examples_.contains(cause)) continue;
    std::vector<SequenceRun>& known = examples_[cause];
    const bool same_walk = std::any_of(known.begin(), known.end(), [&](const SequenceRun& other) {
      return other.result.walk == judged.result.walk;
    });
    if (known.size() < kExamplesOfEach && !same_walk) known.push_back(judged);
  }
}

const std::vector<SequenceRun>* Examples::Of(const Finding& finding) const {
  const auto found = examples_.find(finding.Cause());
  return found == examples_.end() ? nullptr : &found->second;
}

}  // namespace cm
