// Serves the processes of a world: whoever runs is answered, until all of them sleep.
//
// 1. A request is answered at once where the machine answers at once. A thread that waits is
//    answered when LetOneGoOn comes to it.
// 2. A thread that asks for what is not there, again and again, is taken to wait for something to
//    happen: its answer comes when another thread of its program has gone on, or after the next
//    HasHappened.
// 3. A process that one of a program's starts is on the same host, and has a machine of its own
// from
//    its first request on. Until then it is waited for like the others while it runs.
// 4. Nothing here takes virtual time.
#ifndef TOOLS_APP_SERVING_H_
#define TOOLS_APP_SERVING_H_

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "model/base/duration.h"
#include "sim/uapi/framing.h"
#include "sim/uapi/machine.h"
#include "sim/uapi/request.h"
#include "sim/world/world.h"
#include "tools/app/folder.h"
#include "tools/app/orphans.h"
#include "tools/app/process.h"
#include "tools/app/program.h"
#include "tools/app/threads.h"
#include "tools/app/trace.h"

namespace cm::app {

class Serving : private sim::uapi::Memory {
 public:
  // A line that a program prints, and whose.
  using Hears = std::function<void(std::string_view who, std::string_view line)>;

  // They outlive it.
  Serving(sim::World* world, Trace* trace, const Orphans* orphans, Folder folder, Hears hears);

  // Empty, or why it cannot be started. `name` is what it is called in all that is said of it.
  std::string Start(const ProgramToRun& program, const std::string& name);

  // Serves all that has come, and waits so long for it when there is nothing.
  void Serve(Duration patience);
  // Every thread of every program sleeps and has said nothing that was not heard; or they go on
  // and on and ask for nothing: they print without end, or start one process after the other.
  bool Quiet();
  // What ended is taken out of the world. -> whether there was any.
  bool NoteEnds();
  // One thread gets its answer, or one pipe is brought up to date. -> whether there was any.
  bool LetOneGoOn();
  // Threads that spin may look again.
  void HasHappened();

  // When the first of those who sleep wakes.
  std::optional<Instant> NextWaking() const;
  bool Spins() const;
  // Some thread slept in a system call that ends by itself, when it was quiet last.
  bool SomebodyIsTimed() const { return timed_; }
  // Somebody runs, and asks for nothing.
  bool SomebodyRunsOn() const { return running_on_ > 0; }
  bool AllGone() const;
  // Of what the programs have started something is there, and asks for nothing: it is named with
  // whoever has left it behind.
  void NoteLeftBehind();
  // A line for each thread that there is: who, and what it waits for.
  std::vector<std::string> WhoWaits() const;
  // The programs on the host of a side end with it.
  void HostCrashes(uint8_t side);
  void KillAll();

  const std::vector<std::unique_ptr<Process>>& processes() const { return processes_; }
  // What programs have done that they should not.
  const std::vector<std::string>& misbehaviour() const { return misbehaviour_; }
  // What they have not given back, and nobody misses.
  const std::vector<std::string>& left_open() const { return left_open_; }

 private:
  bool Read(uint32_t process, uint64_t address, std::span<uint8_t> bytes) override;
  bool Write(uint32_t process, uint64_t address, std::span<const uint8_t> bytes) override;

  void ServeThread(Thread* thread);
  void Heard(Thread* thread, sim::uapi::Message message);
  void Greets(Thread* thread, const sim::uapi::Hello& hello);
  Process* Owner(const Thread* thread) const { return processes_[thread->asker.process].get(); }
  // The program's process of that number; a new one when there was none.
  Process* ProcessOf(Process* asked, pid_t pid);
  void Asks(Process* process, Thread* thread);
  // Of which the machine knows nothing. -> whether it was that.
  bool Holds(Process* process, const sim::uapi::Request& request);
  void Interrupts(Process* process, Thread* thread);
  void Keep(Process* process, Thread* thread, const sim::uapi::Watch& watch);
  void Reply(Process* process, Thread* thread, const sim::uapi::Answer& answer);
  void NoteBelongings(Process* process, const sim::uapi::Request& request,
                      const sim::uapi::Answer& answer);
  bool BringUp(Process* process, Watched* watched);
  bool GoesOn(Process* process, Thread* thread);
  bool LooksAgain(Process* process, Thread* thread);
  void Lose(Process* process, Thread* thread);
  // No more than about `most` bytes of it: some print without end.
  void PassOutputOn(Process* process, size_t most);
  bool AllSleep();
  void SomebodyHasAsked();
  // Of all programs, by the system's numbers.
  std::vector<pid_t> Programs() const;
  // The first process of the program that has started it; none when nobody can tell.
  const Process* FirstOf(pid_t orphan) const;
  // Those that are there, and those they have started.
  std::vector<pid_t> Running() const;
  void Remove(Process* process);
  std::string WaitsFor(const Process& process, const ThreadState& thread) const;

  sim::World* world_;
  Trace* trace_;
  const Orphans* orphans_;
  Folder folder_;
  Hears hears_;
  sim::uapi::Machine machine_;
  std::vector<std::unique_ptr<Process>> processes_;  // by their numbers of the machine
  std::vector<std::string> misbehaviour_;
  std::vector<std::string> left_open_;
  bool timed_ = false;
  Restless restless_;
  size_t running_on_ = 0;
  Duration asked_;  // when somebody has asked for something last, or all have slept: our own time
  bool go_on_and_on_ = false;
};

}  // namespace cm::app

#endif  // TOOLS_APP_SERVING_H_
