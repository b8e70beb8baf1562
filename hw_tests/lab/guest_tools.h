// What a LinuxPlace meddles with the guest through.
//
// 1. Commands are run by the shell, as root, and one at a time, but for those that are run behind:
//    they go on while others run.
// 2. Nothing here knows what the commands are for, so that a test can take its place.
#ifndef HW_TESTS_LAB_GUEST_TOOLS_H_
#define HW_TESTS_LAB_GUEST_TOOLS_H_

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "hw_tests/lab/cm_filter.h"
#include "hw_tests/lab/problem.h"
#include "model/base/duration.h"

namespace lab {

struct Ran {
  int status = 0;  // as in the shell's $?
  std::string printed;
};

class GuestTools {
 public:
  virtual ~GuestTools() = default;

  virtual Ran Run(const std::string& command) = 0;

  // Runs a command that may not end before other processes have. What came of it, if it has ended
  // after `within`; otherwise it goes on.
  virtual std::optional<Ran> RunBehind(const std::string& command, cm::Duration within) = 0;
  // Waits for all of those, together no longer than `within`; the others.
  virtual std::vector<std::string> AwaitBehind(cm::Duration within) = 0;
  virtual void KillBehind() = 0;

  virtual std::optional<Problem> AddRule(const CmRule& rule) = 0;
  virtual std::optional<Problem> ClearRules() = 0;

  // The whole text of a file; empty when it cannot be read.
  virtual std::string Read(const std::string& path) = 0;
};

// Those of the guest that we are in, or why we are in none.
Outcome<std::unique_ptr<GuestTools>> MakeGuestTools();

}  // namespace lab

#endif  // HW_TESTS_LAB_GUEST_TOOLS_H_
