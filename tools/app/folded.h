// What librdmacm does inside its calls, found in all notes of a run before its lines are written.
#ifndef TOOLS_APP_FOLDED_H_
#define TOOLS_APP_FOLDED_H_

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <vector>

#include "sim/uapi/layout.h"
#include "sim/uapi/request.h"
#include "tools/app/recorder.h"

namespace cm::app {

// Indices of notes.
struct Folded {
  // The library's look, as it begins, for whether the kernel knows addresses of InfiniBand.
  // source: rdma-core 44 cma.c ucma_set_af_ib_support
  std::set<size_t> probes;
  // From a fetched event to its return to the caller. The library keeps the others for itself.
  std::map<size_t, size_t> returned;
  // Queue pairs that the program has made without the library, as they become ready to be
  // connected. An id with one of the library's never returns CONNECT_RESPONSE.
  std::set<size_t> own_queue_pairs;
  // From the bind of an id to port 0, to the port that the kernel has drawn, which a program names
  // when it resolves an address.
  std::map<size_t, uint16_t> ports;
};
Folded Fold(const std::vector<Note>& notes);

// The command of a note; empty for any other.
std::optional<sim::uapi::Command> CommandOf(const Note& note);
// Of a request that makes a queue pair ready to be connected.
bool Readies(const sim::uapi::Request& request);

}  // namespace cm::app

#endif  // TOOLS_APP_FOLDED_H_
