#include "conformance/sharpness/admissible.h"

#include <fnmatch.h>

#include <algorithm>
#include <sstream>

namespace cm {

AdmissibleAlterations::AdmissibleAlterations(std::string_view text) {
  std::istringstream in{std::string(text)};
  std::string reason;
  bool in_comment = false;
  for (std::string line; std::getline(in, line);) {
    const bool is_comment = line.starts_with("#");
    if (is_comment) {
      if (!in_comment) reason.clear();
      if (!reason.empty()) reason += ' ';
      reason += line.substr(std::min<size_t>(line.size(), 2));
    } else if (!line.empty()) {
      listed_.push_back({line, reason});
    }
    in_comment = is_comment;
  }
}

const ListedAlterations* AdmissibleAlterations::Find(const std::string& name) const {
  const auto found = std::ranges::find_if(listed_, [&](const ListedAlterations& listed) {
    return fnmatch(listed.pattern.c_str(), name.c_str(), 0) == 0;
  });
  return found == listed_.end() ? nullptr : &*found;
}

}  // namespace cm
