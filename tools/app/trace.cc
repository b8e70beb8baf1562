#include "tools/app/trace.h"

#include <fmt/compile.h>
#include <fmt/format.h>

#include <cstddef>
#include <string>
#include <utility>

#include "model/base/digest.h"

namespace cm::app {
namespace {

constexpr size_t kKept = 30;

}  // namespace

void Trace::Say(Instant now, std::string_view who, std::string_view what) {
  std::string line = fmt::format(FMT_COMPILE("{:>12}  {} {}"), ToString(now), who, what);
  Digest digest;
  digest.U64(digest_);
  digest.Text(line);
  digest_ = digest.Value();
  if (write_) write_(line);
  last_.push_back(std::move(line));
  if (last_.size() > kKept) last_.pop_front();
}

}  // namespace cm::app
