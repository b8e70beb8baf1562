#include "model/base/json.h"

#include <nlohmann/json.hpp>

namespace cm {

using nlohmann::json;
using nlohmann::ordered_json;

json ParseJson(std::string_view text, std::string* problem) {
  try {
    return json::parse(text, nullptr, /*allow_exceptions=*/true, /*ignore_comments=*/true);
  } catch (const json::exception& wrong) {  // thrown by the library; caught here
    if (problem != nullptr) *problem = "it is no JSON: " + JsonMessage(wrong);
    return json(json::value_t::discarded);
  }
}

// "[json.exception.parse_error.101] parse error at line 1, ...".
std::string JsonMessage(const std::exception& wrong) {
  const std::string_view message = wrong.what();
  const size_t end = message.starts_with("[json.exception.") ? message.find("] ") : message.npos;
  return std::string(end == message.npos ? message : message.substr(end + 2));
}

std::string JsonText(const json& value, int indent) {
  return value.dump(indent, ' ', false, json::error_handler_t::replace);
}

std::string JsonText(const ordered_json& value, int indent) {
  return value.dump(indent, ' ', false, ordered_json::error_handler_t::replace);
}

std::string QuotedJson(std::string_view text) { return JsonText(json(text)); }

}  // namespace cm
