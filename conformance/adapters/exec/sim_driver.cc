// The simulator as a driver, for the tests: the profile is the argument.
#include <cstdio>

#include "conformance/adapters/exec/serve.h"
#include "conformance/adapters/sim/sim_adapter.h"

int main(int argc, char** argv) {
  const cm::Profile* const profile = cm::FindProfile(argc > 1 ? argv[1] : "6.1-rxe");
  if (profile == nullptr) return 2;
  const auto sim =
      cm::MakeSimImplementation({.profile = *profile, .capabilities = profile->capabilities});
  return cm::ServeConversations(*sim, cm::GreetingOf(*sim), {}, stdin, stdout) ? 0 : 1;
}
