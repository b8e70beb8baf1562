// Any librdmacm-shaped shared object as an implementation, on whatever is under it.
#ifndef CONFORMANCE_ADAPTERS_DL_DL_ADAPTER_H_
#define CONFORMANCE_ADAPTERS_DL_DL_ADAPTER_H_

#include <memory>
#include <string>
#include <variant>

#include "conformance/adapters/dl/place.h"
#include "conformance/driver/driver.h"
#include "model/base/duration.h"
#include "model/vocabulary/profile.h"

namespace cm {

struct DlOptions {
  std::string path = "librdmacm.so.1";  // as dlopen takes it
  Profile profile;
  // Where waiting costs time, a call that is not back by then makes the conversation inconclusive.
  Duration patience = Duration::Seconds(5);
};

// The implementation, or why there is none, in one line: the object cannot be loaded, or lacks a
// symbol. The calling process never calls the library: each session does so in processes of its
// own, which end with it.
std::variant<std::unique_ptr<Implementation>, std::string> MakeDlImplementation(
    DlOptions options, std::unique_ptr<Place> place);

// Outside the lab: nothing can be done to links and devices, and waiting costs time.
std::unique_ptr<Place> MakeBarePlace();

// Empty when the library can make an event channel where it stands and sees an RDMA device (or
// brings its own time, see hooks.h); otherwise what is in the way, in words: "no RDMA device ...".
std::string Probe(const DlOptions& options);

}  // namespace cm

#endif  // CONFORMANCE_ADAPTERS_DL_DL_ADAPTER_H_
