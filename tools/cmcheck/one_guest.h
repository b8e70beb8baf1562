// A guest of the lab with both sides, in which this program runs again, in virtual time.
#ifndef TOOLS_CMCHECK_ONE_GUEST_H_
#define TOOLS_CMCHECK_ONE_GUEST_H_

#include <filesystem>
#include <memory>
#include <string>
#include <variant>

#include "hw_tests/lab/guest.h"
#include "tools/cmcheck/lab.h"
#include "tools/cmcheck/own_guest.h"

namespace cm {

class OneGuest {
 public:
  // The guest with the kernel of the built-in profile of this name, or of the user's own; or an
  // exit code, when the reason is printed. No other profile is known in a guest.
  static std::variant<std::unique_ptr<OneGuest>, int> Start(const std::string& profile,
                                                            const OwnGuest& own);

  lab::Guest& guest() { return *guest_; }
  // /host in the guest, with `cmcheck` in it.
  const std::filesystem::path& share() const { return share_.path(); }

 private:
  explicit OneGuest(const OwnGuest& own);

  OwnFolder own_;
  OwnFolder share_;
  std::unique_ptr<lab::Guest> guest_;  // ends before the folders
};

}  // namespace cm

#endif  // TOOLS_CMCHECK_ONE_GUEST_H_
