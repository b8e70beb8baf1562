// Serves the processes of a world: answers requests until all processes sleep.
//
// 1. A request is answered immediately where the machine does so. A waiting thread is answered when
//    LetOneGoOn reaches it.
//    A thread that begins, or that a system call has woken, asks for its turn; one whose request is
//    answered gives way where the order says so.
// 2. A thread that yields, or polls memory, counts as waiting: its answer comes when another thread
//    has run, or after the next HasHappened.
// 3. A process that a program's process starts is on the same host, and has a machine process of
//    its own from its first request on. Until then it is waited for like the others while it runs.
// 4. Threads spend virtual time and wait when others have not come as far: see shared_time.h. How
//    far a thread may go is a share of the time since the last line of the conversation, and never
//    beyond what happens next.
#ifndef TOOLS_APP_SERVING_H_
#define TOOLS_APP_SERVING_H_

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "model/base/duration.h"
#include "sim/uapi/foresight.h"
#include "sim/uapi/framing.h"
#include "sim/uapi/machine.h"
#include "sim/uapi/request.h"
#include "sim/uapi/shared_lines.h"
#include "sim/uapi/shared_time.h"
#include "sim/world/world.h"
#include "tools/app/folder.h"
#include "tools/app/network.h"
#include "tools/app/objects.h"
#include "tools/app/one_processor.h"
#include "tools/app/order.h"
#include "tools/app/orphans.h"
#include "tools/app/process.h"
#include "tools/app/process_ids.h"
#include "tools/app/program.h"
#include "tools/app/socket_links.h"
#include "tools/app/socket_notes.h"
#include "tools/app/threads.h"
#include "tools/app/trace.h"

namespace cm::app {

class Serving : private sim::uapi::Memory {
 public:
  // A line that a program prints, and the program's name.
  using Hears = std::function<void(std::string_view who, std::string_view line)>;

  // All must outlive this object.
  Serving(sim::World* world, sim::uapi::SharedTime* time, sim::uapi::SharedLines* lines,
          Trace* trace, Order* order, const ProcessIds* ids, const Network* network,
          const Orphans* orphans, Folder folder, uint64_t seed, Hears hears,
          SocketNotes::Sink on_socket);

  // Empty, or the reason why the folder of a host cannot be written. All hosts come first.
  std::string LayOut(uint8_t kernel);
  // Empty, or the reason why it cannot be started. `name` is its name in all messages.
  std::string Start(const ProgramToRun& program, const std::string& name);
  // The same for the host of a side that has no program: others reach it by ssh.
  std::string Open(uint8_t side);

  // All programs have been started: from now on threads may be late. A server is to listen before
  // its clients begin.
  void AllAreStarted() { may_be_late_ = true; }

  // Serves all pending requests, and waits up to this long when there are none. Returns whether
  // there were any.
  bool Serve(Duration patience);
  // True when every thread of every program sleeps and no request or output is pending; or when
  // programs run endlessly without requests: they print without end, or start one process after the
  // other.
  bool Quiet();
  // True when a timer is armed, which may send a signal, and threads only count as asleep as they
  // have asked: the next quiet moment comes when they have been seen to sleep. A signal would not
  // wake one that is about to.
  bool MustBeSeenToSleep();
  // False when all known threads have asked, or slept when last looked at.
  bool OneMayRun() const;
  // Removes ended processes from the world. Returns whether there were any.
  bool NoteEnds();
  // Answers one thread, or updates one pipe. Returns whether there was any.
  bool LetOneGoOn();
  // Publishes the time, and lets spinning threads poll again.
  void HasHappened();
  // Something happens then that serving does not know of.
  void Expect(std::optional<Instant> next) { expected_ = next; }

  // When the first sleep ends.
  std::optional<Instant> NextWaking() const;
  // The first instant that a thread has reached, or that one which yields comes to.
  std::optional<Instant> NextSpent() const;
  bool OneStartsAProcess() const;
  // True when, at the last quiet moment, a thread slept in a system call with a time limit.
  bool SomebodyIsTimed() const { return timed_; }
  // True when a thread runs and sends no request.
  bool SomebodyRunsOn() const { return running_on_ > 0; }
  bool AllGone() const;
  // Reports idle child processes that a program left running.
  void NoteLeftBehind();
  // A line for each waiting thread: its name, and what it waits for.
  std::vector<std::string> WhoWaits() const;
  // Kills the programs on the host of a side.
  void HostCrashes(uint8_t side);
  void KillAll();

  const std::vector<std::unique_ptr<Process>>& processes() const { return processes_; }
  struct Noted {
    std::vector<std::string> misbehaviour;  // of programs
    std::vector<std::string> left_open;     // objects, which does no harm
    bool socket_was_full = false;           // see SocketLinks
  };
  const Noted& noted() const { return noted_; }

 private:
  bool Read(uint32_t process, uint64_t address, std::span<uint8_t> bytes) override;
  bool Write(uint32_t process, uint64_t address, std::span<const uint8_t> bytes) override;

  // What a program on a host begins with.
  struct Place {
    uint32_t number;
    int listening;
    std::vector<std::string> environment;
    std::vector<std::pair<std::string, std::string>> places;  // see Launch
  };
  std::variant<Place, std::string> Prepare(uint8_t side);
  std::vector<std::pair<std::string, std::string>> NetworkPlaces() const;
  // True when all others wait for an answer, and nothing else can have ended or begun.
  bool OneAloneRuns();
  bool HaveInMemory() const;
  bool ServeMemory();
  bool ServeDescriptors();
  void ServeThread(Thread* thread);
  void HearAll(Thread* thread);
  void Heard(Thread* thread, sim::uapi::Message message);
  void Greets(Thread* thread, const sim::uapi::Hello& hello);
  Process* Owner(const Thread* thread) const { return processes_[thread->asker.process].get(); }
  // The program's process of that number, created when there is none.
  Process* ProcessOf(Process* asked, pid_t pid);
  void Asks(Process* process, Thread* thread);
  // What goes to another host over TCP or UDP.
  void Carries(Process* process, Thread* thread);
  // Its answer comes when it is its turn, and as late as kLate says.
  void Hold(Thread* thread, sim::uapi::Answer answer, uint64_t late);
  // What a program tells of the library's events: not for the machine, and not answered.
  void Takes(Process* process, const Thread& thread, const sim::uapi::Request& request);
  void Interrupts(Process* process, Thread* thread);
  void Keep(Process* process, Thread* thread, const sim::uapi::Watch& watch);
  void Reply(Process* process, Thread* thread, const sim::uapi::Answer& answer);
  bool Foresees(Process* process, Thread* thread, const sim::uapi::Answer& answer);
  void NoteBelongings(Process* process, const sim::uapi::Request& request,
                      const sim::uapi::Answer& answer);
  // A thread that could go on, or a pipe that changes.
  struct Candidate {
    Process* process;
    Thread* thread;
    Watched* watched;
  };
  std::vector<Candidate> Candidates();
  void Rank(std::vector<Candidate>* candidates);
  bool LetGoOn(const Candidate& candidate);
  bool MayGoOn(const Thread& thread) const;
  bool Changes(const Process& process, const Watched& watched);
  bool BringUp(Process* process, Watched* watched);
  void BringAllUp(Process* process);
  bool GoesOn(Process* process, Thread* thread);
  bool LooksAgain(Process* process, Thread* thread);
  void Lose(Process* process, Thread* thread);
  // At most about `most` bytes: some programs print without end.
  void PassOutputOn(Process* process, size_t most);
  bool AllSleep();
  // All known threads wait for us, and nothing else can have woken one of them.
  bool AllAsk() const;
  // They did at the last quiet moment, and none has been answered: nothing can have come.
  bool AllStillAsk() const { return all_ask_ && !look_closely_ && !OneMayRun(); }
  bool NothingIsPending() const;
  bool RunsForSure();
  // The thread with that number of the system waits for an answer.
  bool Asks(pid_t number) const;
  void SomebodyHasAsked();
  uint64_t TicksOfPrograms() const;
  bool GoOnAndOn();
  // Removes ended processes whose connections have closed. Their parents may already know.
  void NoteEndsOfSilent();
  bool Ended(Process* process);
  void NoteStrangers(std::span<const pid_t> running);
  void LetAllLook();
  // A system call may have ended without a request. Returns true.
  bool WakesOthers();
  // How far a thread may go ahead.
  Instant Ahead() const;
  void LimitTime(Instant until);
  // The system's process numbers of all programs.
  std::vector<pid_t> Programs() const;
  // The first process of the program that started it; empty when unknown.
  const Process* FirstOf(pid_t orphan) const;
  // Running processes and all that they have started.
  std::vector<pid_t> Running() const;
  void Remove(Process* process);
  // The state of the library in the process after the thread's last request.
  void NoteEvents(Thread* thread, const sim::uapi::Answer& answer);
  std::string WaitsFor(const Process& process, const ThreadState& thread) const;

  sim::World* world_;
  sim::uapi::SharedTime* time_;
  sim::uapi::SharedLines* lines_;
  Trace* trace_;
  Order* order_;
  const ProcessIds* ids_;
  const Network* network_;
  const Orphans* orphans_;
  Folder folder_;
  uint64_t seed_;
  Hears hears_;
  OneProcessor processor_;
  sim::uapi::Machine machine_;
  sim::uapi::Foresight foresight_;
  SocketLinks sockets_;
  std::vector<std::unique_ptr<Process>> processes_;  // by their number on the machine
  Noted noted_;
  bool timed_ = false;
  Restless restless_;
  Strangers strangers_{"/libcmsim_app.so"};
  uint64_t created_ = 0;        // LastCreated() when all slept
  std::vector<pid_t> running_;  // at that time, or when last listed
  Listed listed_;               // their threads
  size_t running_on_ = 0;
  int sure_ = 0;          // how often a look was left out
  bool all_ask_ = false;  // at the last quiet moment
  uint32_t served_alone_ = 0;
  bool look_closely_ = false;  // something but an answer may have woken a thread that asks
  // At the first look after the last request, or after all slept, in our own CPU time.
  struct Asked {
    Duration at;
    Duration looked;                // last at the programs' CPU time
    std::optional<uint64_t> ticks;  // of programs, then; none at first
    Duration spent{};               // by them
    bool in_vain = false;
  };
  std::optional<Asked> asked_;
  uint64_t printed_ = 0;  // bytes, since the programs' CPU time was looked at
  bool go_on_and_on_ = false;
  bool may_be_late_ = false;
  Instant spoken_;     // at the last line of the conversation
  std::string words_;  // of that line, mostly
  std::optional<Instant> expected_;
};

}  // namespace cm::app

#endif  // TOOLS_APP_SERVING_H_
