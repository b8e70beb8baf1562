// The properties against the librdmacm of this machine, or of the two hosts of the site that
// RDMA_CM_SITE names (docs/nodes.md). Without a device it fails with a message.
#include <cstdlib>

#include "conformance/suite/suite.h"

int main(int argc, char** argv) {
  cm::SuiteFlags flags{
      .impl = "dl", .topology = "one-kernel-two-devices", .sequences = 200, .calls = 20};
  const char* const site = std::getenv("RDMA_CM_SITE");
  if (site == nullptr || *site == '\0') return cm::RunSuite(argc, argv, flags, cm::MakeSimOrDl);
  flags.site = site;
  return cm::RunSuite(argc, argv, flags, cm::MakeNodes);
}
