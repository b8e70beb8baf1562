// Helpers for several files of the library.
#ifndef SIM_LIB_SHARED_H_
#define SIM_LIB_SHARED_H_

#include "model/base/errno.h"
#include "model/vocabulary/address.h"
#include "model/vocabulary/reply.h"

namespace cm::sim {

inline Reply FromErrno(Errno error) {
  return error == Errno::kNone ? Reply::Returned() : Reply::Refused(error);
}

// source: rdma-core 44 librdmacm/cma.c ucma_addrlen
inline bool FamilyKnown(const Address& address) {
  return address.kind != AddressKind::kNone && address.kind != AddressKind::kBadFamily;
}

}  // namespace cm::sim

#endif  // SIM_LIB_SHARED_H_
