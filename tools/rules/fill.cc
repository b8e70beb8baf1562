#include "tools/rules/fill.h"

namespace cm::ruledoc {
namespace {

constexpr std::string_view kEnd = "\"}";  // of the evidence; the transports may follow

std::string FilledLine(std::string_view line,
                       const std::function<std::string(std::string_view)>& observed) {
  const size_t start = line.find_first_not_of(' ');
  const size_t end = line.rfind(kEnd);
  const bool is_row = start != line.npos && line.substr(start).starts_with("{\"") &&
                      end != line.npos && line.ends_with("},");
  if (!is_row) return std::string(line);
  const size_t id_at = start + 2;
  const std::string_view id = line.substr(id_at, line.find('"', id_at) - id_at);
  const std::string_view body = line.substr(0, end);
  const size_t quote = body.rfind('"');
  return std::string(body.substr(0, quote + 1)) + observed(id) + std::string(line.substr(end));
}

}  // namespace

std::string Filled(std::string_view text,
                   const std::function<std::string(std::string_view)>& observed) {
  std::string filled;
  while (!text.empty()) {
    const size_t end = text.find('\n');
    filled += FilledLine(text.substr(0, end), observed);
    if (end == text.npos) break;
    filled += '\n';
    text.remove_prefix(end + 1);
  }
  return filled;
}

}  // namespace cm::ruledoc
