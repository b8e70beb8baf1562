#include "tools/lint/tree.h"

#include <algorithm>
#include <fstream>
#include <iterator>
#include <optional>
#include <system_error>
#include <utility>

namespace lint {
namespace {

namespace fs = std::filesystem;

constexpr uintmax_t kLargestText = 4 << 20;

// The top-level names that .gitignore keeps out: lines such as "/user.bazelrc".
std::set<std::string> IgnoredNames(const fs::path& root) {
  std::set<std::string> names;
  std::ifstream in(root / ".gitignore");
  for (std::string line; std::getline(in, line);) {
    if (!line.starts_with('/')) continue;
    if (line.ends_with('/')) line.pop_back();
    names.insert(line.substr(1));
  }
  return names;
}

bool IsLeftover(std::string_view name) {
  return name == ".git" || name == "__pycache__" || name.starts_with("bazel-");
}

std::optional<std::string> ReadText(const fs::path& path) {
  std::ifstream in(path, std::ios::binary);
  std::string text{std::istreambuf_iterator<char>(in), {}};
  if (text.find('\0') != text.npos) return std::nullopt;
  return text;
}

}  // namespace

Tree::Tree(std::vector<Source> sources, std::set<std::string, std::less<>> others)
    : sources_(std::move(sources)), others_(std::move(others)) {
  std::ranges::stable_sort(sources_, {}, &Source::path);
}

Tree Tree::At(const fs::path& root) {
  const std::set<std::string> ignored = IgnoredNames(root);
  std::vector<Source> sources;
  std::set<std::string, std::less<>> others;
  for (fs::recursive_directory_iterator at(root), end; at != end; ++at) {
    const std::string path = at->path().lexically_relative(root).generic_string();
    if (IsLeftover(at->path().filename().string()) || ignored.contains(path)) {
      at.disable_recursion_pending();
      continue;
    }
    std::error_code gone;  // an editor's temporary file may have been deleted
    if (at->is_symlink(gone) || !at->is_regular_file(gone)) continue;
    const bool is_small = at->file_size(gone) <= kLargestText;
    if (gone) continue;
    std::optional<std::string> text = is_small ? ReadText(at->path()) : std::nullopt;
    if (text) {
      sources.emplace_back(path, *std::move(text));
    } else {
      others.insert(path);
    }
  }
  return Tree(std::move(sources), std::move(others));
}

const Source* Tree::Find(std::string_view path) const {
  const auto found = std::ranges::lower_bound(sources_, path, {}, &Source::path);
  return found != sources_.end() && found->path() == path ? &*found : nullptr;
}

bool Tree::Has(std::string_view path) const {
  return Find(path) != nullptr || others_.contains(path);
}

fs::path WorkspaceOfTest() { return fs::canonical("WORKSPACE").parent_path(); }

}  // namespace lint
