// A process that does faults on a node for another one, and undoes them when that one is gone.
//
// 1. It runs in a session of its own, from before the first fault. Every fault is done by it alone,
//    after what undoes it was written to the record; so nothing is done behind its back.
// 2. When the other process has ended, however, or its input has no writer any more, it undoes
//    everything, checks that the interface is as it was before the first fault, and tries again
//    until it is, for ten minutes. Then the record is removed; otherwise it stays, for Restore.
// 3. Killed itself, it leaves the record, and the next Start or Restore undoes what is in it.
#ifndef HW_TESTS_NODE_GUARDIAN_H_
#define HW_TESTS_NODE_GUARDIAN_H_

#include <sys/types.h>

#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "conformance/process/descriptor.h"
#include "hw_tests/node/network_state.h"
#include "model/base/duration.h"

namespace node {

struct GuardianSettings {
  Interface interface;
  std::string folder;  // of records
  int input = -1;      // of the process it works for: a pipe or a socket; others do not matter
};

struct Command {
  Words words;
  bool may_fail = false;
  bool goes_on = false;  // as Tools::Begin
};

// What is done at once.
struct Deed {
  std::vector<Command> commands;
  Words undo;  // of a program of the site; else nothing, as the state says what is to be undone
  bool remakes = false;                    // `undo` brings a device back: not before the end
  std::optional<cm::Duration> ends_after;  // `ending` is run then
  Words ending;
};

class Guardian {
 public:
  static std::variant<Guardian, std::string> Start(const GuardianSettings& settings);
  Guardian(Guardian&& other) noexcept
      : socket_(std::move(other.socket_)), pid_(std::exchange(other.pid_, 0)) {}
  Guardian& operator=(Guardian&&) = delete;
  // Waits until everything is undone, but not for ever.
  ~Guardian();

  // Each returns what went wrong, or an empty text.
  std::string Do(const Deed& deed) const;
  // The link and what goes with it, or all but devices that were taken away, are as before.
  std::string RaiseLink() const;
  std::string Heal() const;
  // All is as before. `remade`: a Soft-RoCE device on the interface is removed and made again.
  std::string PutRight(bool remade) const;

 private:
  Guardian(cm::Descriptor socket, pid_t pid) : socket_(std::move(socket)), pid_(pid) {}
  std::string Ask(const std::string& request) const;

  cm::Descriptor socket_;
  pid_t pid_ = 0;
};

// What happened to the records that processes have left, a line each. False when one is left.
bool Restore(const std::string& folder, std::vector<std::string>* lines,
             const std::string& devices = Interface().devices);

}  // namespace node

#endif  // HW_TESTS_NODE_GUARDIAN_H_
