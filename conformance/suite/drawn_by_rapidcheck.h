// Conversations drawn by rapidcheck, with the common generator.
#ifndef CONFORMANCE_SUITE_DRAWN_BY_RAPIDCHECK_H_
#define CONFORMANCE_SUITE_DRAWN_BY_RAPIDCHECK_H_

#include <string>

#include "conformance/driver/implementation.h"
#include "conformance/walks/draw_options.h"

namespace cm {

// Empty when rapidcheck finds no conversation with an objection; else the conversation, shrunk
// where time is virtual, and the objection. The first has the number behind that of the options.
std::string CheckWithRapidcheck(Implementation& implementation, const DrawOptions& draw);

}  // namespace cm

#endif  // CONFORMANCE_SUITE_DRAWN_BY_RAPIDCHECK_H_
