// Sharpness: the share of all alternatives that are refused, by kind, over files that are permitted
// as they stand.
#ifndef CONFORMANCE_SHARPNESS_SHARPNESS_H_
#define CONFORMANCE_SHARPNESS_SHARPNESS_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "conformance/sharpness/kinds.h"

namespace cm {

enum class MeasuredFormat : uint8_t { kRecording, kConversation, kCapture };

struct MeasuredFormatRow {
  MeasuredFormat format = MeasuredFormat::kRecording;
  std::string_view extension;
  std::string_view plural;
};
inline constexpr auto kMeasuredFormats = std::to_array<MeasuredFormatRow>({
    {MeasuredFormat::kRecording, ".jsonl", "recordings"},
    {MeasuredFormat::kConversation, ".conv", "conversations"},
    {MeasuredFormat::kCapture, ".pcap", "captures"},
});

struct SharpnessCounts {
  size_t all = 0;
  size_t refused = 0;
  size_t listed = 0;  // permitted, with a reason

  // Rounded down: 10000 only where all are refused, and where there are none.
  size_t basis_points() const { return all == 0 ? 10000 : refused * 10000 / all; }
  SharpnessCounts& operator+=(const SharpnessCounts& other) {
    all += other.all;
    refused += other.refused;
    listed += other.listed;
    return *this;
  }
};

struct PermittedAlteration {
  std::string name;     // "6.1-rxe/03-disconnect_from_both_sides:21 time in time -> never"
  std::string pattern;  // of admissible.txt; empty: not listed
  std::string reason;
};

enum class FileProblem : uint8_t {
  kNone,
  kUnreadable,  // not of its format, or it has no history or no profile
  kRefused,     // as it stands
  kUndecided,   // as it stands
};

// What came of one file.
struct FileSharpness {
  std::filesystem::path path;
  MeasuredFormat format = MeasuredFormat::kRecording;
  FileProblem problem = FileProblem::kNone;
  std::string why;
  std::map<std::string_view, SharpnessCounts> counts;  // by the name of the kind
  std::vector<PermittedAlteration> permitted;
  std::vector<std::string> listed_and_refused;
  // Observations, and those of them that are judged; only these are altered.
  size_t observations = 0;
  size_t judged = 0;
};

class Sharpness {
 public:
  void Add(FileSharpness file) { files_.push_back(std::move(file)); }

  const std::vector<FileSharpness>& files() const { return files_; }
  bool Has(FileProblem problem) const;
  size_t measured(MeasuredFormat format) const;
  SharpnessCounts of(MeasuredFormat format, std::string_view kind) const;
  SharpnessCounts all(MeasuredFormat format) const;
  // "late of recordings": kinds of which a smaller share is refused, and not all others are listed
  // with a reason.
  std::vector<std::string> Below(size_t basis_points) const;

 private:
  std::vector<FileSharpness> files_;
};

// A row for each kind, a table for each format.
std::string SharpnessTable(const Sharpness& sharpness);
// docs/sharpness.md.
std::string SharpnessMarkdown(const Sharpness& sharpness);

}  // namespace cm

#endif  // CONFORMANCE_SHARPNESS_SHARPNESS_H_
