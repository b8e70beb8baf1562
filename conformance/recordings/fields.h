// Fields of a recording's lines and their types: a missing or invalid field must not be read as 0.
#ifndef CONFORMANCE_RECORDINGS_FIELDS_H_
#define CONFORMANCE_RECORDINGS_FIELDS_H_

#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

namespace cm {

// The error in the line, in one sentence; empty when there is none.
std::string ProblemOfFields(const nlohmann::json& line);
// The text of a field; empty when it is none.
std::string Text(const nlohmann::json& line, std::string_view key);
// The number of a field; the fallback when it is none.
int64_t Number(const nlohmann::json& line, std::string_view key, int64_t fallback = 0);

}  // namespace cm

#endif  // CONFORMANCE_RECORDINGS_FIELDS_H_
