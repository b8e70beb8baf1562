// What a process has made that its kernel gives back for it, and what it has given up last: for
// whoever has to find out why it has crashed, or what it has forgotten.
#ifndef TOOLS_APP_BELONGINGS_H_
#define TOOLS_APP_BELONGINGS_H_

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "sim/uapi/request.h"

namespace cm::app {

class Belongings {
 public:
  // The process itself has asked for that, and was answered.
  void Asked(const sim::uapi::Request& request, const sim::uapi::Answer& answer);
  // It, or another process of its program, has. -> the ids that were lost with their event channel.
  std::vector<uint32_t> GivenUp(const sim::uapi::Request& request, const sim::uapi::Answer& answer);
  // Event types that it holds, and those that it has acknowledged already.
  void Holds(uint64_t event, uint32_t type);
  // -> the type of one that was acknowledged before.
  std::optional<uint32_t> Acknowledges(uint64_t event);

  // By their addresses: the types of events that are not acknowledged.
  const std::map<uint64_t, uint32_t>& held() const { return held_; }
  // "1 event channel, 2 completion queues": what there still is and is of no consequence.
  std::string Open() const;
  // ", right after it has destroyed id 0: ...", "; the last id that it has destroyed is 0": what a
  // crash may be about; empty when nobody can tell.
  std::string BeforeCrash() const;

 private:
  std::map<uint32_t, uint32_t> ids_;  // and their files
  std::set<uint32_t> files_;
  std::set<uint32_t> queues_;  // of completions
  std::map<uint64_t, uint32_t> held_;
  std::map<uint64_t, uint32_t> acknowledged_;
  std::optional<uint32_t> first_file_;
  std::optional<uint32_t> destroyed_;
  std::string just_;  // what it has given up, when it has asked for nothing since
};

}  // namespace cm::app

#endif  // TOOLS_APP_BELONGINGS_H_
