// The verbs of cmcheck: each function adds one to the command, or to the verb `lab`.
#ifndef TOOLS_CMCHECK_VERBS_H_
#define TOOLS_CMCHECK_VERBS_H_

#include "tools/cmcheck/command_line.h"

namespace cm {

// Of cmcheck_sim and cmcheck.
void AddRun(Verb cmcheck);
void AddReplay(Verb cmcheck);
void AddShrink(Verb cmcheck);
void AddRewrite(Verb cmcheck);
// Of cmcheck alone.
void AddList(Verb cmcheck);
void AddCompare(Verb cmcheck);
void AddExplain(Verb cmcheck);
void AddExplore(Verb cmcheck);
void AddCheckPcap(Verb cmcheck);
void AddSharpness(Verb cmcheck);
void AddLab(Verb cmcheck);
void AddPcap(Verb cmcheck);
void AddApp(Verb cmcheck);
void AddAgent(Verb cmcheck);
void AddDriverCheck(Verb cmcheck);
void AddMatrix(Verb cmcheck);
void AddSite(Verb cmcheck);
void AddWire(Verb cmcheck);
void AddProfile(Verb cmcheck);
// Of `site`.
void AddSiteDiscover(Verb site);  // and what hosts are asked by it, `facts`
// Of `lab`.
void AddLabRun(Verb lab);
void AddLabNodes(Verb lab);      // and one of its guests: `node`, `host`
void AddLabCompare(Verb lab);    // how well the simulator agrees with a real kernel
void AddLabScenarios(Verb lab);  // the protocol's scenarios on a real kernel, beside the simulator

// What cmcheck does without arguments: `run` with its defaults. Returns the exit code.
int RunMainJob();

}  // namespace cm

#endif  // TOOLS_CMCHECK_VERBS_H_
