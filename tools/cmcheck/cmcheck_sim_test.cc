// cmcheck_sim has the help of cmcheck, does the same, and names cmcheck where it is needed.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tools/cmcheck/cmcheck_process.h"

namespace cm {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

Ended Sim(const CmcheckFolder& folder, std::vector<std::string> arguments) {
  arguments.insert(arguments.begin(), DataFile("tools/cmcheck/cmcheck_sim").string());
  return Running(arguments, {}, folder.path()).Wait();
}

TEST(CmcheckSim, HasTheHelpOfCmcheck) {
  const CmcheckFolder folder;
  const Ended sim = Sim(folder, {"--help"});
  const Ended whole = folder.Cmcheck({"--help"});
  EXPECT_EQ(sim.exit_code, 0);
  EXPECT_THAT(sim.output, HasSubstr("check-pcap"));
  EXPECT_EQ(sim.output, whole.output);
  EXPECT_EQ(Sim(folder, {"run", "--help"}).output, folder.Cmcheck({"run", "--help"}).output);
}

TEST(CmcheckSim, DoesTheSame) {
  const CmcheckFolder folder;
  const std::vector<std::string> run = {"run", "--sequences", "20"};
  const Ended sim = Sim(folder, run);
  const Ended whole = folder.Cmcheck(run);
  EXPECT_EQ(sim.exit_code, whole.exit_code);
  EXPECT_THAT(sim.output, HasSubstr("sequences"));
  EXPECT_EQ(sim.output, whole.output);
}

TEST(CmcheckSim, NamesCmcheckForAllElse) {
  const CmcheckFolder folder;
  for (const char* verb :
       {"agent", "app", "check-pcap", "compare", "driver-check", "explain", "lab", "list", "matrix",
        "pcap", "profile", "sharpness", "site", "wire"}) {
    const Ended refused = Sim(folder, {verb, "--help"});
    EXPECT_EQ(refused.exit_code, 2) << verb;
    EXPECT_THAT(refused.error, StartsWith("cmcheck: the verb '" + std::string(verb) + "' needs"));
  }
  const std::vector<std::vector<std::string>> others = {{"--impl", "dl"},
                                                        {"--impl", "lib:./libmine.so"},
                                                        {"--defect", "connect-wrong-errno"},
                                                        {"--allow", "loss"}};
  for (std::vector<std::string> arguments : others) {
    arguments.insert(arguments.begin(), "run");
    const Ended refused = Sim(folder, arguments);
    EXPECT_EQ(refused.exit_code, 2) << arguments.back();
    EXPECT_THAT(refused.error, HasSubstr("need cmcheck"));
  }
}

}  // namespace
}  // namespace cm
