// `cmcheck lab`.
#include "tools/cmcheck/command_line.h"
#include "tools/cmcheck/verbs.h"

namespace cm {

void AddLab(Verb cmcheck) {
  Verb lab = cmcheck.Add("lab", "A throw-away guest with Soft-RoCE or Soft-iWARP", R"(
Examples:
  cmcheck lab run -- --sequences 100
  cmcheck lab nodes --active 6.12-rxe --passive 6.1-rxe -- --sequences 100
  cmcheck lab compare lab-report
  cmcheck lab scenarios --profile 6.12-rxe)");
  lab.RequireVerb();
  AddLabRun(lab);
  AddLabNodes(lab);
  AddLabCompare(lab);
  AddLabScenarios(lab);
}

}  // namespace cm
