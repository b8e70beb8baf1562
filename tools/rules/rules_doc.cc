// Writes the generated part of docs/.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <cstdlib>
#include <filesystem>
#include <string>

#include "tools/rules/documents.h"
#include "tools/rules/generated_files.h"

namespace {

namespace fs = std::filesystem;

// bazel run starts programs in another folder, and sets variables with the caller's folder and the
// workspace.
fs::path Under(const char* variable, const fs::path& path) {
  const char* folder = std::getenv(variable);
  return folder == nullptr ? path : fs::path(folder) / path;
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App app("Writes the tables of the model as Markdown and as state diagrams.", "rules_doc");
  std::string given;
  app.add_option("folder", given, "where to write; docs/ of the workspace unless given");
  CLI11_PARSE(app, argc, argv);
  const fs::path folder = given.empty() ? Under("BUILD_WORKSPACE_DIRECTORY", "docs")
                                        : Under("BUILD_WORKING_DIRECTORY", given);
  cm::ruledoc::GeneratedFiles files;
  for (const cm::ruledoc::Document& document :
       cm::ruledoc::AllDocuments(Under("BUILD_WORKSPACE_DIRECTORY", ".")))
    if (!files.Write(folder / document.path, document.text)) return 2;
  fmt::print("{}\n", files.Summary());
  return 0;
}
