// The generated part of docs/: the rows as Markdown, their state diagrams, and their coverage.
#ifndef TOOLS_RULES_DOCUMENTS_H_
#define TOOLS_RULES_DOCUMENTS_H_

#include <filesystem>
#include <string>
#include <vector>

namespace cm::ruledoc {

struct Document {
  std::string path;  // in docs/: "rules.md", "diagrams/cm_id.dot"
  std::string text;
};

// The same on every machine and with every compiler. `root` is that of the repository, whose golden
// conversations are counted.
std::vector<Document> AllDocuments(const std::filesystem::path& root);

}  // namespace cm::ruledoc

#endif  // TOOLS_RULES_DOCUMENTS_H_
