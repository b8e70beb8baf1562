// Unusable input: one line on stderr, exit code 2, no files left.
#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/file.h>
#include <unistd.h>

#include <filesystem>
#include <string>
#include <vector>

#include "conformance/process/descriptor.h"
#include "tools/cmcheck/cmcheck_process.h"

namespace cm {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::StartsWith;

namespace fs = std::filesystem;

constexpr const char* kConversation =
    "conversation 1\ntopology two-kernels\nprofile 6.1-rxe\ncapabilities none\n"
    "active rdma_create_event_channel C\n";

struct Bad {
  const char* what;
  std::vector<std::string> arguments;
  std::vector<std::string> says;  // the given input, and what is accepted
};

class BadInput : public testing::TestWithParam<Bad> {
 protected:
  BadInput() {
    folder_.Write("text.so", "hello\n");
    folder_.Write("profile.json", R"({"name": 1})");
    folder_.Write("cut_off.conv", std::string(kConversation) + "active rdma_cre");
    folder_.Write("cut_at_end.conv", std::string(kConversation) + "active rdma_create_id A on=C");
    folder_.Write("half_a_history.conv",
                  std::string(kConversation) + "----\n  0us  active rdma_cr");
    folder_.Write("history_ends_early.conv", std::string(kConversation) + "----\n");
    folder_.Write("plain.conv", kConversation);
    folder_.Write(
        "settled.conv",
        "topology two-kernels\nprofile 6.1-rxe\nsettle\n----\n   0us..20ms  settle -> done\n");
    folder_.Write("unknown_profile.conv", "topology bond\n# whose?\nprofile nope\n");
    folder_.Write("loses.conv", "topology two-kernels\nfault drop REQ from=active\npass 1s\n");
    folder_.Write("fails_over.conv", "topology bond\nfault fail-over side=active\n");
    folder_.Write("adds.conv", "topology bond\npass 1s\nfault add-device side=active\n");
    folder_.Write("empty.conv", "");
    folder_.Write("connects.conv",
                  std::string(kConversation) +
                      "active rdma_create_id A on=C\nactive rdma_bind_addr A addr=active:0\n"
                      "active rdma_connect A\n");
    folder_.Write("name.conv", std::string(kConversation) + "active rdma_create_id \x1b[1m on=C\n");
    folder_.Write("escapes.json", R"({"name": "mine", "base": "\u0000\u001b[1m\u0085"})");
    const std::string host = "topology own\nhost a\n";
    folder_.Write("bad.topology", host + "device rxe0 on=veth0 address=10.0.0.1\n");
    folder_.Write("one_side.topology", host +
                                           "device rxe0 on=veth0 address=10.0.0.1,fd00::1\n"
                                           "side active device=rxe0\n");
    folder_.Write("empty.jsonl", "what is this\n");
    fs::create_directory(folder_.path() / "directory");
    fs::create_directory(folder_.path() / "taken.part");
    files_ = folder_.Files();
  }

  void IsRefused(const std::vector<std::string>& arguments, const std::vector<std::string>& says,
                 const std::vector<std::string>& environment = {}) {
    const Ended ended = folder_.Cmcheck(arguments, environment);
    EXPECT_EQ(ended.exit_code, 2);
    EXPECT_THAT(LinesOf(ended.error), ElementsAre(StartsWith("cmcheck: ")));
    for (const std::string& part : says) EXPECT_THAT(ended.error, HasSubstr(part));
    EXPECT_THAT(ended.output, IsEmpty());
    EXPECT_EQ(folder_.Files(), files_) << "something was left behind";
  }

  CmcheckFolder folder_;
  std::vector<std::string> files_;
};

TEST_P(BadInput, IsRefusedInOneLineAndLeavesNothingBehind) {
  IsRefused(GetParam().arguments, GetParam().says);
}

std::string NameOf(const testing::TestParamInfo<Bad>& bad) { return bad.param.what; }

INSTANTIATE_TEST_SUITE_P(
    Arguments, BadInput,
    testing::Values(
        Bad{"UnknownVerb",
            {"judge"},
            {"'judge'",
             "run, list, compare, replay, shrink, explain, explore, rewrite, check-pcap, "
             "sharpness, lab"}},
        Bad{"EmptyVerb", {""}, {"''", "run, list"}},
        Bad{"UnknownOption", {"run", "--sequence", "3"}, {"--sequence", "cmcheck run --help"}},
        Bad{"UnknownOptionOfNoVerb", {"--fast"}, {"--fast", "cmcheck --help"}},
        Bad{"FolderWithoutConversations",
            {"run", "--conversations", "/proc/self"},
            {"/proc/self", "holds no .conv"}},
        Bad{"ConversationThatIsNotThere",
            {"run", "--conversations", "nope.conv"},
            {"nope.conv cannot be read: no such file"}},
        Bad{"UnknownWalk", {"run", "--walk", "nope"}, {"'nope'", "random, life, loss"}},
        Bad{"UnknownProperty", {"run", "--property", "X-1"}, {"'X-1'", "list properties"}},
        Bad{"UnknownProfile", {"run", "--profile", "2.4"}, {"'2.4'", "6.1-rxe, 6.12-rxe"}},
        Bad{"UnknownTopology",
            {"run", "--topology", "ring"},
            {"'ring'", "two-kernels, one-kernel"}},
        Bad{"TopologyWithBadText",
            {"run", "--topology", "bad.topology"},
            {"bad.topology:3", "address=10.0.0.1"}},
        Bad{"TopologyWithOneSide",
            {"run", "--topology", "one_side.topology"},
            {"one_side.topology", "topology own", "first two sides"}},
        Bad{"TopologyOfAFolder", {"run", "--topology", "directory"}, {"directory"}},
        Bad{"TopologyWithoutWeight", {"run", "--topology", "bond:0"}, {"'bond:0'", "from 1 on"}},
        Bad{"UnknownDefect", {"run", "--defect", "nope"}, {"'nope'", "forgets-timewait"}},
        Bad{"UnknownImplementation",
            {"run", "--impl", "rdma"},
            {"'rdma'", "sim, lib, lib:PATH, dl, dl:PATH"}},
        Bad{"UnknownPlace", {"run", "--impl", "dl", "--place", "moon"}, {"'moon'", "bare, guest"}},
        Bad{"PlaceOfSim", {"run", "--place", "guest"}, {"--place", "--impl dl"}},
        Bad{"SiteOfSim", {"run", "--site", "no.json"}, {"--site", "--impl nodes"}},
        Bad{"AllowanceOfSim", {"run", "--allow", "loss"}, {"--allow", "--impl nodes or dl"}},
        Bad{"FaultThatIsNotDrawn",
            {"explore", "--faults", "0", "--fault", "nonsense"},
            {"there is no fault 'nonsense'"}},
        Bad{"FaultsOfNoKind", {"explore", "--faults", "2"}, {"--faults", "--fault names"}},
        Bad{"DefectOfDl", {"run", "--impl", "dl", "--defect", "x"}, {"--defect", "--impl sim"}},
        Bad{"UnknownCapability", {"run", "--capabilities", "drop fly"}, {"'drop fly'", "drop-nth"}},
        Bad{"WalkBeyondTheEnvironment",
            {"run", "--walk", "removal", "--capabilities", "none"},
            {"walk removal needs ", "remove-device", "cannot do, but 'none'"}},
        Bad{"WalkBeyondTheProfile",
            {"run", "--walk", "loss", "--profile", "6.1-siw"},
            {"walk loss needs ", "drop", "which profile 6.1-siw does not have"}},
        Bad{"WalkWithoutABond",
            {"run", "--walk", "address-change", "--topology", "two-kernels"},
            {"walk address-change needs a bond", "two-kernels"}},
        Bad{"UnknownVerbOfLab",
            {"lab", "nope"},
            {"'lab nope'", "run, nodes, node, host, compare, scenarios"}},
        Bad{"HostOfNoSide",
            {"lab", "host", "--side", "left", "--port", "2201", "--key", "k"},
            {"--side 'left' is neither active nor passive"}},
        Bad{"HostWithoutAKey",
            {"lab", "host", "--side", "active", "--port", "2201", "--key", "no.pub"},
            {"no.pub' is no public key of ssh"}},
        Bad{"NodesWithoutASite", {"run", "--impl", "nodes"}, {"needs --site"}},
        Bad{"SiteThatIsNotThere",
            {"site", "check", "no.json"},
            {"no.json: cannot be read: no such file"}},
        Bad{"OneSideOnly", {"run", "--impl", "sides:active=dl"}, {"there is no passive side"}},
        Bad{"SideOfTheSimulator",
            {"run", "--impl", "sides:active=sim,passive=sim"},
            {"active: 'sim' is none of exec:COMMAND"}},
        Bad{"NodesOfTwoLinks",
            {"lab", "nodes", "--active", "6.1-siw", "--passive", "6.1-rxe"},
            {"differ in more than two ends"}},
        Bad{"ClaimOfAWholeCampaign",
            {"run", "--property", "NEVER-1"},
            {"NEVER-1", "whole campaign", "without --property"}},
        Bad{"NoPerCent", {"run", "--max-inconclusive", "nan"}, {"--max-inconclusive", "'nan'"}},
        Bad{"DefectOfTheLab", {"lab", "run", "--", "--defect", "x"}, {"no --defect"}},
        Bad{"KernelOfTheLab",
            {"lab", "run", "--kernel", "none", "--modules", ".", "--"},
            {"--kernel none: no such file"}},
        Bad{"ModulesWithoutKernel",
            {"lab", "run", "--modules", ".", "--"},
            {"--modules are those of --kernel"}},
        Bad{"ModuleBesideAKernel",
            {"lab", "run", "--kernel", "/bin/sh", "--module", "x.ko", "--"},
            {"--module replaces one of the guest's kernel"}},
        Bad{"ModulesThatAreNoFolder",
            {"lab", "run", "--kernel", "/bin/sh", "--modules", "/bin/sh", "--"},
            {"--modules /bin/sh: no such folder"}},
        Bad{"PlaceOfTheLab", {"lab", "run", "--", "--place", "bare"}, {"no --place"}},
        Bad{"ConversationsAndAWalk",
            {"run", "--conversations", "plain.conv", "--walk", "life"},
            {"--conversations and --walk"}},
        Bad{"ConversationsAndCalls",
            {"compare", "sim", "sim", "--conversations", "plain.conv", "--calls", "3"},
            {"--conversations and --calls"}},
        Bad{"OnlyAndFirst", {"run", "--only", "3", "--first", "0"}, {"--only and --first"}},
        Bad{"OnlyAndSequencesInTheLab",
            {"lab", "run", "--", "--only", "3", "--sequences", "7"},
            {"--only and --sequences"}},
        Bad{"NegativeSeed", {"run", "--seed", "-1"}, {"'-1'", "from 0 to"}},
        Bad{"NoSequences", {"run", "--sequences", "0"}, {"--sequences", "in range 1"}},
        Bad{"SequencesInWords", {"run", "--sequences", "ten"}, {"ten", "in range 1"}},
        Bad{"OnlyWords", {"run", "--only", "3,x"}, {"'3,x'", "'x' is no number"}},
        Bad{"OnlyBeyondTheConversations",
            {"run", "--conversations", "plain.conv", "--only", "5"},
            {"--only '5'", "1 conversations, 0 to 0"}},
        Bad{"OnlyPartlyBeyondTheConversations",
            {"run", "--conversations", "plain.conv", "--only", "0,1"},
            {"--only '0,1'", "0 to 0"}},
        Bad{"OnlyNothing", {"run", "--only", ""}, {"--only", "empty"}},
        Bad{"ReportNowhere", {"run", "--report", ""}, {"--report", "empty"}},
        Bad{"ConversationsNowhere", {"run", "--conversations", ""}, {"--conversations", "empty"}},
        Bad{"JsonUnnamed", {"run", "--json", ""}, {"--json", "empty"}},
        Bad{"JournalUnnamed", {"run", "--journal", ""}, {"--journal", "empty"}},
        Bad{"ReplayUnnamed", {"replay", ""}, {"file", "empty"}},
        Bad{"CompareReportUnnamed", {"compare", "sim", "sim", "--report", ""}, {"empty"}},
        Bad{"OnlyFarApart", {"run", "--only", "0,1000000000000"}, {"1000000000000", "at most"}},
        Bad{"UnknownList", {"list", "bugs"}, {"'bugs'", "walks, properties, rules"}},
        Bad{"NoList", {"list"}, {"required", "cmcheck list --help"}},
        Bad{"NoFile", {"replay"}, {"required", "cmcheck replay --help"}},
        Bad{"ProfileWithoutVerb", {"profile"}, {"required", "cmcheck profile --help"}},
        Bad{"BaseOfAMeasurement", {"profile", "measure", "x.json", "--base", "none"}, {"none"}},
        Bad{"MeasurementOfAGuestOfNoName",
            {"profile", "measure", "x.json", "--lab", "profile.json"},
            {"--lab profile.json", "guests have the profiles"}},
        Bad{"MeasurementOfTwoGuests",
            {"profile", "measure", "x.json", "--lab", "6.1-rxe+7.2-rxe", "--base", "6.1-rxe"},
            {"--lab 6.1-rxe+7.2-rxe", "guests have the profiles"}},
        Bad{"BaseOfAGuestsMeasurement",
            {"profile", "measure", "x.json", "--lab", "6.1-rxe", "--base", "a b"},
            {"--base a b", "list profiles"}},
        Bad{"ExpectationOfAGuest",
            {"profile", "measure", "x.json", "--lab", "6.1-rxe", "--expect", "profile.json"},
            {"--expect profile.json", "list profiles"}},
        Bad{"ExpectationOfNoProfile",
            {"profile", "measure", "x.json", "--impl", "sim", "--expect", "none"},
            {"--expect", "none"}},
        Bad{"MeasurementOfAGuestAndALibrary",
            {"profile", "measure", "x.json", "--lab", "6.1-rxe", "--impl", "sim"},
            {"its guest", "no --impl"}},
        Bad{"MeasurementOfAGuestAndASite",
            {"profile", "measure", "x.json", "--lab", "6.1-rxe", "--site", "no.json"},
            {"its guest", "no --site"}},
        Bad{"MeasurementOfAGuestThatAllows",
            {"profile", "measure", "x.json", "--lab", "6.1-rxe", "--allow", "loss"},
            {"its guest", "no --allow"}},
        Bad{"MeasurementOfAGuestAtAPlace",
            {"profile", "measure", "x.json", "--lab", "6.1-rxe", "--place", "bare"},
            {"its guest", "no --place"}},
        Bad{"MeasurementOfAGuestByAProfile",
            {"profile", "measure", "x.json", "--lab", "6.1-rxe", "--profile", "7.2-rxe"},
            {"--base", "no --profile"}},
        Bad{"LabWithoutVerb", {"lab"}, {"required", "cmcheck lab --help"}},
        Bad{"LabOptionBehindDashes",
            {"lab", "run", "--", "--fast"},
            {"--fast", "lab run -- --help"}},
        Bad{"LabOptionOutOfRange",
            {"lab", "run", "--guests", "0"},
            {"--guests", "`cmcheck lab run --help`"}},
        Bad{"LabOfAProfileThatIsAFile",
            {"lab", "run", "--", "--profile", "profile.json"},
            {"--profile profile.json", "guests have the profiles of `cmcheck list profiles`"}},
        Bad{"LabOfAnotherLink",
            {"lab", "run", "--", "--profile", "6.1-ib"},
            {"Soft-RoCE", "6.1-ib", "6.1-siw"}},
        Bad{"LabWalkThatTheProfileLeavesOut",
            {"lab", "run", "--", "--profile", "5.10-rxe", "--walk", "link"},
            {"walk link needs link, which profile 5.10-rxe does not have"}},
        Bad{"LabTopology",
            {"lab", "run", "--", "--topology", "two-kernels"},
            {"one-kernel-two-devices"}}),
    NameOf);

INSTANTIATE_TEST_SUITE_P(
    Files, BadInput,
    testing::Values(
        Bad{"ProfileDirectory", {"run", "--profile", "directory"}, {"directory is a directory"}},
        Bad{"ProfileDamaged", {"run", "--profile", "profile.json"}, {"profile.json: 'name' is 1"}},
        Bad{"ProfileOfText",
            {"run", "--profile", "text.so"},
            {"cmcheck: text.so: it is no JSON: parse error at line 1"}},
        Bad{"ProfileBelowAFile",
            {"run", "--profile", "text.so/mine"},
            {"'text.so/mine', and the file cannot be read: Not a directory", "6.1-rxe, 6.12-rxe"}},
        Bad{"ProfileWithControlCharacters",
            {"run", "--profile", "escapes.json"},
            {"escapes.json: 'base' is '\\x00\\x1b[1m\\xc2\\x85'; it may be "}},
        Bad{"NobodyToCompareWith", {"compare", "sim", "rdma"}, {"'rdma'", "lib, lib:PATH"}},
        Bad{"DriverWithoutCommand", {"run", "--impl", "exec:"}, {"exec:", "after the colon"}},
        Bad{"DriverWithoutPort", {"run", "--impl", "tcp:localhost"}, {"tcp:HOST:PORT"}},
        Bad{"DriverThatIsNotThere", {"run", "--impl", "tcp:127.0.0.1:1"}, {"refused"}},
        Bad{"DriverWithoutGreeting", {"run", "--impl", "exec:true"}, {"exit code 0, before"}},
        Bad{"DriverWithDefect", {"run", "--impl", "exec:true", "--defect", "x"}, {"--impl sim"}},
        Bad{"RealLibraryWithoutPath", {"run", "--impl", "lib:"}, {"path"}},
        Bad{"RealLibraryMissing", {"run", "--impl", "lib:./no.so"}, {"no.so", "No such file"}},
        Bad{"LibraryWithoutPath", {"run", "--impl", "dl:"}, {"path"}},
        Bad{"LibraryMissing", {"run", "--impl", "dl:./no.so"}, {"no.so", "No such file"}},
        Bad{"LibraryDirectory", {"run", "--impl", "dl:./directory"}, {"directory"}},
        Bad{"LibraryOfText", {"run", "--impl", "dl:./text.so"}, {"text.so"}},
        Bad{"ReportBelowAFile",
            {"run", "--report", "text.so/report"},
            {"text.so/report", "Not a directory"}},
        Bad{"JsonNowhere", {"run", "--json", "no/where.json"}, {"no/where.json", "No such file"}},
        Bad{"JsonToStandardOutput", {"run", "--json", "-"}, {"'-' is no file", "/dev/stdout"}},
        Bad{"JsonDirectory", {"run", "--json", "directory"}, {"directory", "Is a directory"}},
        Bad{"JsonWithoutRoom", {"run", "--json", "taken"}, {"taken", "Is a directory"}},
        Bad{"JournalNowhere", {"run", "--journal", "no/where"}, {"no/where", "No such file"}},
        Bad{"JournalNowhereWithDeepReport",
            {"run", "--report", "a/b/c", "--journal", "no/where"},
            {"no/where"}},
        Bad{"JournalDirectory", {"run", "--journal", "directory"}, {"directory", "no journal"}},
        Bad{"JournalOfText", {"run", "--journal", "text.so"}, {"text.so", "another campaign"}},
        Bad{"ReplayMissing", {"replay", "no.conv"}, {"no.conv cannot be read: no such file"}},
        Bad{"ReplayMissingOfAnotherName",
            {"replay", "\u00e4\xff.conv"},
            {": \u00e4\\xff.conv cannot"}},
        Bad{"ReplayDirectory",
            {"replay", "directory"},
            {"directory cannot be read: it is a folder"}},
        Bad{"ReplayOfANameThatIsNone",
            {"replay", "name.conv"},
            {"name.conv:6: \"\\x1b[1m\" is no name", "printable ASCII"}},
        Bad{"MatrixMissing", {"matrix", "no.json"}, {"no.json: cannot be read: no such file"}},
        Bad{"MatrixDirectory", {"matrix", "directory"}, {"directory: cannot be read: it is a"}},
        Bad{"ReplayEmpty", {"replay", "empty.conv"}, {"empty.conv: the file is empty"}},
        Bad{"ReplayWithoutProfile", {"replay", "loses.conv"}, {"loses.conv", "no line `profile"}},
        Bad{"PcapWithoutProfile", {"pcap", "loses.conv"}, {"loses.conv", "no line `profile"}},
        Bad{"ReplayCutOff", {"replay", "cut_off.conv"}, {"cut_off.conv", "cut off"}},
        Bad{"ReplayCutAtEnd", {"replay", "cut_at_end.conv"}, {"cut_at_end.conv", "cut off"}},
        Bad{"ReplayHalfAHistory", {"replay", "half_a_history.conv"}, {"half_a_history.conv"}},
        Bad{"ReplayHistoryEndsEarly",
            {"replay", "history_ends_early.conv"},
            {"history_ends_early.conv:"}},
        Bad{"ReplayUnknownProfile",
            {"replay", "unknown_profile.conv"},
            {"unknown_profile.conv:3:", "'nope'", "6.12-rxe"}},
        Bad{"ExplainUnknownProfile", {"explain", "unknown_profile.conv"}, {".conv:3:", "'nope'"}},
        Bad{"ShrinkUnknownProfile", {"shrink", "unknown_profile.conv"}, {".conv:3:", "'nope'"}},
        Bad{"RewriteUnknownProfile", {"rewrite", "unknown_profile.conv"}, {".conv:3:", "'nope'"}},
        Bad{"PcapUnknownProfile", {"pcap", "unknown_profile.conv"}, {".conv:3:", "'nope'"}},
        Bad{"RunUnknownProfile",
            {"run", "--conversations", "unknown_profile.conv"},
            {".conv:3:", "'nope'"}},
        Bad{"ReplayAddsWhatIsThere", {"replay", "adds.conv"}, {"adds.conv:3:", "rxe0 is there"}},
        Bad{"RunFailsOverWithoutABond",
            {"run", "--conversations", "fails_over.conv", "--topology", "two-kernels"},
            {"fails_over.conv", "two-kernels", "not on a bond"}},
        Bad{"ReplayBeyondTheEnvironment",
            {"replay", "loses.conv", "--profile", "6.1-siw"},
            {"loses.conv", "it needs drop"}},
        Bad{"ExplainBeyondTheEnvironment",
            {"explain", "loses.conv", "--profile", "6.1-siw"},
            {"loses.conv", "it needs drop"}},
        Bad{"PcapBeyondTheEnvironment",
            {"pcap", "loses.conv", "--profile", "6.1-siw"},
            {"loses.conv", "it needs drop"}},
        Bad{"ReplayBeyondTheCapabilities",
            {"replay", "loses.conv", "--profile", "6.1-rxe", "--capabilities", "link"},
            {"loses.conv", "it needs drop", "'link'"}},
        Bad{"ShrinkBeyondTheCapabilities",
            {"shrink", "loses.conv", "--profile", "6.1-rxe", "--capabilities", "none"},
            {"loses.conv", "it needs drop"}},
        Bad{"ExplainBeyondTheCapabilities",
            {"explain", "loses.conv", "--profile", "6.1-rxe", "--capabilities", "none"},
            {"loses.conv", "it needs drop"}},
        Bad{"RewriteBeyondTheCapabilities",
            {"rewrite", "loses.conv", "--profile", "6.1-rxe", "--capabilities", "none"},
            {"loses.conv", "it needs drop"}},
        Bad{"ReplayUnknownCapability",
            {"replay", "plain.conv", "--capabilities", "fly"},
            {"'fly'"}},
        Bad{"ExplainAHistoryWithADefect",
            {"explain", "settled.conv", "--defect", "forgets-timewait"},
            {"settled.conv", "without --defect"}},
        Bad{"ExplainAHistoryAtAPlace",
            {"explain", "settled.conv", "--place", "bare"},
            {"settled.conv", "without --place"}},
        Bad{"ExplainAConversationElsewhere",
            {"explain", "plain.conv", "--topology", "bond"},
            {"plain.conv", "no --topology"}},
        Bad{"ExplainARecordingAgain",
            {"explain", "empty.jsonl", "--impl", "sim"},
            {"empty.jsonl", "no --impl"}},
        Bad{"ShrinkNothing", {"shrink", "plain.conv"}, {"plain.conv shows no finding on sim"}},
        Bad{"ShrinkAnotherFinding",
            {"shrink", "connects.conv", "--defect", "connect-wrong-errno", "--finding", "NOPE"},
            {"no finding NOPE on sim+connect-wrong-errno: it shows ROWS-1, EST-9"}},
        Bad{"ShrinkCutOff", {"shrink", "cut_off.conv"}, {"cut_off.conv"}},
        Bad{"ExplainMissing", {"explain", "no.jsonl"}, {"no.jsonl cannot be read: no such"}},
        Bad{"ExplainText", {"explain", "text.so"}, {"text.so:1:"}},
        Bad{"ExplainDamagedRecording", {"explain", "empty.jsonl"}, {"empty.jsonl:1:"}},
        Bad{"ExplainUnknownTopology",
            {"explain", "empty.jsonl", "--topology", "ring"},
            {"'ring'", "two-kernels, one-kernel-two-devices, bond"}},
        Bad{"CheckPcapMissing", {"check-pcap", "no.pcap"}, {"no.pcap", "No such file"}},
        Bad{"CheckPcapDirectory", {"check-pcap", "directory"}, {"directory", "not a file"}},
        Bad{"CheckPcapText", {"check-pcap", "text.so"}, {"text.so is no capture"}},
        Bad{"CheckPcapEmpty", {"check-pcap", "empty.conv"}, {"empty.conv is no capture"}},
        Bad{"CheckPcapOfIwarp",
            {"check-pcap", "text.so", "--profile", "6.1-siw"},
            {"6.1-siw", "iWARP"}},
        Bad{"RewriteDirectory", {"rewrite", "directory"}, {"directory cannot be read: it is a"}},
        Bad{"RewriteCutOff", {"rewrite", "cut_at_end.conv"}, {"cut_at_end.conv", "cut off"}}),
    NameOf);

using BadSurroundings = BadInput;
INSTANTIATE_TEST_SUITE_P(None, BadSurroundings, testing::Values(Bad{"Any", {}, {}}), NameOf);

TEST_P(BadSurroundings, OfALibraryWithoutTheSymbolsNamesTheFirstThatIsMissing) {
  const std::string path = DataFile("conformance/adapters/dl/libwithout_symbols.so").string();
  IsRefused({"run", "--impl", "dl:" + path}, {path, "has no symbol rdma_"});
}

// A pattern of the shell stands for many files.
TEST_P(BadSurroundings, OfManyArgumentsTooManyNamesTheFirst) {
  std::vector<std::string> arguments = {"replay"};
  for (int i = 0; i < 1000; ++i) arguments.push_back("conversation" + std::to_string(i) + ".conv");
  const Ended ended = folder_.Cmcheck(arguments);
  EXPECT_EQ(ended.exit_code, 2);
  EXPECT_THAT(ended.error, HasSubstr("expected: conversation1.conv conversation2.conv "
                                     "conversation3.conv and 996 more"));
}

TEST_P(BadSurroundings, WithoutQemuNamesWhatToInstall) {
  IsRefused({"lab", "run"}, {"qemu-system-x86_64", "tools/setup.sh --lab"},
            {"PATH=" + folder_.path().string()});
}

// The report is kept: the judged sequences are worth more than one more copy.
TEST_P(BadSurroundings, WithoutSpaceSayItInOneLineAndLeaveTheDeviceAsItWas) {
  const Ended ended = folder_.Cmcheck({"run", "--sequences", "5", "--json", "/dev/full"});
  EXPECT_EQ(ended.exit_code, 2);
  EXPECT_THAT(LinesOf(ended.error).back(),
              testing::AllOf(StartsWith("cmcheck: /dev/full"), HasSubstr("No space left")));
  EXPECT_THAT(folder_.Read("cmcheck-report/results.json"), HasSubstr("\"passed\": 5"));
  EXPECT_TRUE(fs::is_character_file("/dev/full"));
  EXPECT_FALSE(fs::exists("/dev/full.part"));
}

TEST_P(BadSurroundings, ThatForbidAFileSaySo) {
  if (geteuid() == 0) GTEST_SKIP() << "to root every file is open";
  for (const char* file : {"plain.conv", "profile.json"})
    fs::permissions(folder_.path() / file, fs::perms::none);
  IsRefused({"replay", "plain.conv"}, {"plain.conv cannot be read: permission denied"});
  IsRefused({"run", "--profile", "profile.json"},
            {"'profile.json', and the file cannot be read: permission denied"});
}

TEST_P(BadSurroundings, WithoutAFolderForFindingsKeepWhatWasFound) {
  fs::create_directory(folder_.path() / "cmcheck-report");
  folder_.Write("cmcheck-report/findings", "mine");
  const Ended ended =
      folder_.Cmcheck({"run", "--sequences", "20", "--defect", "connect-wrong-errno"});
  EXPECT_EQ(ended.exit_code, 2);
  EXPECT_THAT(LinesOf(ended.error).back(), HasSubstr("cmcheck-report/findings"));
  EXPECT_THAT(folder_.Read("cmcheck-report/results.json"), HasSubstr("\"sequences\": 20"));
  EXPECT_EQ(folder_.Read("cmcheck-report/findings"), "mine");
}

TEST_P(BadSurroundings, WithARunInTheSameReportNameIt) {
  fs::create_directory(folder_.path() / "cmcheck-report");
  const Descriptor other(open((folder_.path() / "cmcheck-report").c_str(), O_RDONLY | O_CLOEXEC));
  ASSERT_EQ(flock(other.get(), LOCK_EX), 0);
  const Ended ended = folder_.Cmcheck({"run", "--sequences", "1"});
  EXPECT_EQ(ended.exit_code, 2);
  EXPECT_THAT(ended.error, HasSubstr("cmcheck-report is the report of a run that goes on"));
}

// Little is written when the program ends, much while it works.
TEST_P(BadSurroundings, WithoutSpaceForWhatIsPrintedSayIt) {
  for (const std::string what : {"profiles", "rules"}) {
    const std::string shell = "$0 list " + what + " > /dev/full";
    const Ended ended =
        Running({"/bin/sh", "-c", shell, folder_.CommandOf({}).front()}, {}, folder_.path()).Wait();
    EXPECT_EQ(ended.exit_code, 2) << what;
    EXPECT_THAT(LinesOf(ended.error), ElementsAre(HasSubstr("standard output cannot be written")))
        << what;
  }
}

// As `cmcheck ... 2>&1 | head` does, where SIGPIPE is ignored.
TEST_P(BadSurroundings, WithoutSpaceForErrorsEndAllTheSame) {
  for (const std::string arguments : {"list profiles", "list rules", "run --sequences 20"}) {
    const std::string shell = "$0 " + arguments + " > /dev/full 2>&1";
    const Ended ended =
        Running({"/bin/sh", "-c", shell, folder_.CommandOf({}).front()}, {}, folder_.path()).Wait();
    EXPECT_EQ(ended.exit_code, 2) << arguments;
  }
}

}  // namespace
}  // namespace cm
