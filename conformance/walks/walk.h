// Walks: generators of conversations. They know no property and no driver.
#ifndef CONFORMANCE_WALKS_WALK_H_
#define CONFORMANCE_WALKS_WALK_H_

#include <span>
#include <string_view>

#include "conformance/walks/conversation_builder.h"
#include "conformance/walks/draw_options.h"

namespace cm {

struct Walk {
  std::string_view name;
  int weight = 1;  // weight in the default mix
  void (*walk)(ConversationBuilder& builder);
  Capabilities needs;  // required of the environment
  std::string_view sentence;
};

std::span<const Walk> Walks();
const Walk* FindWalk(std::string_view name);
// Whether the walk is possible with these options.
bool Walkable(const Walk& walk, const DrawOptions& options);

// Draws the conversation number `index` of the seed; the walk named in the options, or one of all.
Conversation Draw(const DrawOptions& options);
// The same from a choice of the caller, for property engines with their own.
Conversation DrawFrom(const DrawOptions& options, Choice& choice);

}  // namespace cm

#endif  // CONFORMANCE_WALKS_WALK_H_
