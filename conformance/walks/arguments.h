// Arguments for calls, mostly at the limits: addresses without a host, depths of zero, data that
// just fits or is one byte too long.
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
  // For rdma_bind_addr of a side's id; it need not be the side's address.
  Address BindAddress(uint8_t side);
  // Up to one byte more than fits, or the maximum of the C structure.
  uint8_t DataLength(uint8_t limit);
  // Empty: a null pointer, which is valid only for an id with a queue pair.
  std::optional<ConnParam> Param(IdRef id);
  // The library crashes in rdma_accept without parameters and without a queue pair.
  std::optional<ConnParam> AcceptParam(IdRef id, const ExpectedId& expected);

 private:
  uint8_t Depth();

  ConversationBuilder& builder_;
  bool v6_;
  uint32_t last_qp_number_ = 0;
};

// A lookup and its hints.
Address SomeNode(ConversationBuilder& builder);
AddrHints SomeHints(ConversationBuilder& builder);

}  // namespace cm

#endif  // CONFORMANCE_WALKS_ARGUMENTS_H_
