// `cmcheck check-pcap` as a shell runs it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <span>
#include <string>
#include <vector>

#include "model/mad/frame.h"
#include "model/mad/pcap.h"
#include "tools/cmcheck/cmcheck_process.h"

namespace cm {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

namespace fs = std::filesystem;

fs::path Stored(const std::string& name) {
  return DataFile("model/mad/captures") / (name + ".pcap");
}

class CheckPcap : public testing::Test {
 protected:
  Ended Check(const fs::path& path, std::vector<std::string> more = {}) {
    more.insert(more.begin(), {"check-pcap", path.string()});
    return folder_.Cmcheck(more);
  }

  // REQ and RTU of a connection, without the REP.
  void WriteWithoutRep(const std::string& file) {
    std::ifstream in(Stored("connect_disconnect"), std::ios::binary);
    const std::string all((std::istreambuf_iterator<char>(in)), {});
    const std::vector<uint8_t> bytes(all.begin(), all.end());
    mad::PcapReader reader = mad::PcapReader::Open(bytes).value();
    std::string text;
    mad::PcapWriter writer(
        [&text](std::span<const uint8_t> some) { text.append(some.begin(), some.end()); });
    for (int i = 0; i < 3; ++i) {
      const mad::PcapRecord record = reader.Next()->value();
      if (i != 1) writer.Write(record.nanoseconds, record.bytes);
    }
    writer.Flush();
    folder_.Write(file, text);
  }

  CmcheckFolder folder_;
};

TEST_F(CheckPcap, PermitsWhatARealKernelDid) {
  size_t files = 0;
  for (const auto& entry : fs::directory_iterator(DataFile("model/mad/captures"))) {
    if (entry.path().extension() != ".pcap") continue;
    ++files;
    const Ended ended = Check(entry.path(), {"--profile", "6.1-rxe", "--whole", "--strict"});
    EXPECT_EQ(ended.exit_code, 0) << entry.path() << ended.output << ended.error;
    EXPECT_THAT(ended.output, HasSubstr(" 0 violations")) << entry.path();
  }
  EXPECT_EQ(files, 16u);
}

TEST_F(CheckPcap, PermitsWhatARealKernelDidWithoutBeingToldWhatItIs) {
  for (const auto& entry : fs::directory_iterator(DataFile("model/mad/captures"))) {
    if (entry.path().extension() != ".pcap") continue;
    EXPECT_EQ(Check(entry.path()).exit_code, 0) << entry.path();
    EXPECT_EQ(Check(entry.path(), {"--whole"}).exit_code, 0) << entry.path();
    EXPECT_EQ(Check(entry.path(), {"--profile", "6.1-rxe"}).exit_code, 0) << entry.path();
  }
}

TEST_F(CheckPcap, RefusesACaptureThatIsWholeAndHasGaps) {
  const Ended ended = Check(Stored("connect_disconnect"), {"--whole", "--incomplete"});
  EXPECT_EQ(ended.exit_code, 2);
  EXPECT_THAT(LinesOf(ended.error), ElementsAre(HasSubstr("contradict")));
  EXPECT_THAT(ended.output, IsEmpty());
}

TEST_F(CheckPcap, PrintsALineForEachConnection) {
  const Ended ended = Check(Stored("connect_disconnect"));
  const auto lines = LinesOf(ended.output);
  ASSERT_GE(lines.size(), 2u);
  EXPECT_THAT(lines[1], AllOf(HasSubstr("10.0.0.1 55edc1bd"), HasSubstr("10.0.1.1 56edc1bd"),
                              HasSubstr("REQ REP RTU DREQ DREP"), HasSubstr("permitted")));
}

TEST_F(CheckPcap, NamesTheFirstViolation) {
  WriteWithoutRep("no_rep.pcap");
  const Ended ended = Check("no_rep.pcap");
  EXPECT_EQ(ended.exit_code, 1);
  EXPECT_THAT(ended.output,
              AllOf(HasSubstr("VIOLATION"), HasSubstr("frame 2 at 0.005236s"),
                    HasSubstr("saw        RTU"), HasSubstr("ib-rtu-1"), HasSubstr("(L3)")));
}

TEST_F(CheckPcap, WritesItsVerdictsAsJson) {
  WriteWithoutRep("no_rep.pcap");
  EXPECT_EQ(Check("no_rep.pcap", {"--json", "verdicts.json"}).exit_code, 1);
  const auto json = nlohmann::json::parse(folder_.Read("verdicts.json"));
  EXPECT_EQ(json.at("schema"), 1);
  EXPECT_EQ(json.at("totals").at("violations"), 1);
  const auto& connection = json.at("connections").at(0);
  EXPECT_EQ(connection.at("active"), "10.0.0.1");
  EXPECT_EQ(connection.at("permitted"), false);
  EXPECT_EQ(connection.at("violation").at("frame"), 2);
}

TEST_F(CheckPcap, BelievesMoreWhereItIsToldThatMessagesAreMissing) {
  WriteWithoutRep("no_rep.pcap");
  EXPECT_EQ(Check("no_rep.pcap", {"--incomplete"}).exit_code, 0);
}

TEST_F(CheckPcap, JudgesWhatIsThereOfACaptureThatIsCutOff) {
  std::ifstream in(Stored("connect_disconnect"), std::ios::binary);
  const std::string all((std::istreambuf_iterator<char>(in)), {});
  folder_.Write("cut.pcap", all.substr(0, all.size() - 10));
  const Ended ended = Check("cut.pcap");
  EXPECT_EQ(ended.exit_code, 2);
  EXPECT_THAT(ended.output, HasSubstr("REQ REP RTU DREQ "));
  EXPECT_THAT(LinesOf(ended.error), ElementsAre(HasSubstr("cut.pcap after frame 4")));
}

TEST_F(CheckPcap, ReadsFromAPipe) {
  std::vector<std::string> command = {"/bin/sh", "-c", "cat $1 | $0 check-pcap - --whole"};
  command.push_back(folder_.CommandOf({}).front());
  command.push_back(Stored("ready_to_use_lost_every_time").string());
  const Ended ended = Running(command, {}, folder_.path()).Wait();
  EXPECT_EQ(ended.exit_code, 0) << ended.error;
  EXPECT_THAT(ended.output, HasSubstr("34 frames: 34 messages"));
}

TEST_F(CheckPcap, SaysHowAPcapngFileBecomesOneThatItReads) {
  folder_.Write("next.pcapng", std::string("\x0a\x0d\x0d\x0a", 4) + std::string(60, '\0'));
  const Ended ended = Check("next.pcapng");
  EXPECT_EQ(ended.exit_code, 2);
  EXPECT_THAT(LinesOf(ended.error), ElementsAre(HasSubstr("editcap -F pcap next.pcapng")));
  EXPECT_THAT(ended.output, IsEmpty());
}

}  // namespace
}  // namespace cm
