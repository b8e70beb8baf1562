#include "model/oracle/machine/left_requests.h"

#include <algorithm>
#include <vector>

namespace cm::model {

void MoveTo(ChannelRef channel, ConversationFacts& facts, const Machine& machine, Possibility* p,
            uint8_t id, Span when) {
  const IdRef name = p->ids[id].name;
  const ChannelRef from = facts.id(name).channel;
  std::vector<size_t> lost;
  for (size_t i = 0; i < p->ids[id].queue.size(); ++i) {
    const Pending& pending = p->ids[id].queue[i];
    if (pending.type != EventType::kConnectRequest || pending.child == kNoId) continue;
    IdState& child = p->ids[pending.child];
    if (child.left_on.valid()) {
      if (child.left_on == channel) child.left_on = {};
    } else if (!from.valid()) {
      lost.push_back(i);
      facts.id(name).left_requests = true;
    } else if (from != channel) {
      child.left_on = from;
      facts.id(name).left_requests = true;
    }
  }
  if (from.valid()) return;
  p->ids[id].retained.reset();
  for (const size_t i : lost) {
    Pending& pending = p->ids[p->Find(name)].queue[i];
    const uint8_t child = pending.child;
    pending.child = kNoId;
    machine.Destroy(p, child, when);
  }
}

void DestroyLeftOn(const std::function<bool(ChannelRef)>& among, const Machine& machine,
                   Possibility* p, Span when) {
  for (uint8_t i = 0; i < p->ids.size();) {
    const IdState& id = p->ids[i];
    if (id.gone || !id.left_on.valid() || !among(id.left_on)) {
      ++i;
      continue;
    }
    machine.Destroy(p, i, when);
    i = 0;  // what was behind it may be before it now
  }
}

bool HasLeftOn(const Possibility& p, ChannelRef channel) {
  return std::ranges::any_of(
      p.ids, [channel](const IdState& id) { return id.left_on.valid() && id.left_on == channel; });
}

}  // namespace cm::model
