// Parses the part of a file after the dashes: the history.
#ifndef MODEL_CONVERSATION_HISTORY_PARSER_H_
#define MODEL_CONVERSATION_HISTORY_PARSER_H_

#include <optional>
#include <string>
#include <string_view>

#include "model/conversation/history.h"
#include "model/conversation/words.h"

namespace cm {

// Appends records to a history whose conversation is complete. Every record repeats the canonical
// text of its line, so that an edited or truncated file is detected.
class HistoryParser {
 public:
  explicit HistoryParser(History* history) : history_(history) {}

  // The error, or an empty text.
  std::string Parse(std::string_view line);
  // What stands behind the arrow of the line; `released`: of a blocked call that has returned. The
  // error, or an empty text.
  std::string ParseOutcome(std::string_view text, const Line& line, bool released,
                           Observation* seen);
  bool Complete() const { return next_line_ == history_->conversation.lines.size(); }
  size_t lines_seen() const { return next_line_; }

 private:
  std::string ParseRecord(Record record, std::string_view rest);
  std::string ParseWire(Instant at, std::string_view rest);
  std::optional<uint32_t> BlockedLine(std::string_view said) const;
  static Reply ParseReply(Words& words);
  CmEvent ParseEvent(Words& words);
  Shown ParseShown(Words& words);
  Output ParseOutput(Words& words);
  AddrInfoOutput ParseAddrInfo(Words& words);
  DevicesOutput ParseDevices(Words& words);
  Completion ParseCompletion(Words& words);
  uint32_t Digest32(Words& words);
  Observation ParseAnswer(std::string_view answer, const Line& line, bool released, Words& words);

  History* history_;
  size_t next_line_ = 0;
};

}  // namespace cm

#endif  // MODEL_CONVERSATION_HISTORY_PARSER_H_
