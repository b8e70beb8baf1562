// Turns the words of one line into lines of a conversation, macros expanded.
#ifndef MODEL_CONVERSATION_LINE_PARSER_H_
#define MODEL_CONVERSATION_LINE_PARSER_H_

#include <string>
#include <string_view>

#include "model/conversation/conversation.h"
#include "model/conversation/words.h"

namespace cm {

// Appends to one conversation, line after line. Names are made by the lines that create them and
// must exist where they are used, so that a mistyped name is found while reading.
class LineParser {
 public:
  explicit LineParser(Conversation* conversation) : conversation_(conversation) {}

  // Appends what the line says; the problem, or an empty text.
  std::string Parse(std::string_view line);

 private:
  void ParseOwn(std::string_view first, Words& words);
  void ParseOfSide(Lane lane, std::string_view first, Words& words);
  void ParseMeanwhile(Lane lane, Words& words);
  void ParseWait(Lane lane, Words& words);
  void ParseCall(Lane lane, CallKind kind, Words& words);
  bool ParseMacro(Lane lane, std::string_view name, Words& words);
  Call CallOnId(CallKind kind, Words& words);
  Call CallOnChannel(CallKind kind, Words& words);
  Call MakeCreateQp(IdRef id, Words& words);
  Call MakeGetCmEvent(Words& words);

  // tester_text.cc
  void ParseSends(uint8_t side, Words& words);

  // later_calls.cc
  Call LaterCallOnId(CallKind kind, IdRef id, Words& words);
  Call MakeCreateEp(std::string_view name, Words& words);
  Call CallOnGroup(CallKind kind, IdRef id, Words& words);
  PortSpace PortSpaceFrom(std::string_view text, Words& words);
  QpType QpTypeFrom(std::string_view text, Words& words);

  // held_calls.cc
  Call CallOnHeld(CallKind kind, Words& words);
  call::GetAddrInfo MakeGetAddrInfo(HeldRef info, Words& words);
  Call CallOnInfo(CallKind kind, IdRef id, Words& words);
  HeldRef NewHeld(std::string_view name, Words& words);
  AddrHints HintsFrom(Words& words);
  HeldRef KnownHeld(CallKind maker, std::string_view name, Words& words);
  uint8_t TypeNumber(Words& words);

  // work_calls.cc
  Call CallOnQueue(CallKind kind, Words& words);
  call::Work WorkFrom(CallKind kind, IdRef id, Words& words);
  Sge SgeFrom(std::string_view text, Words& words);
  MrRef KnownRegion(std::string_view name, Words& words);

  void Taking(Lane lane, ChannelRef channel, Words& words);
  void Listening(Lane lane, Words& words);
  IdRef Resolving(Lane lane, Words& words);
  void Connecting(Lane lane, Words& words);
  void Accepting(Lane lane, Words& words);

  std::optional<Lane> LaneNamed(std::string_view word) const;
  IdRef NewId(std::string_view name, Words& words);
  IdRef KnownId(std::string_view name, Words& words);
  ChannelRef KnownChannel(std::string_view name, Words& words);
  // "null" for none.
  ChannelRef ChannelOrNull(std::string_view name, Words& words);
  ChannelRef ChannelMadeBy(Lane lane, std::string_view name);
  Address AddressFrom(std::string_view text, Words& words);
  uint8_t SideFrom(std::string_view text, Words& words);
  std::optional<ConnParam> ParamFrom(Words& words);
  PrivateData PrivateFrom(Words& words);
  void Say(Lane lane, Call call);

  Conversation* conversation_;
};

}  // namespace cm

#endif  // MODEL_CONVERSATION_LINE_PARSER_H_
