// Arguments for calls, mostly at the edges: addresses that lead nowhere, depths of zero, data that
// fits by one byte or does not.
#ifndef CONFORMANCE_WALKS_ARGUMENTS_H_
#define CONFORMANCE_WALKS_ARGUMENTS_H_

#include <cstdint>
#include <optional>

#include "conformance/walks/conversation_builder.h"

namespace cm {

class Arguments {
 public:
  Arguments(ConversationBuilder& builder, bool v6) : builder_(builder), v6_(v6) {}

  int32_t Backlog();
  int32_t ResolveTimeout();
  // One of few ports, so that ids meet on them.
  uint16_t Port();
  Address OddAddress(uint16_t port);
  // To bind a side's id to; it need not be the side's.
  Address BindAddress(uint8_t side);
  // Up to one byte more than fits, or all that the C structure can announce.
  uint8_t DataLength(uint8_t limit);
  // Empty: a null pointer, which only an id with a queue pair may be given.
  std::optional<ConnParam> Param(IdRef id);
  // Accepting without parameters and without a queue pair is one of the library's crashes.
  std::optional<ConnParam> AcceptParam(IdRef id, const ExpectedId& expected);

 private:
  uint8_t Depth();

  ConversationBuilder& builder_;
  bool v6_;
  uint32_t last_qp_number_ = 0;
};

// What is looked up, and how.
Address SomeNode(ConversationBuilder& builder);
AddrHints SomeHints(ConversationBuilder& builder);

}  // namespace cm

#endif  // CONFORMANCE_WALKS_ARGUMENTS_H_
