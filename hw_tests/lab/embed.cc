// Generates C++ that contains files: `embed HEADER NAMESPACE FILE... >embedded.cc`. The header
// declares `std::string_view Embedded(std::string_view name)` in that namespace; see embedded.h.
//
// So a binary works wherever it is copied to, without a folder of files beside it.
#include <cstddef>
#include <cstdio>
#include <fstream>
#include <iterator>
#include <string>

namespace {

constexpr size_t kBytesPerLine = 24;

// Always three octal digits a byte, so that a following digit is never part of the escape.
void PrintLiteral(const std::string& bytes) {
  for (size_t i = 0; i < bytes.size(); ++i) {
    if (i % kBytesPerLine == 0) fputs(i == 0 ? "\"" : "\"\n\"", stdout);
    printf("\\%03o", static_cast<unsigned>(static_cast<unsigned char>(bytes[i])));
  }
  fputs(bytes.empty() ? "\"\"" : "\"", stdout);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 3) {
    fputs("usage: embed HEADER NAMESPACE FILE...\n", stderr);
    return 2;
  }
  printf("#include \"%s\"\n\nnamespace %s {\n\n", argv[1], argv[2]);
  puts("std::string_view Embedded(std::string_view name) {");
  for (int i = 3; i < argc; ++i) {
    const std::string path = argv[i];
    std::ifstream file(path, std::ios::binary);
    const std::string bytes((std::istreambuf_iterator<char>(file)), {});
    if (!file) {
      fprintf(stderr, "embed: cannot read %s\n", path.c_str());
      return 1;
    }
    printf("  if (name == \"%s\") return {", path.substr(path.rfind('/') + 1).c_str());
    PrintLiteral(bytes);
    printf(", %zu};\n", bytes.size());
  }
  printf("  return {};\n}\n\n}  // namespace %s\n", argv[2]);
  return ferror(stdout) != 0 ? 1 : 0;
}
