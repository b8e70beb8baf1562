// Requests and answers as text, for the developer of the program.
#ifndef SIM_UAPI_WORDS_H_
#define SIM_UAPI_WORDS_H_

#include <string>

#include "sim/uapi/request.h"

namespace cm::sim::uapi {

// "rdma_connect id=3 private=\"hello\" -> 0". Names the C function that causes the request, where
// there is one; ids are the kernel's. Memory addresses are left out: they differ from run to run.
//
// Empty for a successful query: librdmacm queries devices, addresses and attributes all the time.
std::string InWords(const Request& request, const Answer& answer);

// "rdma_connect id=3 private=\"hello\"": the request alone, never empty.
std::string InWords(const Request& request);

// The same in place of what `words` holds, whose memory they use.
void PutWords(const Request& request, const Answer& answer, std::string* words);
void PutWords(const Request& request, std::string* words);

// True when the answer only says that there is nothing new.
bool NothingNew(const Request& request, const Answer& answer);

// True when the command names an id that the kernel does not know: the program has destroyed it.
bool IsAboutAGoneId(const Request& request, const Answer& answer);

// The number of events that the program has fetched, as the destroy of an id returned it; else 0.
uint32_t EventsFetched(const Request& request, const Answer& answer);

}  // namespace cm::sim::uapi

#endif  // SIM_UAPI_WORDS_H_
