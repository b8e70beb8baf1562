// A run of programs as a conversation with its history: what they asked of librdmacm, line by line,
// and what came of it. `cmcheck explain` judges such a file, and `cmcheck replay` carries it out.
//
// 1. The kernel sees requests, and the language has calls: what the library does inside a call is
//    folded into it (folded.h). A line stands where the kernel carried its request out.
// 2. A thread is a lane of its side; `pass` lets the time between two lines pass.
// 3. rdma_destroy_id and its like are blocked while the program has events that count for them, and
//    return when the last of those is acknowledged.
// 4. What the language cannot say is left out, with all that follows of its id, and is named in the
//    comment.
#ifndef TOOLS_APP_CONVERSATION_H_
#define TOOLS_APP_CONVERSATION_H_

#include <string>

#include "model/conversation/history.h"
#include "model/vocabulary/topology_ref.h"
#include "tools/app/recorder.h"

namespace cm::app {

struct Heading {
  std::string comment;  // lines, to which those about what is left out are added
  TopologyRef topology;
  std::string profile;  // empty: without such a line
};

History ConversationOf(const Recorder& recorder, const Heading& heading);

}  // namespace cm::app

#endif  // TOOLS_APP_CONVERSATION_H_
