#include "conformance/sharpness/sharpness.h"

#include <fmt/format.h>

#include <algorithm>

namespace cm {

bool Sharpness::Has(FileProblem problem) const {
  return std::ranges::any_of(files_,
                             [&](const FileSharpness& file) { return file.problem == problem; });
}

size_t Sharpness::measured(MeasuredFormat format) const {
  return static_cast<size_t>(std::ranges::count_if(files_, [&](const FileSharpness& file) {
    return file.format == format && file.problem == FileProblem::kNone;
  }));
}

SharpnessCounts Sharpness::of(MeasuredFormat format, std::string_view kind) const {
  SharpnessCounts sum;
  for (const FileSharpness& file : files_) {
    const auto found = file.counts.find(kind);
    if (file.format == format && found != file.counts.end()) sum += found->second;
  }
  return sum;
}

SharpnessCounts Sharpness::all(MeasuredFormat format) const {
  SharpnessCounts sum;
  for (const AlterationKind& kind : AlterationKinds()) sum += of(format, kind.name);
  return sum;
}

std::vector<std::string> Sharpness::Below(size_t basis_points) const {
  std::vector<std::string> below;
  for (const MeasuredFormatRow& format : kMeasuredFormats) {
    for (const AlterationKind& kind : AlterationKinds()) {
      const SharpnessCounts counts = of(format.format, kind.name);
      const bool explained = counts.refused + counts.listed == counts.all;
      if (counts.refused * 10000 < counts.all * basis_points && !explained)
        below.push_back(fmt::format("{} of {}", kind.name, format.plural));
    }
  }
  return below;
}

}  // namespace cm
