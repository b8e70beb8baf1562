#include "tools/app/trace.h"

#include <cstddef>
#include <string>
#include <utility>

#include "model/base/digest.h"

namespace cm::app {
namespace {

constexpr size_t kKept = 30;
constexpr size_t kWidth = 12;   // of the time
constexpr size_t kLonger = 24;  // than the name and what is said

}  // namespace

void Trace::Say(Instant now, std::string_view who, std::string_view what) {
  const std::string time = ToString(now);
  std::string line;
  line.reserve(kLonger + who.size() + what.size());
  line.append(time.size() < kWidth ? kWidth - time.size() : 0, ' ');
  for (const std::string_view part :
       {std::string_view(time), std::string_view("  "), who, std::string_view(" "), what})
    line += part;
  Digest digest;
  digest.U64(digest_);
  digest.Text(line);
  digest_ = digest.Value();
  if (write_) write_(line);
  last_.push_back(std::move(line));
  if (last_.size() > kKept) last_.pop_front();
}

}  // namespace cm::app
