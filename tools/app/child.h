// For tests: a process that does one thing for ever.
#ifndef TOOLS_APP_CHILD_H_
#define TOOLS_APP_CHILD_H_

#include <sys/types.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>

namespace cm::app {

class Child {
 public:
  explicit Child(void (*does)()) : process_(fork()) {
    if (process_ != 0) return;
    for (;;) does();
  }
  ~Child() {
    kill(process_, SIGKILL);
    waitpid(process_, nullptr, 0);
  }
  Child(const Child&) = delete;
  Child& operator=(const Child&) = delete;

  pid_t process() const { return process_; }

 private:
  pid_t process_;
};

}  // namespace cm::app

#endif  // TOOLS_APP_CHILD_H_
