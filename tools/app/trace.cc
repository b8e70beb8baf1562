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
  std::string line;
  if (last_.size() == kKept) {
    line = std::move(last_.front());
    last_.pop_front();
  }
  if (!said_ || *said_ != now) {
    said_ = now;
    time_ = fmt::format(FMT_COMPILE("{:>12}  "), ToString(now));
  }
  line.assign(time_).append(who).append(" ").append(what);
  Digest digest;
  digest.U64(digest_);
  digest.Text(line);
  digest_ = digest.Value();
  if (write_) write_(line);
  last_.push_back(std::move(line));
}

}  // namespace cm::app
