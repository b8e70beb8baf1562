// The named defects: what each *.defect of this folder says of itself.
#ifndef CONFORMANCE_DEFECTS_DEFECTS_H_
#define CONFORMANCE_DEFECTS_DEFECTS_H_

#include <cstddef>
#include <span>
#include <string_view>

#include "model/vocabulary/profile.h"

namespace cm {

struct Defect {
  std::string_view name;
  std::string_view sentence;  // what is wrong then
  std::string_view source;    // where the right behaviour is written
  std::string_view profile;   // one that shows the defect; empty: every profile does
  std::string_view needs;     // the capability, or the transport, that makes a profile show it
};

// In the order of their names.
std::span<const Defect> Defects();

// What SwitchedOn takes; 0 when there is no defect of that name.
size_t NumberOf(std::string_view name);

// Of a defect that shows under some profiles only, one of them; empty when this one can show it.
std::string_view WhoShows(std::string_view defect, const Profile& profile);

}  // namespace cm

#endif  // CONFORMANCE_DEFECTS_DEFECTS_H_
