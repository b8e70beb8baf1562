// The object for programs: the environment names the socket of their machine.
#include <cstdlib>

#include "sim/standin/asking.h"
#include "sim/standin/client.h"

namespace cm::sim::standin {
namespace {

Client* Make() {
  const char* path = std::getenv("CMSIM_SOCKET");
  return path == nullptr ? nullptr : new Client(path);
}

}  // namespace

Ground* GroundOfEnvironment() {
  static Client* const kClient = Make();
  return kClient;
}

}  // namespace cm::sim::standin
