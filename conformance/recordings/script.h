// The words of a script line in a recording: "A 10.0.1.1:7471 src=10.0.0.1 tmo=2000".
#ifndef CONFORMANCE_RECORDINGS_SCRIPT_H_
#define CONFORMANCE_RECORDINGS_SCRIPT_H_

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "model/vocabulary/call.h"
#include "model/vocabulary/fault.h"
#include "model/vocabulary/topology.h"

namespace cm {

class ScriptWords {
 public:
  explicit ScriptWords(std::string_view line);

  // The n-th positional word; empty when there are fewer.
  std::string Word(size_t n) const { return n < words_.size() ? words_[n] : std::string(); }
  std::optional<std::string> Value(std::string_view key) const;
  // A number behind key=, or `fallback`.
  int Number(std::string_view key, int fallback) const;
  bool Has(std::string_view flag) const;

 private:
  std::vector<std::string> words_;
  std::vector<std::pair<std::string, std::string>> values_;
};

// Parameters of connect and accept. The scripts' `noparam` did not pass a null pointer: what the
// peer was told shows the usual parameters.
ConnParam ParamOf(const ScriptWords& words);

// A script's word for a call ("route", "qp") as the library's function.
std::optional<CallKind> CallOfScriptWord(std::string_view word);
// An event that rdma_notify is given, by number or by name ("COMM_EST"); empty when it is none.
std::optional<uint8_t> AsyncEventOfWord(std::string_view word);
// "A 0 1 val=1 len=4": the id, the level, the name of the option, and what it is set to; empty when
// that does not say what the option is set to.
std::optional<Call> SetOptionOf(IdRef id, const ScriptWords& words);
// The port space that a script calls tcp, udp, ib or ipoib, or gives the number of.
std::optional<PortSpace> SpaceOfWord(std::string_view word);

// What a shell command of a script did to the environment; empty when that is not known.
struct ShellEffect {
  std::vector<Fault> faults;
  bool heals = false;
};
std::optional<ShellEffect> EffectOf(std::string_view command, const Topology& topology);

// Soft-iWARP names its devices after itself, and stands where Soft-RoCE stands.
std::string OverRoce(const std::string& device);

// A bond that a script made, with an address and a device on it, and a neighbour of which only the
// hardware address exists.
struct Bond {
  std::string address;
  std::string neighbour;
  std::string device;
  std::string slave;  // the interface that it uses
};
// Empty when the command makes none.
std::optional<Bond> BondMadeBy(std::string_view command);

}  // namespace cm

#endif  // CONFORMANCE_RECORDINGS_SCRIPT_H_
