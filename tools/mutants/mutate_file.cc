// Writes the mutated copy of a source.
//
// usage: mutate_file NAME INPUT OUTPUT COMPILER_OPTION...
// Exit code: 0 it is written; 1 the source is not well-formed; 2 a file cannot be read or written.
#include <fmt/format.h>

#include <fstream>
#include <string>
#include <vector>

#include "model/base/files.h"
#include "tools/mutants/find_sites.h"
#include "tools/mutants/sites.h"

int main(int argc, char** argv) {
  if (argc < 4) {
    fmt::print(stderr, "usage: mutate_file NAME INPUT OUTPUT COMPILER_OPTION...\n");
    return 2;
  }
  const std::string name = argv[1];
  const std::vector<std::string> flags(argv + 4, argv + argc);
  const std::optional<std::string> source = cm::ReadFile(argv[2]);
  if (!source) {
    fmt::print(stderr, "mutate_file: cannot read {}\n", argv[2]);
    return 2;
  }
  const cm::mutant::Found found = cm::mutant::FindSites(name, *source, flags);
  if (!found.problem.empty()) {
    fmt::print(stderr, "{}\n", found.problem);
    return 1;
  }
  std::ofstream output(argv[3], std::ios::binary);
  output << cm::mutant::MutatedText(name, *source, found.sites);
  output.close();
  if (!output) {
    fmt::print(stderr, "mutate_file: cannot write {}\n", argv[3]);
    return 2;
  }
  return 0;
}
