// Writes docs/programs.md. Lines of programs that are not installed stay as they are.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

#include "tools/app/stock_programs.h"

int main(int argc, char** argv) {
  CLI::App app("Runs programs of the distribution, and writes docs/programs.md.", "programs_page");
  std::string only;
  app.add_option("only", only, "run programs whose names begin so; the lines of others stay");
  CLI11_PARSE(app, argc, argv);
  const char* const workspace = std::getenv("BUILD_WORKSPACE_DIRECTORY");
  const std::filesystem::path path =
      std::filesystem::path(workspace == nullptr ? "." : workspace) / "docs/programs.md";
  std::ifstream in(path);
  const std::string before{std::istreambuf_iterator<char>(in), {}};
  const std::string page = cm::app::ProgramsPage([&](const cm::app::StockProgram& program) {
    const auto kept = cm::app::LineIn(before, program);
    const bool runs = cm::app::IsInstalled(program) && program.name.starts_with(only);
    if (!runs) return kept.value_or("");
    std::string problem;
    std::string line = cm::app::MeasuredLine(program, &problem);
    fmt::print("{}{}\n", line, problem);
    std::fflush(stdout);
    return line;
  });
  std::ofstream(path) << page;
  return 0;
}
