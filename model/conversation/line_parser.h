// Parses the words of one line to lines of a conversation, with macros expanded.
#ifndef MODEL_CONVERSATION_LINE_PARSER_H_
#define MODEL_CONVERSATION_LINE_PARSER_H_

#include <string>
#include <string_view>

#include "model/conversation/conversation.h"
#include "model/conversation/words.h"

namespace cm {

// Appends to one conversation, line by line. Names are created by the lines that create their
// objects and must exist where they are used, so that a mistyped name is detected.
class LineParser {
 public:
  explicit LineParser(Conversation* conversation) : conversation_(conversation) {}

  // Appends the line; returns the error, or an empty text.
  std::string Parse(std::string_view line);

 private:
  void ParseOwn(std::string_view first, Words& words);
  void ParseOfSide(Lane lane, std::string_view first, Words& words);
  void ParseMeanwhile(Lane lane, Words& words);
  void ParseWait(Lane lane, Words& words);
  void ParseCall(Lane lane, CallKind kind, Words& words);
  bool ParseMacro(Lane lane, std::string_view name, Words& words);

  // tester_text.cc
  void ParseSends(uint8_t side, Words& words);

  // macros.cc
  void Taking(Lane lane, ChannelRef channel, Words& words);
  void Listening(Lane lane, Words& words);
  IdRef Resolving(Lane lane, Words& words);
  void Connecting(Lane lane, Words& words);
  void Accepting(Lane lane, Words& words);

  std::optional<Lane> LaneNamed(std::string_view word) const;
  bool IsLaneOfASide(std::string_view word) const;
  ChannelRef ChannelMadeBy(Lane lane, std::string_view name);
  void Say(Lane lane, Call call);

  Conversation* conversation_;
};

}  // namespace cm

#endif  // MODEL_CONVERSATION_LINE_PARSER_H_
