// Any librdmacm-shaped shared object as an implementation, on any kernel.
#ifndef CONFORMANCE_ADAPTERS_DL_DL_ADAPTER_H_
#define CONFORMANCE_ADAPTERS_DL_DL_ADAPTER_H_

#include <memory>
#include <string>
#include <variant>

#include "conformance/adapters/dl/place.h"
#include "conformance/driver/implementation.h"
#include "model/base/duration.h"
#include "model/vocabulary/profile.h"

namespace cm {

struct DlOptions {
  std::string path = "librdmacm.so.1";  // as dlopen takes it
  Profile profile;
  // Without virtual time: a call that takes longer makes the conversation inconclusive.
  Duration patience = Duration::Seconds(5);
};

// The implementation, or the error in one line: the object cannot be loaded, or lacks a symbol. The
// calling process never calls the library: each session does so in processes of its own, which end
// with it.
std::variant<std::unique_ptr<Implementation>, std::string> MakeDlImplementation(
    DlOptions options, std::unique_ptr<Place> place);

// Outside the lab: no faults of links and devices, and waiting costs time.
std::unique_ptr<Place> MakeBarePlace();

// Empty when the library can create an event channel and sees an RDMA device (or brings its own
// time, see hooks.h); otherwise the error: "no RDMA device ...".
std::string Probe(const DlOptions& options);

}  // namespace cm

#endif  // CONFORMANCE_ADAPTERS_DL_DL_ADAPTER_H_
