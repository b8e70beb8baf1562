// Alterations that a judge may permit, and why: a file of comments, with names below each.
//
//   # A call on an object that is destroyed: anything may come of it.
//   *-rxe/87-channel_destroyed_before_ids:5 reply *
//
// A name is that of a file, a colon, and the alteration as it prints itself; a
// name may be a pattern of fnmatch(3).
#ifndef CONFORMANCE_SHARPNESS_ADMISSIBLE_H_
#define CONFORMANCE_SHARPNESS_ADMISSIBLE_H_

#include <string>
#include <string_view>
#include <vector>

namespace cm {

struct ListedAlterations {
  std::string pattern;
  std::string reason;
};

class AdmissibleAlterations {
 public:
  // None.
  AdmissibleAlterations() = default;
  explicit AdmissibleAlterations(std::string_view text);

  // Null where the name is not listed.
  const ListedAlterations* Find(const std::string& name) const;
  const std::vector<ListedAlterations>& listed() const { return listed_; }

 private:
  std::vector<ListedAlterations> listed_;
};

}  // namespace cm

#endif  // CONFORMANCE_SHARPNESS_ADMISSIBLE_H_
