// All processes of programs, by their number on the machine.
//
// A process that a program's process starts is on the same host, and has a machine process of its
// own from its first request on. Until then it is one of Running() alone.
#ifndef TOOLS_APP_PROCESS_TABLE_H_
#define TOOLS_APP_PROCESS_TABLE_H_

#include <sys/types.h>

#include <memory>
#include <vector>

#include "tools/app/orphans.h"
#include "tools/app/process.h"

namespace cm::app {

class ProcessTable {
 public:
  // `orphans` must outlive this object.
  explicit ProcessTable(const Orphans* orphans) : orphans_(orphans) {}

  const std::vector<std::unique_ptr<Process>>& all() const { return processes_; }
  // Processes are added in the order of their numbers on the machine, from 0.
  Process* Add(std::unique_ptr<Process> process);
  Process* OwnerOf(const Thread* thread) const { return processes_[thread->asker.process].get(); }

  // The system's process numbers of all programs.
  std::vector<pid_t> Programs() const;
  // Those of running processes and of all that they have started.
  std::vector<pid_t> Running() const;

  bool AllGone() const;
  // False when all known threads have asked, or slept when last looked at.
  bool OneMayRun() const;
  bool OneStartsAProcess() const;
  // The thread with that number of the system waits for an answer.
  bool Asks(pid_t number) const;
  // A message is in memory that has not been read.
  bool HaveInMemory() const;

  // Something has happened: threads that poll memory may go on.
  void LetAllLook();

 private:
  const Orphans* orphans_;
  std::vector<std::unique_ptr<Process>> processes_;
};

}  // namespace cm::app

#endif  // TOOLS_APP_PROCESS_TABLE_H_
