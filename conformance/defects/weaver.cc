// The command that the build runs; see sim_copy.bzl.
//
//   weaver --out DIR --prefix PREFIX --namespace NAME [--root ROOT] --list FILE INPUT...
//
// Inputs *.defect are the defects, and the others the sources, by the paths that they are included
// by; these paths are below ROOT.
#include <fmt/format.h>

#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "conformance/defects/defect_file.h"
#include "conformance/defects/relocate.h"
#include "conformance/defects/weave.h"

namespace cm::defects {
namespace {

struct Arguments {
  std::string out;
  std::string list;
  std::string root;
  Relocation relocation;
  std::vector<std::string> inputs;
};

// Bazel removes the output of a failed action.
int Fail(std::string_view problem) {
  fmt::print(stderr, "defect {}\n", problem);
  return 1;
}

std::string TextOf(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

void Write(const std::filesystem::path& path, const std::string& text) {
  std::filesystem::create_directories(path.parent_path());
  std::ofstream(path, std::ios::binary) << text;
}

int Run(const Arguments& arguments) {
  std::vector<DefectFile> defects;
  Sources sources;
  for (const std::string& input : arguments.inputs) {
    const std::filesystem::path path(input);
    if (path.extension() != ".defect") {
      sources[path.lexically_relative(arguments.root).string()] = TextOf(input);
      continue;
    }
    auto defect = ReadDefect(path.stem().string(), TextOf(input));
    if (const auto* problem = std::get_if<std::string>(&defect)) return Fail(*problem);
    defects.push_back(std::get<DefectFile>(std::move(defect)));
  }
  const auto woven = Weave(sources, defects);
  if (const auto* problem = std::get_if<std::string>(&woven)) return Fail(*problem);
  Relocation relocation = arguments.relocation;
  for (const auto& [path, text] : sources) relocation.copied.insert(path);
  const auto& [texts, functions] = std::get<WovenSources>(woven);
  for (const auto& [path, text] : texts)
    Write(std::filesystem::path(arguments.out) / path, Relocate(text, relocation));
  if (!arguments.list.empty()) Write(arguments.list, ListOf(defects, functions));
  return 0;
}

// Null when the option is missing.
std::string* OptionOf(Arguments* arguments, std::string_view name) {
  if (name == "--out") return &arguments->out;
  if (name == "--prefix") return &arguments->relocation.prefix;
  if (name == "--namespace") return &arguments->relocation.name;
  if (name == "--list") return &arguments->list;
  if (name == "--root") return &arguments->root;
  return nullptr;
}

}  // namespace
}  // namespace cm::defects

int main(int argc, char** argv) {
  cm::defects::Arguments arguments;
  for (int i = 1; i < argc; ++i) {
    std::string* const option = cm::defects::OptionOf(&arguments, argv[i]);
    if (option != nullptr && i + 1 < argc)
      *option = argv[++i];
    else
      arguments.inputs.emplace_back(argv[i]);
  }
  return cm::defects::Run(arguments);
}
