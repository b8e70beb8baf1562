// Parses calls by their rows in call_table.h: the inverse of ToString(call).
#ifndef MODEL_CONVERSATION_CALL_READER_H_
#define MODEL_CONVERSATION_CALL_READER_H_

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "model/conversation/conversation.h"
#include "model/conversation/words.h"
#include "model/vocabulary/field.h"

namespace cm {

// Parses the arguments of one call from the words of a line. Names are created by the calls that
// create their objects, and must exist where they are used. An error is stored as the problem of
// the words.
class CallReader {
 public:
  // Both must outlive this object; new names are added to the conversation's.
  CallReader(Conversation* conversation, Words* words)
      : conversation_(conversation), words_(*words) {}

  // The arguments of a call of that kind.
  Call Arguments(CallKind kind);

  // Arguments of macros: a created name, an existing one, an address, parameters.
  IdRef NewId(std::string_view name);
  ChannelRef KnownChannel(std::string_view name);
  Address AddressFrom(std::string_view text);
  std::optional<ConnParam> Param();
  PrivateData Private();
  // RDMA_PS_TCP without the word.
  PortSpace Space();

 private:
  template <typename Owner>
  void Into(Owner* owner);

  // An overload for each type of a field.
  void Read(const FieldInfo& info, IdRef* id);
  void Read(const FieldInfo& info, ChannelRef* channel);
  void Read(const FieldInfo& info, EventRef* event);
  void Read(const FieldInfo& info, HeldRef* held);
  void Read(const FieldInfo& info, MrRef* region);
  void Read(const FieldInfo& info, bool* flag);
  void Read(const FieldInfo& info, uint8_t* number);
  void Read(const FieldInfo& info, uint16_t* number);
  void Read(const FieldInfo& info, uint32_t* number);
  void Read(const FieldInfo& info, int32_t* number);
  void Read(const FieldInfo& info, uint64_t* number);
  void Read(const FieldInfo& info, std::optional<uint16_t>* number);
  void Read(const FieldInfo& info, Address* address);
  void Read(const FieldInfo& info, PortSpace* space);
  void Read(const FieldInfo& info, std::optional<PortSpace>* space);
  void Read(const FieldInfo& info, std::optional<QpType>* type);
  void Read(const FieldInfo& info, IdOption* option);
  void Read(const FieldInfo& info, PrivateData* data);
  void Read(const FieldInfo& info, EceOptions* ece);
  void Read(const FieldInfo& info, Sges* pieces);
  void Read(const FieldInfo& info, RemotePlace* place);
  // A structure, or none, depending on the field's key.
  template <typename Structure>
  void Read(const FieldInfo& info, std::optional<Structure>* structure);

  // The word or the value of the field.
  std::string_view TextOf(const FieldInfo& info);
  IdRef MadeId(std::string_view name);
  template <typename Number>
  void ReadNumber(const FieldInfo& info, Number* number);
  Sge PieceFrom(std::string_view text);
  MrRef KnownRegion(std::string_view name);
  bool MadeAs(HeldRef held, std::string_view noun) const;

  Conversation* conversation_;
  Words& words_;
  std::string event_;  // the name of the event that the call fetches
};

}  // namespace cm

#endif  // MODEL_CONVERSATION_CALL_READER_H_
