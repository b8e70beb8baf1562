// The interface through which LinuxPlace changes the guest.
//
// 1. Commands are run by the shell, as root, one at a time, except for background commands, which
//    run concurrently with others.
// 2. It does not depend on the meaning of commands, so that a test can replace it.
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
  int status = 0;  // like the shell's $?
  std::string printed;
};

class GuestTools {
 public:
  virtual ~GuestTools() = default;

  virtual Ran Run(const std::string& command) = 0;

  // Starts a command that may not end before other processes have. Its result if it ends `within`
  // the limit; otherwise it continues in the background.
  virtual std::optional<Ran> RunBehind(const std::string& command, cm::Duration within) = 0;
  // Waits for all background commands, together at most `within`; returns those that have not
  // ended.
  virtual std::vector<std::string> AwaitBehind(cm::Duration within) = 0;
  virtual void KillBehind() = 0;

  virtual std::optional<Problem> AddRule(const CmRule& rule) = 0;
  virtual std::optional<Problem> ClearRules() = 0;

  // The whole text of a file; empty when it cannot be read.
  virtual std::string Read(const std::string& path) = 0;
};

// The tools of the guest that this process runs in, or the reason why it runs in none.
Outcome<std::unique_ptr<GuestTools>> MakeGuestTools();

}  // namespace lab

#endif  // HW_TESTS_LAB_GUEST_TOOLS_H_
