// Requests and answers as words of a conversation.
#ifndef TOOLS_APP_WORDING_H_
#define TOOLS_APP_WORDING_H_

#include <string>

#include "sim/uapi/request.h"

namespace cm::app {

// "rdma_cm 3 CONNECT id=0 -> 0". Nothing that differs between runs: no pointer, no key. Empty for
// what is asked again and again, and for what changes nothing: the time, devices, queues that have
// nothing.
std::string InWords(const sim::uapi::Request& request, const sim::uapi::Answer& answer);

// "rdma_cm 3 CONNECT id=0".
std::string InWords(const sim::uapi::Request& request);

// The answer says no more than that nothing is new.
bool NothingNew(const sim::uapi::Request& request, const sim::uapi::Answer& answer);

// The command is to an id of the program's which the kernel does not know: it has been destroyed.
bool IsAboutAGoneId(const sim::uapi::Request& request, const sim::uapi::Answer& answer);

// How many events the destroy of an id has said that the program has fetched; 0 for all others.
uint32_t EventsFetched(const sim::uapi::Request& request, const sim::uapi::Answer& answer);

}  // namespace cm::app

#endif  // TOOLS_APP_WORDING_H_
