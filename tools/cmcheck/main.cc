// cmcheck: tests a connection manager, and reports whether it conforms.
#include <array>

#include "tools/cmcheck/command.h"
#include "tools/cmcheck/front.h"
#include "tools/cmcheck/implementations.h"
#include "tools/cmcheck/verbs.h"

int main(int argc, char** argv) {
  cm::ResolveOthersBy(cm::ResolveAny);
  constexpr auto kVerbs = std::to_array<cm::AddVerb>(
      {cm::AddRun, cm::AddList, cm::AddCompare, cm::AddReplay, cm::AddShrink, cm::AddExplain,
       cm::AddExplore, cm::AddRewrite, cm::AddCheckPcap, cm::AddSharpness, cm::AddLab, cm::AddPcap,
       cm::AddApp, cm::AddAgent, cm::AddDriverCheck, cm::AddMatrix, cm::AddSite, cm::AddWire,
       cm::AddProfile});
  return cm::RunCommand(argc, argv, kVerbs);
}
