// Makes the calls of a conversation on the C functions, and reads their results.
#ifndef CONFORMANCE_ADAPTERS_DL_CALLER_H_
#define CONFORMANCE_ADAPTERS_DL_CALLER_H_

#include <memory>

#include "conformance/adapters/dl/api.h"
#include "conformance/adapters/dl/products.h"
#include "model/conversation/conversation.h"
#include "model/conversation/history.h"

namespace cm {

struct Application;

// The objects behind a conversation's names in one process, and the calls on them. Thread-safe.
class Caller {
 public:
  // Both must outlive this object.
  Caller(const RdmaCmApi* api, const Conversation* conversation);
  ~Caller();
  Caller(const Caller&) = delete;
  Caller& operator=(const Caller&) = delete;

  // Sets the functions for all later calls: each process has its own.
  void Use(const RdmaCmApi* api);

  // Makes the call; returns when the C function does.
  void Make(const Call& call, Products* products);
  // The observation of a call that has returned; stores the objects that it created under their
  // names.
  seen::Answered Conclude(const Call& call, const Products& products);
  // Null when the name has no object.
  rdma_event_channel* ChannelOf(ChannelRef ref) const;

 private:
  std::unique_ptr<Application> app_;
};

}  // namespace cm

#endif  // CONFORMANCE_ADAPTERS_DL_CALLER_H_
