// Topologies as text in a conversation.
//
//   topology two-listeners
//   host a
//   device rxe0 on=veth0 address=10.0.0.1,fd00::1
//   host b
//   device rxe1 on=veth1 address=10.0.1.1,fd00:1::1 address=10.5.1.1,fd05:1::1
//   device rxe2 on=veth2 address=10.0.2.1,fd00:2::1 bonded
//   port 2 on=veth3 address=10.0.3.1,fd00:3::1
//   side active device=rxe0
//   side passive device=rxe1
//   side spare device=rxe2
//   side other device=rxe2/2
//   unlinked rxe0 rxe2
//
// A host has a kernel, and the devices that follow. A device has one port, and those that follow
// it; each has an interface and addresses of its own; none,fd00::1 is one without IPv4. The first
// of several addresses has the side's name, the second is called passive/2. Unlinked devices do not
// reach one another; all others do.
#ifndef MODEL_CONVERSATION_TOPOLOGY_TEXT_H_
#define MODEL_CONVERSATION_TOPOLOGY_TEXT_H_

#include <string>
#include <string_view>

#include "model/conversation/words.h"
#include "model/vocabulary/topology.h"

namespace cm {

// All lines, the first of which is `topology NAME`.
std::string ToText(const Topology& topology);

// Reads the lines that follow `topology NAME`.
class TopologyParser {
 public:
  explicit TopologyParser(std::string_view name) { topology_.name = name; }
  // Whether the word begins a line of a topology.
  static bool Begins(std::string_view word);

  // The error in the line, or an empty text.
  std::string Parse(std::string_view line);
  // The missing part when all lines have been parsed; empty when there is none.
  std::string Missing() const;
  Topology Take() { return std::move(topology_); }

 private:
  std::string WhyBare() const;
  void ParseHost(Words& words);
  void ParseDevice(Words& words);
  void ParsePort(Words& words);
  void ParseInterface(DeviceInfo device, Words& words);
  void ParseAddress(std::string_view text, DeviceInfo* device, Words& words);
  void ParseSide(Words& words);
  void ParseUnlinked(Words& words);
  uint8_t DeviceNamed(std::string_view name, Words& words) const;

  Topology topology_;
};

}  // namespace cm

#endif  // MODEL_CONVERSATION_TOPOLOGY_TEXT_H_
