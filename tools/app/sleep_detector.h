// Detects that all threads of all programs sleep, or run without requests: only then the world
// goes on.
//
// Threads are looked at in /proc. Where all known ones wait for an answer, and nothing but an
// answer can have woken one, no look is needed: the others say what they do to threads.
#ifndef TOOLS_APP_SLEEP_DETECTOR_H_
#define TOOLS_APP_SLEEP_DETECTOR_H_

#include <sys/types.h>

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "tools/app/complaints.h"
#include "tools/app/endless_runs.h"
#include "tools/app/objects.h"
#include "tools/app/one_processor.h"
#include "tools/app/process_table.h"
#include "tools/app/threads.h"

namespace cm::app {

class SleepDetector {
 public:
  // All must outlive this object.
  SleepDetector(ProcessTable* processes, EndlessRuns* endless, const OneProcessor* processor,
                Complaints* complaints)
      : processes_(processes), endless_(endless), processor_(processor), complaints_(complaints) {}

  // True when every thread of every program sleeps and no request or output is pending; or when
  // programs run endlessly without requests.
  bool IsQuiet();
  // True when a timer is armed, which may send a signal, and threads only count as asleep as they
  // have asked: the next quiet moment comes when they have been seen to sleep. A signal would not
  // wake one that is about to.
  bool MustBeSeenToSleep();

  // At the last quiet moment all known threads waited for us, and none has been woken since.
  bool all_ask() const { return all_ask_; }
  // The same, and nothing else can have woken one: no request can have come.
  bool AllStillAsk() const { return all_ask_ && !look_closely_ && !processes_->OneMayRun(); }
  bool may_have_woken() const { return look_closely_; }
  // At the last quiet moment, a thread slept in a system call with a time limit.
  bool one_is_timed() const { return timed_; }
  // A thread runs and sends no request.
  bool one_runs_on() const { return running_on_ > 0; }

  // The thread with that number of the system has sent a request.
  void HasAsked(pid_t thread) { restless_.HasAsked(thread); }
  // A thread was answered or started, or what it polls has changed.
  void HasWoken() { all_ask_ = false; }
  // Something but an answer may have woken a thread that asks: a signal, or the end of another.
  void MayHaveWoken() { look_closely_ = true; }

 private:
  bool AllSleep();
  // All known threads wait for us, and nothing else can have woken one of them.
  bool AllAsk() const;
  bool NothingIsPending() const;
  bool RunsForSure();
  void NoteStrangers(std::span<const pid_t> running);

  ProcessTable* processes_;
  EndlessRuns* endless_;
  const OneProcessor* processor_;
  Complaints* complaints_;
  Restless restless_;
  Strangers strangers_{"/libcmsim_app.so"};
  bool timed_ = false;
  uint64_t created_ = 0;        // LastCreated() when all slept
  std::vector<pid_t> running_;  // at that time, or when last listed
  Listed listed_;               // their threads
  size_t running_on_ = 0;
  int sure_ = 0;  // how often a look was left out
  bool all_ask_ = false;
  bool look_closely_ = false;
};

}  // namespace cm::app

#endif  // TOOLS_APP_SLEEP_DETECTOR_H_
