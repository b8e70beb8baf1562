// echo serve          serves until no request has arrived for a while
// echo ask HOST TEXT  prints the reply
#include <iostream>
#include <string>

#include "examples/echo/echo.h"

int main(int argc, char** argv) {
  const std::string verb = argc > 1 ? argv[1] : "";
  echo::Ending ending = echo::Ending::kFailed;
  if (verb == "serve" && argc == 2) {
    ending = echo::Serve({});
  } else if (verb == "ask" && argc == 4) {
    std::string answer;
    ending = echo::Ask({}, argv[2], argv[3], &answer);
    if (ending == echo::Ending::kDone) std::cout << answer << "\n";
  } else {
    std::cerr << "usage: echo serve | echo ask HOST TEXT\n";
    return 2;
  }
  if (ending != echo::Ending::kDone) std::cerr << "echo: " << ToString(ending) << "\n";
  return ending == echo::Ending::kDone ? 0 : 1;
}
