// Our only program in the guest's root file system, under two names: `agent` serves the host,
// `cmfault` sets packet filters. It is static, so it starts quickly and depends on nothing in the
// guest.
#include <fcntl.h>

#include <cstdio>
#include <string>
#include <string_view>
#include <vector>

#include "hw_tests/lab/agent.h"
#include "hw_tests/lab/cmfault.h"

int main(int argc, char** argv) {
  const std::string_view path = argc > 0 ? argv[0] : "";
  const std::string_view name = path.substr(path.rfind('/') + 1);
  if (name == "agent" && argc == 2) {
    const int port = open(argv[1], O_RDWR | O_CLOEXEC | O_NONBLOCK);
    if (port < 0) return 1;
    lab::ServeAgent(port);
  }
  if (name == "cmfault") return lab::RunCmFault(std::vector<std::string>(argv + 1, argv + argc));
  fprintf(stderr, "usage: agent PORT, or cmfault ARGUMENTS\n");
  return 2;
}
