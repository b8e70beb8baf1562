// Which fields a line of a recording must have, and of which type: what is missing or does not fit
// must not read as 0.
#ifndef CONFORMANCE_RECORDINGS_FIELDS_H_
#define CONFORMANCE_RECORDINGS_FIELDS_H_

#include <nlohmann/json.hpp>
#include <string>

namespace cm {

// What is wrong with the line, in one sentence; empty when nothing is.
std::string ProblemOfFields(const nlohmann::json& line);

}  // namespace cm

#endif  // CONFORMANCE_RECORDINGS_FIELDS_H_
