#include "conformance/sharpness/line_alterer.h"

namespace cm {

std::vector<std::string_view> RecordingLines::Split(std::string_view text) {
  std::vector<std::string_view> lines;
  while (!text.empty()) {
    const size_t end = text.find('\n');
    lines.push_back(text.substr(0, end));
    text = end == std::string_view::npos ? std::string_view() : text.substr(end + 1);
  }
  return lines;
}

RecordingLines::RecordingLines(std::string_view recording) {
  for (const std::string_view line : Split(recording))
    lines.push_back(nlohmann::json::parse(line, nullptr, false));
  for (size_t i = 0; i < lines.size(); ++i) {
    const std::string args = Text(lines[i], "args");
    const std::string first = args.substr(0, args.find(' '));
    if (Text(lines[i], "fn") == "rdma_create_event_channel") channels.push_back({i, first, ""});
    if (Text(lines[i], "fn") == "rdma_create_id" && Number(lines[i], "ret") == 0) {
      const size_t at = args.find("chan=");
      const std::string channel = args.substr(at == std::string::npos ? args.size() : at + 5);
      ids.push_back({i, first, channel.substr(0, channel.find(' '))});
    }
    if (Text(lines[i], "type") == "CONNECT_REQUEST")
      ids.push_back({i, Text(lines[i], "id"), Text(lines[i], "chan")});
  }
}

std::vector<const LineAlterer::Json*> LineAlterer::Before() const {
  std::vector<const Json*> before;
  for (size_t i = static_cast<size_t>(line_) - 1; i-- > 0;) before.push_back(&recording_.lines[i]);
  return before;
}

void LineAlterer::Say(const std::string& field, const std::string& was, const std::string& is,
                      const Json& line) {
  if (was != is) found_->push_back({line_, field, was, is, line.dump()});
}

void LineAlterer::SayText(const std::string& field, std::string_view is) {
  const std::string was = Text(field);
  Json other = json();
  other[field] = is.empty() ? Json() : Json(std::string(is));
  Say(field, was.empty() ? "null" : was, is.empty() ? "null" : std::string(is), other);
}

void LineAlterer::SayNumber(const std::string& field, int64_t is) {
  if (is < 0) return;
  Json other = json();
  other[field] = is;
  Say(field, std::to_string(Number(field)), std::to_string(is), other);
}

void LineAlterer::SayLast(const std::string& is, const std::string& text) {
  found_->push_back({line_, "time", "in time", is, text, true});
}

}  // namespace cm
