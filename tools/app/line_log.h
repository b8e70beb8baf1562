// Lines of a conversation with what came of them, one after the other, in virtual time.
#ifndef TOOLS_APP_LINE_LOG_H_
#define TOOLS_APP_LINE_LOG_H_

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "model/base/duration.h"
#include "model/conversation/conversation.h"
#include "model/conversation/history.h"
#include "model/vocabulary/call.h"
#include "model/vocabulary/capability.h"
#include "model/vocabulary/fault.h"
#include "model/vocabulary/names.h"
#include "model/vocabulary/reply.h"
#include "model/vocabulary/topology_ref.h"

namespace cm::app {

class LineLog {
 public:
  explicit LineLog(const TopologyRef& topology) { history_.conversation.topology = topology; }

  // Time passes until then, in a line of its own if any does.
  void PassUntil(Instant at);
  // Returns the number of the line.
  uint32_t Say(Lane lane, const Call& call, const Reply& reply, std::optional<CmEvent> event = {});
  // The call of the line, which was blocked, returns.
  void Returns(uint32_t line);
  void Inject(const Fault& fault);
  void Heal();
  // A message that was sent at its time, which is not before the last line.
  void Send(WireRecord message);

  // New names after the numbers that the trace has: "id2", and "id2.2" where the number is used
  // again.
  IdRef NewId(uint32_t number);
  ChannelRef NewChannel(uint32_t number);
  EventRef NewEvent();
  // What the fetch of that event calls its id, unless it is a new one.
  IdRef NoRequest(EventRef event);
  const std::string& NameOf(IdRef id) const { return history_.conversation.names.ids.NameOf(id); }

  // With messages that no line follows.
  History Take();

 private:
  void Needs(Capabilities capabilities);
  void Add(Line line, Observation seen, Instant begin);
  void Attach(WireRecord message);

  History history_;
  Instant now_;
  std::vector<WireRecord> coming_;  // messages that are sent while the next line passes time
  std::map<uint32_t, int> ids_;     // how often a number was used
  std::map<uint32_t, int> files_;
};

}  // namespace cm::app

#endif  // TOOLS_APP_LINE_LOG_H_
