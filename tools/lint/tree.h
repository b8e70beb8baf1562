// The text files of the workspace.
#ifndef TOOLS_LINT_TREE_H_
#define TOOLS_LINT_TREE_H_

#include <filesystem>
#include <functional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "tools/lint/source.h"

namespace lint {

class Tree {
 public:
  Tree() = default;
  // In any order; tests make small trees this way. `others`: the paths of files that are no text.
  explicit Tree(std::vector<Source> sources, std::set<std::string, std::less<>> others = {});

  // Every text file below `root`, except files of Git, Bazel and Python and those of a .gitignore
  // at the top.
  static Tree At(const std::filesystem::path& root);

  // By path. Not for a temporary: a loop over it would outlive the tree.
  const std::vector<Source>& sources() const& { return sources_; }
  const std::vector<Source>& sources() && = delete;
  // Null when there is no such text file.
  const Source* Find(std::string_view path) const;
  // True for any file, text or not.
  bool Has(std::string_view path) const;

 private:
  std::vector<Source> sources_;
  std::set<std::string, std::less<>> others_;
};

// The workspace that the running test was built from. Call it in the folder that Bazel started the
// test in, and name //:WORKSPACE in the test's data.
std::filesystem::path WorkspaceOfTest();

}  // namespace lint

#endif  // TOOLS_LINT_TREE_H_
