// The words of a script line in a recording: "A 10.0.1.1:7471 src=10.0.0.1 tmo=2000".
#ifndef CONFORMANCE_RECORDINGS_SCRIPT_H_
#define CONFORMANCE_RECORDINGS_SCRIPT_H_

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "model/vocabulary/fault.h"
#include "model/vocabulary/topology.h"

namespace cm {

class ScriptWords {
 public:
  explicit ScriptWords(std::string_view line);

  // The n-th positional word; empty when there are fewer.
  std::string Word(size_t n) const { return n < words_.size() ? words_[n] : std::string(); }
  std::optional<std::string> Value(std::string_view key) const;
  bool Has(std::string_view flag) const;

 private:
  std::vector<std::string> words_;
  std::vector<std::pair<std::string, std::string>> values_;
};

// A whole number in decimal, or in hexadecimal behind "0x"; empty when the word is none.
std::optional<int64_t> WholeNumber(std::string_view word);

// The fault of a script's shell command; empty when it is unknown.
struct ShellEffect {
  std::vector<Fault> faults;
  bool heals = false;
};
std::optional<ShellEffect> EffectOf(std::string_view command, const Topology& topology);

// Soft-iWARP names its devices after itself, and takes the place of Soft-RoCE.
std::string OverRoce(const std::string& device);

// A bond that a script created, with an address and a device on it, and a neighbour of which only
// the hardware address exists.
struct Bond {
  std::string address;
  std::string neighbour;
  std::string device;
  std::string slave;  // the interface that it uses
};
// Empty when the command creates none.
std::optional<Bond> BondMadeBy(std::string_view command);

}  // namespace cm

#endif  // CONFORMANCE_RECORDINGS_SCRIPT_H_
