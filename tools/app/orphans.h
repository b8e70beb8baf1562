// Processes that outlive the program that started them: daemons. They become our children, or those
// of their host's init, so that they are seen, and killed with everything else.
#ifndef TOOLS_APP_ORPHANS_H_
#define TOOLS_APP_ORPHANS_H_

#include <sys/types.h>

#include <span>
#include <string>
#include <vector>

namespace cm::app {

// Construct before the first program is started, and after `inits`, which adopt processes in their
// PID namespaces; must outlive the last.
class Orphans {
 public:
  explicit Orphans(std::vector<pid_t> inits);
  Orphans(const Orphans&) = delete;
  Orphans& operator=(const Orphans&) = delete;
  // Kills those that are left.
  ~Orphans();

  // Orphans that have not ended. `programs` are children of our own.
  std::vector<pid_t> Alive(std::span<const pid_t> programs) const;
  // Reaps those that have ended.
  void Reap(std::span<const pid_t> programs) const;
  // Kills them and all that they have started.
  void EndAll(std::span<const pid_t> programs) const;

 private:
  std::vector<pid_t> Children(std::span<const pid_t> programs) const;

  std::vector<pid_t> inits_;
  int before_ = 0;            // the previous value of the subreaper attribute
  std::vector<pid_t> known_;  // children that are not programs
};

// Value of an environment variable that a process was started with; empty when it has none.
std::string EnvironmentOf(pid_t process, const std::string& name);

// Kills what programs have started, and removes the folder of their sockets, when this process is
// killed and cannot do so itself.
class Guard {
 public:
  // Kills processes with an environment variable that begins with `setting`, "NAME=value".
  Guard(std::string setting, std::string folder);
  Guard(const Guard&) = delete;
  Guard& operator=(const Guard&) = delete;
  ~Guard();

 private:
  pid_t process_ = -1;
  int pipe_ = -1;  // closed when this process ends
};

}  // namespace cm::app

#endif  // TOOLS_APP_ORPHANS_H_
