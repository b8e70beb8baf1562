// Links of documents lead to files and headings of the workspace.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <optional>
#include <string>
#include <vector>

#include "tools/lint/markdown.h"
#include "tools/lint/rules.h"

namespace lint {
namespace {

struct Link {
  int line = 0;
  std::string target;
};

bool IsDocument(const Source& source) { return source.name().ends_with(".md"); }

// Brackets between backticks are no links.
std::vector<Link> LinksIn(const Source& page) {
  std::vector<Link> links;
  for (const PageLine& of_page : LinesOutsideFences(page)) {
    const std::string line = WithoutCode(of_page.text);
    for (size_t at = line.find("]("); at != line.npos; at = line.find("](", at + 2)) {
      const size_t end = line.find(')', at);
      if (end == line.npos) break;
      links.push_back({of_page.number, line.substr(at + 2, end - at - 2)});
    }
  }
  return links;
}

// The anchor that hosts of repositories make of a heading: "## The `&` mark" is "the--mark".
std::string Slug(std::string_view heading) {
  std::string slug;
  for (const char c : heading) {
    if (c == ' ' || c == '-') slug += '-';
    if (c == '_' || std::isalnum(static_cast<unsigned char>(c)) != 0)
      slug += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  }
  return slug;
}

bool HasAnchor(const Source& page, std::string_view anchor) {
  const std::string id = fmt::format("id=\"{}\"", anchor);
  return std::ranges::any_of(LinesOutsideFences(page), [&](const PageLine& line) {
    const std::string_view heading = HeadingOf(line.text);
    return line.text.find(id) != line.text.npos || (!heading.empty() && Slug(heading) == anchor);
  });
}

// "docs/../sim/lib" from `folder`; empty for what leads out of the workspace.
std::optional<std::string> Resolved(std::string_view folder, std::string_view target) {
  std::vector<std::string_view> parts;
  for (const std::string_view path : {folder, target}) {
    for (size_t at = 0; at < path.size();) {
      const size_t slash = std::min(path.find('/', at), path.size());
      const std::string_view part = path.substr(at, slash - at);
      at = slash + 1;
      if (part == ".." && parts.empty()) return std::nullopt;
      if (part == "..") parts.pop_back();
      if (part != ".." && part != "." && !part.empty()) parts.push_back(part);
    }
  }
  std::string path;
  for (const std::string_view part : parts) path += (path.empty() ? "" : "/") + std::string(part);
  return path;
}

bool Exists(const Tree& tree, const std::string& path) {
  return path.empty() || tree.Has(path) ||
         std::ranges::any_of(tree.sources(),
                             [&](const Source& source) { return source.IsUnder(path); });
}

std::string WhyBroken(const Tree& tree, const Source& page, std::string_view target) {
  const size_t hash = std::min(target.find('#'), target.size());
  const std::string_view file = target.substr(0, hash);
  const std::optional<std::string> path =
      file.empty() ? page.path() : Resolved(page.folder(), file);
  if (!path || !Exists(tree, *path)) return fmt::format("{} does not exist", file);
  if (hash == target.size()) return {};
  const std::string_view anchor = target.substr(hash + 1);
  const Source* const other = tree.Find(*path);
  if (other != nullptr && IsDocument(*other) && !HasAnchor(*other, anchor))
    return fmt::format("{} has no heading or anchor {}", *path, anchor);
  return {};
}

void BrokenLink(const Tree& tree, Report& report) {
  for (const Source& page : tree.sources()) {
    if (!IsDocument(page)) continue;
    for (const Link& link : LinksIn(page)) {
      if (link.target.starts_with("http") || link.target.starts_with("mailto:")) continue;
      const std::string why = WhyBroken(tree, page, link.target);
      if (!why.empty()) report.Add(page, link.line, why);
    }
  }
}

constexpr auto kLinkRules = std::to_array<Rule>({
    {"link", "A link of a document leads to a file, folder or heading of the workspace.",
     BrokenLink},
});

}  // namespace

std::span<const Rule> LinkRules() { return kLinkRules; }

}  // namespace lint
