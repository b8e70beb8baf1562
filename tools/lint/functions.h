// The extents of a file's functions.
#ifndef TOOLS_LINT_FUNCTIONS_H_
#define TOOLS_LINT_FUNCTIONS_H_

#include <string>
#include <vector>

#include "tools/lint/usage.h"

namespace lint {

struct Function {
  std::string name;    // the word before its parameters; "TEST" for a test
  std::string scope;   // "A::B" of a method that is defined outside of its class
  int first_line = 0;  // of its signature
  int last_line = 0;   // of its closing brace
  size_t open = 0;     // the token that is its opening brace
  size_t close = 0;    // the one that closes it
};

// Every function with a body; a lambda counts where it is not inside another function.
std::vector<Function> Functions(Tokens tokens);

}  // namespace lint

#endif  // TOOLS_LINT_FUNCTIONS_H_
