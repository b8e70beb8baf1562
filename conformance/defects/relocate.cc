#include "conformance/defects/relocate.h"

#include <algorithm>
#include <cctype>
#include <cstddef>

#include "conformance/defects/source_text.h"

namespace cm::defects {
namespace {

constexpr std::string_view kNamespace = "sim";
constexpr std::string_view kInclude = "#include \"";

// `cm::sim`, or the beginning of `sim::World`: not a variable of that name.
std::string WithNamespace(std::string_view line, std::string_view code, std::string_view name) {
  std::string moved;
  size_t done = 0;
  for (size_t at = FindWord(code, kNamespace, 0); at != std::string_view::npos;
       at = FindWord(code, kNamespace, at + 1)) {
    const bool names = code.substr(0, at).ends_with("::") ||
                       code.substr(0, at).ends_with("namespace ") ||
                       code.substr(at + kNamespace.size()).starts_with("::");
    if (!names) continue;
    moved += line.substr(done, at - done);
    moved += name;
    done = at + kNamespace.size();
  }
  return moved + std::string(line.substr(done));
}

// A guard is the word after #ifndef or #define with that suffix.
std::string WithGuard(std::string_view line, std::string_view name) {
  const size_t word = line.find(' ') + 1;
  std::string capitals(name);
  std::ranges::transform(capitals, capitals.begin(),
                         [](unsigned char c) { return static_cast<char>(std::toupper(c)); });
  return std::string(line.substr(0, word)) + capitals + "_" + std::string(line.substr(word));
}

std::string Moved(std::string_view line, std::string_view code, const Relocation& relocation) {
  if (line.starts_with(kInclude)) {
    const std::string_view path = line.substr(kInclude.size(), line.rfind('"') - kInclude.size());
    if (!relocation.copied.contains(std::string(path))) return std::string(line);
    return std::string(kInclude) + relocation.prefix + "/" +
           std::string(line.substr(kInclude.size()));
  }
  const bool guard = line.starts_with("#ifndef ") || line.starts_with("#define ");
  if (guard && line.ends_with("_H_")) return WithGuard(line, relocation.name);
  return WithNamespace(line, code, relocation.name);
}

}  // namespace

std::string Relocate(std::string_view text, const Relocation& relocation) {
  const std::string code = CodeOnly(text);
  std::string moved;
  for (size_t begin = 0; begin < text.size();) {
    const size_t end = std::min(text.find('\n', begin), text.size());
    const std::string_view line = text.substr(begin, end - begin);
    moved += Moved(line, std::string_view(code).substr(begin, end - begin), relocation);
    if (end < text.size()) moved += '\n';
    begin = end + 1;
  }
  return moved;
}

}  // namespace cm::defects
