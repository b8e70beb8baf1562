// Processes that programs have started and that outlive whoever started them: daemons. They become
// ours, so that they are seen, and ended with everything else.
#ifndef TOOLS_APP_ORPHANS_H_
#define TOOLS_APP_ORPHANS_H_

#include <sys/types.h>

#include <span>
#include <string>
#include <vector>

namespace cm::app {

// Made before the first program is started, and outlives the last.
class Orphans {
 public:
  Orphans();
  Orphans(const Orphans&) = delete;
  Orphans& operator=(const Orphans&) = delete;
  // Ends those that are left.
  ~Orphans();

  // Those that have not ended. `programs` are ours by birth.
  std::vector<pid_t> Alive(std::span<const pid_t> programs) const;
  // The system forgets those that have ended.
  void Reap(std::span<const pid_t> programs) const;
  // They end with all that they have started.
  void EndAll(std::span<const pid_t> programs) const;

 private:
  std::vector<pid_t> Children(std::span<const pid_t> programs) const;

  int before_ = 0;            // whether orphans were ours before
  std::vector<pid_t> known_;  // children that have nothing to do with programs
};

// What a process has been started with: empty when the name is not in its environment.
std::string EnvironmentOf(pid_t process, const std::string& name);

// Ends what programs have started, and takes the folder of their sockets away, when this process is
// killed and cannot do so itself.
class Guard {
 public:
  // Processes with `setting`, "NAME=value", in their environment are ended, where the value may go
  // on.
  Guard(std::string setting, std::string folder);
  Guard(const Guard&) = delete;
  Guard& operator=(const Guard&) = delete;
  ~Guard();

 private:
  pid_t process_ = -1;
  int pipe_ = -1;  // it closes when we are gone
};

}  // namespace cm::app

#endif  // TOOLS_APP_ORPHANS_H_
