// Walks: what makes things happen. They know of no property and of no driver.
#ifndef CONFORMANCE_WALKS_WALK_H_
#define CONFORMANCE_WALKS_WALK_H_

#include <span>
#include <string_view>

#include "conformance/walks/conversation_builder.h"

namespace cm {

struct Walk {
  std::string_view name;
  int weight = 1;  // how often it is drawn when none is asked for
  void (*walk)(ConversationBuilder& builder);
  Capabilities needs;  // an environment without them cannot walk it
  std::string_view sentence;
};

std::span<const Walk> Walks();
const Walk* FindWalk(std::string_view name);
// Whether the walk can be walked with these options.
bool Walkable(const Walk& walk, const DrawOptions& options);

// Draws the conversation number `index` of the seed; the walk named in the options, or one of all.
Conversation Draw(const DrawOptions& options);
// The same from a choice of the caller's, for property engines that bring their own.
Conversation DrawFrom(const DrawOptions& options, Choice& choice);

}  // namespace cm

#endif  // CONFORMANCE_WALKS_WALK_H_
