// Conversations that rapidcheck draws, from the generator that everybody uses.
#ifndef CONFORMANCE_SUITE_DRAWN_BY_RAPIDCHECK_H_
#define CONFORMANCE_SUITE_DRAWN_BY_RAPIDCHECK_H_

#include <string>

#include "conformance/driver/driver.h"
#include "conformance/walks/conversation_builder.h"

namespace cm {

// Empty when rapidcheck finds no conversation that there is something to object to; else the one
// that it has shrunk to, and the objection.
std::string CheckWithRapidcheck(Implementation& implementation, const DrawOptions& draw);

}  // namespace cm

#endif  // CONFORMANCE_SUITE_DRAWN_BY_RAPIDCHECK_H_
