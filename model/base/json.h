// JSON as text, read and written in one compiled place: nlohmann's parser alone takes four seconds
// to compile in each file that calls it.
#ifndef MODEL_BASE_JSON_H_
#define MODEL_BASE_JSON_H_

#include <exception>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>

namespace cm {

// A discarded value when the text is not JSON; then `problem`, if given, says why. Comments count
// as white space.
nlohmann::json ParseJson(std::string_view text, std::string* problem = nullptr);

// The message of an exception of the library, without the library's tag in front of it.
std::string JsonMessage(const std::exception& wrong);

// On one line without `indent`. Bytes that are no UTF-8 are replaced.
std::string JsonText(const nlohmann::json& value, int indent = -1);
std::string JsonText(const nlohmann::ordered_json& value, int indent = -1);

// The text as a JSON string, with its quotes.
std::string QuotedJson(std::string_view text);

}  // namespace cm

#endif  // MODEL_BASE_JSON_H_
