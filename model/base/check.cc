#include "model/base/check.h"

#include <cstdio>
#include <cstdlib>
#include <utility>

namespace cm {
namespace {

thread_local std::string check_context;

}  // namespace

void SetCheckContext(std::string context) { check_context = std::move(context); }

namespace internal {

CheckFailure::CheckFailure(const char* condition, const char* file, int line) {
  *this << file << ":" << line << ": check failed: " << condition << " ";
}

CheckFailure::~CheckFailure() {
  std::fprintf(stderr, "%s\n", text_.c_str());
  if (!check_context.empty()) std::fprintf(stderr, "while working on %s\n", check_context.c_str());
  std::fflush(stderr);
  std::abort();
}

}  // namespace internal
}  // namespace cm
