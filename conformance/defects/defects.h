// The named defects: the fields of each *.defect in this folder.
#ifndef CONFORMANCE_DEFECTS_DEFECTS_H_
#define CONFORMANCE_DEFECTS_DEFECTS_H_

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "model/vocabulary/profile.h"

namespace cm {

struct Defect {
  std::string_view name;
  std::string_view sentence;  // the wrong behaviour
  std::string_view source;    // source of the right behaviour
  std::string_view profile;   // one that shows the defect; empty: all profiles do
  std::string_view needs;     // the capability, or the transport, that makes a profile show it
  std::span<const std::string_view> functions;  // that it patches, with file and line
};

// In the order of their names.
std::span<const Defect> Defects();

// From 1; 0 when there is no defect of that name.
size_t NumberOf(std::string_view name);

// Why they cannot be switched on together: one that does not exist, is named twice, or patches a
// function that another one patches. Empty when they can.
std::string WhyNotTogether(const std::vector<std::string>& names);

// A profile that shows the defect, where the given one does not; else empty.
std::string_view WhoShows(std::string_view defect, const Profile& profile);

}  // namespace cm

#endif  // CONFORMANCE_DEFECTS_DEFECTS_H_
