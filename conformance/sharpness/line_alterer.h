// Alters a line of a recording, as a kind of alterations says.
#ifndef CONFORMANCE_SHARPNESS_LINE_ALTERER_H_
#define CONFORMANCE_SHARPNESS_LINE_ALTERER_H_

#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "conformance/recordings/fields.h"
#include "conformance/sharpness/alteration.h"

namespace cm {

// A recording, line by line, and the names that it gives.
struct RecordingLines {
  struct Name {
    size_t since = 0;  // index of the line that creates it
    std::string name;
    std::string channel;  // of an id
  };

  explicit RecordingLines(std::string_view recording);
  static std::vector<std::string_view> Split(std::string_view recording);

  std::vector<nlohmann::json> lines;
  std::vector<Name> ids;
  std::vector<Name> channels;
};

class LineAlterer {
 public:
  using Json = nlohmann::json;

  // `line` from 1.
  LineAlterer(const RecordingLines& recording, int line, std::vector<RecordingAlteration>* found)
      : recording_(recording), line_(line), found_(found) {}

  const Json& json() const { return recording_.lines[static_cast<size_t>(line_) - 1]; }
  const RecordingLines& recording() const { return recording_; }
  bool IsOf(std::string_view kind) const { return Text("k") == kind; }
  // A field of the line; empty, or 0, where it has none of this type.
  std::string Text(std::string_view key) const { return cm::Text(json(), key); }
  int64_t Number(std::string_view key) const { return cm::Number(json(), key); }
  // The line has the name already.
  bool Knows(const RecordingLines::Name& name) const {
    return name.since < static_cast<size_t>(line_);
  }
  // The lines before it, newest first.
  std::vector<const Json*> Before() const;

  // An alteration, unless nothing changes.
  void Say(const std::string& field, const std::string& was, const std::string& is,
           const Json& line);
  // Another value of one field.
  void SayText(const std::string& field, std::string_view is);
  void SayNumber(const std::string& field, int64_t is);
  // What follows would have to happen later, too: the recording ends.
  void SayLast(const std::string& is, const std::string& text);

 private:
  const RecordingLines& recording_;
  int line_;
  std::vector<RecordingAlteration>* found_;
};

}  // namespace cm

#endif  // CONFORMANCE_SHARPNESS_LINE_ALTERER_H_
