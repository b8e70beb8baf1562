// The properties against the librdmacm of this machine. Without a device it fails with a message.
#include "conformance/suite/suite.h"

int main(int argc, char** argv) {
  return cm::RunSuite(
      argc, argv,
      {.impl = "dl", .topology = "one-kernel-two-devices", .sequences = 200, .calls = 20},
      cm::MakeSimOrDl);
}
