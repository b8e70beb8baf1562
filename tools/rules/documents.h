// The generated part of docs/: the rows as Markdown and their state diagrams.
#ifndef TOOLS_RULES_DOCUMENTS_H_
#define TOOLS_RULES_DOCUMENTS_H_

#include <string>
#include <vector>

namespace cm::ruledoc {

struct Document {
  std::string path;  // in docs/: "rules.md", "diagrams/cm_id.dot"
  std::string text;
};

// The same on every machine, whatever the compiler.
std::vector<Document> AllDocuments();

}  // namespace cm::ruledoc

#endif  // TOOLS_RULES_DOCUMENTS_H_
