// The named defects: the fields of each *.defect in this folder.
#ifndef CONFORMANCE_DEFECTS_DEFECTS_H_
#define CONFORMANCE_DEFECTS_DEFECTS_H_

#include <cstddef>
#include <span>
#include <string_view>

#include "model/vocabulary/profile.h"

namespace cm {

struct Defect {
  std::string_view name;
  std::string_view sentence;  // the wrong behaviour
  std::string_view source;    // source of the right behaviour
  std::string_view profile;   // one that shows the defect; empty: all profiles do
  std::string_view needs;     // the capability, or the transport, that makes a profile show it
};

// In the order of their names.
std::span<const Defect> Defects();

// The argument of SwitchedOn; 0 when there is no defect of that name.
size_t NumberOf(std::string_view name);

// A profile that shows the defect, where the given one does not; else empty.
std::string_view WhoShows(std::string_view defect, const Profile& profile);

}  // namespace cm

#endif  // CONFORMANCE_DEFECTS_DEFECTS_H_
