#include "hw_tests/lab/own_kernel.h"

#include <fstream>
#include <optional>
#include <string>
#include <string_view>

#include "conformance/process/process.h"
#include "hw_tests/lab/embedded.h"
#include "hw_tests/lab/last_line.h"

namespace lab {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kComplaint = "own_kernel.sh: ";

}  // namespace

Outcome<Image> WithKernel(const Image& image, const OwnKernel& own, const fs::path& folder) {
  const fs::path script = folder / "own_kernel.sh";
  std::ofstream out(script);
  out << Embedded("own_kernel.sh");
  out.close();
  if (!out) return Problem{script.string() + ": cannot be written"};
  const std::optional<cm::Ran> ran =
      cm::RunProgram({"sh", script.string(), fs::absolute(image.folder()).string(),
                      fs::absolute(own.kernel).string(),
                      own.modules.empty() ? "" : fs::absolute(own.modules).string(),
                      fs::absolute(folder).string()});
  if (!ran) return Problem{"there is no sh"};
  if (ran->exit_code == 0) return Image::Open(folder);
  std::string line = LastLine(ran->output);
  if (line.starts_with(kComplaint)) return Problem{line.substr(kComplaint.size())};
  return Problem{"making an image of the kernel failed: " + line};
}

}  // namespace lab
