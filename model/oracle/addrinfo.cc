// The calls of the library's map 1.4.
#include <algorithm>

#include "model/oracle/lookups.h"
#include "model/oracle/oracle.h"

namespace cm::model {
namespace {

// A possibility has room for a few more than these.
constexpr size_t kMostUnread = 5;

}  // namespace

bool Oracle::TooManyUnread(IdRef id) {
  return MayBe(
      id, [](const IdState& own) { return own.queue.size() + own.joining.size() > kMostUnread; });
}

}  // namespace cm::model
