// What differs from one provider, or one run, to the next and is nobody's business: the numbers of
// queue pairs, and ports that the kernel chose.
//
// Named here and nowhere else. Times and messages on the wire are no fields of an answer; whoever
// compares leaves them out by not asking for them, see print.h.
#ifndef MODEL_CONVERSATION_VOLATILE_H_
#define MODEL_CONVERSATION_VOLATILE_H_

#include "model/conversation/history.h"

namespace cm {

// The record with 0 in every volatile field.
Record WithoutVolatile(Record record);
History WithoutVolatile(History history);

}  // namespace cm

#endif  // MODEL_CONVERSATION_VOLATILE_H_
