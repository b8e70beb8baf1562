#include "tools/cmcheck/report.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <fstream>
#include <system_error>

#include "model/conversation/print.h"

namespace cm {
namespace {

constexpr size_t kExamplesOfEach = 6;
constexpr size_t kFindingsWithExamples = 32;

std::string NameOf(const Finding& finding) {
  std::string name = finding.id;
  if (finding.id == kRowsId) name += "-" + finding.about;
  for (char& c : name) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return name + ".conv";
}

}  // namespace

std::string WriteFile(const std::filesystem::path& path, const std::string& text) {
  std::filesystem::path half = path;
  half += ".part";
  {
    std::ofstream out(half, std::ios::binary | std::ios::trunc);
    out << text;
    out.flush();
    if (!out) {
      std::error_code ignored;
      std::filesystem::remove(half, ignored);
      return fmt::format("{} cannot be written", path.string());
    }
  }
  std::error_code error;
  std::filesystem::rename(half, path, error);
  return error ? fmt::format("{}: {}", path.string(), error.message()) : std::string();
}

std::string Report::Prepare() {
  std::error_code error;
  std::filesystem::create_directories(folder_, error);
  if (error) return fmt::format("{}: {}", folder_.string(), error.message());
  std::filesystem::remove_all(folder_ / "findings", error);  // of an earlier run
  return {};
}

std::string Report::WriteFinding(const Finding& finding, const History& history,
                                 std::filesystem::path* path) {
  std::error_code error;
  std::filesystem::create_directories(folder_ / "findings", error);
  if (error) return fmt::format("{}: {}", (folder_ / "findings").string(), error.message());
  *path = folder_ / "findings" / NameOf(finding);
  return WriteFile(*path, ToText(history));
}

std::string Report::WriteConversation(const History& history) {
  std::error_code error;
  std::filesystem::create_directories(folder_ / "conversations", error);
  if (error) return fmt::format("{}: {}", (folder_ / "conversations").string(), error.message());
  const uint64_t index = history.conversation.origin ? history.conversation.origin->index : 0;
  return WriteFile(folder_ / "conversations" / fmt::format("{:06}.conv", index), ToText(history));
}

std::string Examples::KeyOf(const Finding& finding) {
  return finding.id == kRowsId ? finding.id + " " + finding.about : finding.id;
}

void Examples::Add(const Judged& judged) {
  for (const Finding& finding : judged.result.findings) {
    if (examples_.size() >= kFindingsWithExamples && !examples_.contains(KeyOf(finding))) continue;
    std::vector<Judged>& known = examples_[KeyOf(finding)];
    const bool same_walk = std::any_of(known.begin(), known.end(), [&](const Judged& other) {
      return other.result.walk == judged.result.walk;
    });
    if (known.size() < kExamplesOfEach && !same_walk) known.push_back(judged);
  }
}

const std::vector<Judged>* Examples::Of(const Finding& finding) const {
  const auto found = examples_.find(KeyOf(finding));
  return found == examples_.end() ? nullptr : &found->second;
}

}  // namespace cm
