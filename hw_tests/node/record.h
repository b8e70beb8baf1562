// What is to be undone on an interface, in a file that outlives who wrote it. Its lock is held by
// the process that will undo it.
#ifndef HW_TESTS_NODE_RECORD_H_
#define HW_TESTS_NODE_RECORD_H_

#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "conformance/process/descriptor.h"
#include "hw_tests/node/network_state.h"

namespace node {

// One side effect by a program of the site: `undo` undoes it, and may be run twice.
struct ToUndo {
  std::string interface;
  Facts before;
  std::vector<Words> undo;    // in the order of the faults
  std::vector<Words> remake;  // brings devices back: not before the end
};

// Its text, and the inverse; empty for what is no record.
std::string ToText(const ToUndo& what);
std::optional<ToUndo> ParseRecord(const std::string& text);

class Record {
 public:
  // The record of an interface of this network name space, locked; or who has it, or the error.
  // `wait`: for others that have it.
  static std::variant<Record, std::string> Lock(const std::string& folder,
                                                const std::string& interface, cm::Duration wait);

  // What a process that is gone has left to undo.
  std::optional<ToUndo> Left() const;
  // Written whole before a fault begins. False when it cannot be.
  bool Write(const ToUndo& what) const;
  // Nothing is to be undone.
  void Clear() const { static_cast<void>(Write({})); }
  void Remove() const;
  const std::string& path() const { return path_; }

 private:
  Record(cm::Descriptor file, std::string path) : file_(std::move(file)), path_(std::move(path)) {}

  cm::Descriptor file_;
  std::string path_;
};

// The interfaces with records in a folder: of this name space, and how many of others.
struct Recorded {
  std::vector<std::string> interfaces;
  int elsewhere = 0;
};
Recorded RecordsIn(const std::string& folder);

}  // namespace node

#endif  // HW_TESTS_NODE_RECORD_H_
