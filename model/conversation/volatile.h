// Volatile fields: values that differ between providers, or runs, without meaning: queue pair
// numbers, and ports chosen by the kernel.
//
// This is the only list. Times and messages on the wire are no fields of an answer; comparisons
// leave them out by not printing them, see print.h.
#ifndef MODEL_CONVERSATION_VOLATILE_H_
#define MODEL_CONVERSATION_VOLATILE_H_

#include "model/conversation/history.h"

namespace cm {

// The record with 0 in every volatile field.
Record WithoutVolatile(Record record);
History WithoutVolatile(History history);

}  // namespace cm

#endif  // MODEL_CONVERSATION_VOLATILE_H_
