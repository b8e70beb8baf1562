// Requests and answers in words, for the developer of the program that asks.
#ifndef SIM_UAPI_WORDS_H_
#define SIM_UAPI_WORDS_H_

#include <string>

#include "sim/uapi/request.h"

namespace cm::sim::uapi {

// "rdma_connect id=3 private=\"hello\" -> 0". By the C function that asks for it, as far as there
// is one; ids are the kernel's. Addresses in memory are left out: they differ from run to run.
//
// Empty for what only looks, and went well: librdmacm looks at devices, addresses and attributes
// all the time.
std::string InWords(const Request& request, const Answer& answer);

// "rdma_connect id=3 private=\"hello\"": what is asked, whatever it is.
std::string InWords(const Request& request);

// The answer says no more than that nothing is new.
bool NothingNew(const Request& request, const Answer& answer);

// The command is to an id of the program's which the kernel does not know: it has been destroyed.
bool IsAboutAGoneId(const Request& request, const Answer& answer);

// How many events the destroy of an id has said that the program has fetched; 0 for all others.
uint32_t EventsFetched(const Request& request, const Answer& answer);

}  // namespace cm::sim::uapi

#endif  // SIM_UAPI_WORDS_H_
